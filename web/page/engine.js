// The engine's questions (web/engine.h) as methods. All of them block until answered: state() takes microseconds and is
// asked by the page itself; think() and solve() are for workers.
//
// Positions, moves and games are texts, as in the rest of the project: "..../2F.A/E9../.8B3 -", "b3", "C", "0 a1 7 c2".
// Rules are 'lines' or 'squares'.

import {call, EngineError, instantiate} from './wasm.js';

export {EngineError};

// More than the engine can count is as long as it can.
const time = (milliseconds) => Math.round(Math.min(milliseconds, 2 ** 31 - 1));

export class Engine {
  // `module`: a compiled WebAssembly.Module.
  static async create(module) {
    const engine = new Engine();
    engine.exports = await instantiate(module);
    return engine;
  }

  // Uint8Arrays: a network under a name, an opening book. {name, rules, track, width, blocks, step, extra: {}}
  addNetwork(name, bytes) {
    return call(this.exports, 'quartozero_add_network', name, bytes);
  }
  setBook(bytes) {
    return call(this.exports, 'quartozero_set_book', bytes);
  }

  // {rules, start, position, moves: [text], phase: 'place' | 'give', player: 0 | 1, hand, board: [16], available, legal,
  //  over, winner: null | 0 | 1, lines: [{squares: [4], shared: [attribute]}]}
  state(start = '', moves = '', rules = 'lines') {
    return call(this.exports, 'quartozero_state', rules, start, moves);
  }

  // What people choose among, from the weakest to the strongest (play/levels.h): [{name, network, lookahead, careless,
  // simulations, exactSquares, sharp}]. With a network choose() plays, without one simple().
  levels(rules = 'lines') {
    return call(this.exports, 'quartozero_levels', rules);
  }

  // {best, value, proven, network: {win, draw, loss, prior: [16]}, moves: [{move, index, visits, prior, value,
  //  proven, low, high}], line, simulations, seconds}; low and high are proven bounds.
  // The network 'uniform' knows nothing and is there under all rules.
  think(network, position, simulations, rules = 'lines') {
    return call(this.exports, 'quartozero_think', network, rules, position, simulations);
  }

  // The one rule by which every program of the project chooses (play/choose.h): {move, by: 'exact' | 'search' |
  // 'network', value, proven, seconds, complete}. `milliseconds`: for exact values, 0 if there is no limit. `sharp`: exact
  // play wins soonest, loses last, and sets traps (play/sharp.h); `complete` is false where the time ended that, and
  // asking again goes on.
  choose(network, position, simulations, exactSquares, milliseconds, rules = 'lines', sharp = false) {
    return call(this.exports, 'quartozero_choose', network, rules, position, simulations, exactSquares,
                time(milliseconds), sharp ? 1 : 0);
  }

  // The same, but among moves of equal exact value the network decides; and `alike`, how many these are.
  hint(network, position, simulations, exactSquares, milliseconds, rules = 'lines') {
    return call(this.exports, 'quartozero_hint', network, rules, position, simulations, exactSquares,
                time(milliseconds));
  }

  // The move of a player without a network: {move, by: 'rule' | 'chance'}. It looks `lookahead` plies ahead (0: the
  // one-ply rule), and in `careless` percent of its decisions not at all. The same `seed` gives the same move.
  simple(position, lookahead, careless, seed, rules = 'lines') {
    return call(this.exports, 'quartozero_simple', rules, position, lookahead, careless, seed);
  }

  // {values: [16 of 1, 0, -1 or null], value, complete, nodes, seconds}
  solve(position, milliseconds, rules = 'lines') {
    return call(this.exports, 'quartozero_solve', rules, position, Math.max(1, time(milliseconds)));
  }

  // After solve() of the position: {placements: [16 of the number in which a won or lost move ends, or null], best,
  // complete} (solver/solver.h).
  distances(position, milliseconds, rules = 'lines') {
    return call(this.exports, 'quartozero_distances', rules, position, Math.max(1, time(milliseconds)));
  }

  // What a pairs network takes of the position (light/counts.h): a Float32Array, the input `counts` of ONNX files.
  counts(position, rules = 'lines') {
    const {size, numbers} = call(this.exports, 'quartozero_counts', rules, position);
    const counts = new Float32Array(size);
    for (let i = 0; i < numbers.length; i += 2) counts[numbers[i]] = numbers[i + 1];
    return counts;
  }
}
