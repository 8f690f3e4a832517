// The engine's questions (web/engine.h) as methods. All of them block until answered: state() takes microseconds and is
// asked by the page itself; think() and solve() are for workers.
//
// Positions, moves and games are texts, as in the rest of the project: "..../2F.A/E9../.8B3 -", "b3", "C", "0 a1 7 c2".

import {call, EngineError, instantiate} from './wasm.js';

export {EngineError};

export class Engine {
  // `module`: a compiled WebAssembly.Module.
  static async create(module) {
    const engine = new Engine();
    engine.exports = await instantiate(module);
    return engine;
  }

  // Uint8Arrays: a network under a name, the opening book.
  addNetwork(name, bytes) {
    return call(this.exports, 'quartozero_add_network', name, bytes);
  }
  setBook(bytes) {
    return call(this.exports, 'quartozero_set_book', bytes);
  }

  // {start, position, moves: [text], phase: 'place' | 'give', player: 0 | 1, hand, board: [16], available, legal, over,
  //  winner: null | 0 | 1, lines: [{squares: [4], shared: [attribute]}]}
  state(start = '', moves = '') {
    return call(this.exports, 'quartozero_state', start, moves);
  }

  // {best, value, proven, network: {win, draw, loss, prior: [16]}, moves: [{move, index, visits, prior, value,
  //  proven, low, high}], line, simulations, seconds}; low and high are proven bounds
  think(network, position, simulations) {
    return call(this.exports, 'quartozero_think', network, position, simulations);
  }

  // The one rule by which every program of the project chooses (play/choose.h): {move, by: 'exact' | 'search' |
  // 'network', value, proven, seconds}. `milliseconds`: for exact values, 0 if there is no limit.
  choose(network, position, simulations, exactSquares, milliseconds) {
    return call(this.exports, 'quartozero_choose', network, position, simulations, exactSquares,
                Math.round(milliseconds));
  }

  // {values: [16 of 1, 0, -1 or null], value, complete, nodes, seconds}
  solve(position, milliseconds) {
    return call(this.exports, 'quartozero_solve', position, Math.max(1, Math.round(milliseconds)));
  }
}
