// The engine as WebAssembly, in node: the same answers as the suites and as the same sources compiled for this machine.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {before, test} from 'node:test';

import {Engine, EngineError} from '../../web/page/engine.js';
import {moveFor} from '../../web/page/player.js';
import {Players} from '../../web/page/players.js';
import {indexOf, kBooks, kNative, kNetworks, kPage, kRoot, some, suite} from './positions.js';

let engine, players, rulesOf;

before(async () => {
  engine = await Engine.create(new WebAssembly.Module(fs.readFileSync(path.join(kPage, 'quartozero.wasm'))));
  for (const rules of kBooks) engine.setBook(fs.readFileSync(path.join(kPage, `${rules}.book`)));
  const networks = kNetworks.map((name) => engine.addNetwork(name, fs.readFileSync(path.join(kPage, `${name}.light`))));
  rulesOf = Object.fromEntries(networks.map(({name, rules}) => [name, rules]));
  players = new Players({levels: {lines: engine.levels(), squares: engine.levels('squares')}, networks});
});

function native(questions) {
  const lines = kNetworks.map((name) => `network ${name} ${path.join(kRoot, 'checkpoints', name, 'model.light')}`);
  const run = spawnSync(kNative, {input: [...lines, ...questions, ''].join('\n'), encoding: 'utf8', maxBuffer: 1 << 28});
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.trim().split('\n').map((line) => JSON.parse(line)).slice(lines.length);
}

for (const [name, rules] of [['deep', 'lines'], ['decisive', 'lines'], ['deep', 'squares']]) {
  test(`solves the positions of the suite '${name}' as the suite does, under the rules ${rules}`, () => {
    const positions = some(suite(name, rules), 400);
    assert.equal(positions.length, 400);
    for (const {position, value, values} of positions) {
      const solution = engine.solve(position, 60_000, rules);
      assert.equal(solution.value, value, position);
      for (const [move, v] of values) assert.equal(solution.values[indexOf(move)], v, `${position} ${move}`);
    }
  });
}

test('networks have the opinions that they have outside of WebAssembly, to the last bit', () => {
  for (const name of kNetworks) {
    const positions = some(suite('decisive', rulesOf[name]), 200).map((entry) => entry.position);
    const expected = native(positions.map((position) => `think ${name} ${rulesOf[name]} 0 ${position}`));
    positions.forEach((position, i) => {
      const {network, best} = engine.think(name, position, 0, rulesOf[name]);
      assert.deepEqual({network, best}, {network: expected[i].network, best: expected[i].best}, `${name} ${position}`);
    });
  }
});

test('gives exported networks the counts that C++ gives them', () => {
  for (const rules of kBooks) {
    const positions = some(suite('decisive', rules), 30).map((entry) => entry.position);
    const expected = native(positions.map((position) => `counts ${rules} ${position}`));
    positions.forEach((position, i) => assert.deepEqual(Array.from(engine.counts(position, rules)), expected[i], position));
  }
  assert.throws(() => engine.counts('0124/..../..../.... -'), EngineError);
});

test('a search with 32 simulations visits what it visits outside of WebAssembly', () => {
  for (const [name, rules] of [['distilled', 'lines'], ['squares', 'squares']]) {
    const positions = some(suite('deep', rules), 150).map((entry) => entry.position);
    const expected = native(positions.map((position) => `think ${name} ${rules} 32 ${position}`));
    let visited = 0;
    positions.forEach((position, i) => {
      const {best, moves} = engine.think(name, position, 32, rules);
      visited += moves.filter((move) => move.visits > 0).length;
      assert.deepEqual({best, moves}, {best: expected[i].best, moves: expected[i].moves}, `${name} ${position}`);
    });
    assert.ok(visited > positions.length);
  }
});

test('tools that choose: exact endgames and the perfect player keep the value', async () => {
  const tools = {engine, solve: async (position) => engine.solve(position, 60_000), check: async () => {}};
  for (const seat of [{who: 'small', simulations: 0, exact: true}, {who: 'perfect', simulations: 0, exact: false}]) {
    for (const {position, value, values} of some(suite('deep'), 100)) {
      const {move, exact} = await moveFor(tools, position, players.playerOf(seat, 'lines'));
      assert.equal(values.get(move), value, `${seat.who}: ${position} ${move}`);
      assert.ok(exact);
    }
  }
});

// The engine protocol's program, which chooses by the same rule (play/choose.h).
test('the page chooses as the other programs do', async () => {
  const program = process.env.QUARTOZERO_ENGINE ?? path.join(kRoot, 'build/quartozero-engine');
  const tools = {engine, solve: async (position) => engine.solve(position, 60_000), check: async () => {}};
  const positions = [...some(suite('deep'), 40), ...some(suite('decisive'), 40)].map((entry) => entry.position);
  for (const simulations of [0, 16]) {
    const input = ['setoption name ExactSquares value 8', `setoption name Simulations value ${simulations}`,
                   ...positions.flatMap((position) => [`position board ${position}`, 'go']), ''].join('\n');
    const run = spawnSync(program, [path.join(kRoot, 'checkpoints/small/model.light')],
                          {input, encoding: 'utf8', maxBuffer: 1 << 28});
    assert.equal(run.status, 0, run.stderr);
    const expected = [...run.stdout.matchAll(/^bestmove (\w+)$/gm)].map((match) => match[1]);
    assert.equal(expected.length, positions.length);
    const seat = {network: 'small', simulations, exactSquares: 8, exactSeconds: 60};
    const chosen = [];
    for (const position of positions) chosen.push((await moveFor(tools, position, seat)).move);
    assert.deepEqual(chosen, expected, `${simulations} simulations`);
  }
});

test('says in how many placements won and lost moves end', () => {
  const won = '135./..../..../.... 7', index = 3;
  assert.throws(() => engine.distances(won, 60_000), EngineError);
  for (const {position, values} of [{position: won, values: null}, ...some(suite('deep'), 40)]) {
    const solution = engine.solve(position, 60_000);
    const {placements, best, complete} = engine.distances(position, 60_000);
    assert.ok(complete);
    solution.values.forEach((value, m) => assert.equal(placements[m] === null, !value, `${position} ${m}`));
    const alike = placements.filter((n, m) => n !== null && solution.values[m] === solution.value);
    assert.equal(best, solution.value === 0 ? null : solution.value > 0 ? Math.min(...alike) : Math.max(...alike));
    if (!values) assert.equal(placements[index], 1);
  }
});

test('the perfect player knows the opening by heart', async () => {
  const tools = {engine, solve: async (position) => engine.solve(position, 1), check: async () => {}};
  const start = engine.state().position;
  assert.ok((await moveFor(tools, start, players.playerOf({who: 'perfect'}, 'lines'))).exact);
});

test('levels are told from the weakest to the strongest, and each can move', async () => {
  const tools = {engine, solve: async (position, _, rules) => engine.solve(position, 60_000, rules), check: async () => {}};
  for (const rules of ['lines', 'squares']) {
    const names = engine.levels(rules).map(({name}) => name);
    assert.deepEqual(names, ['beginner', 'casual', 'careful', 'strong', 'expert', 'unbeatable']);
    for (const name of names) {
      const seat = players.playerOf({who: `level:${name}`}, rules);
      const {move} = await moveFor(tools, '..../2F.A/E9../.8B3 -', seat, rules);
      assert.ok('014567CD'.includes(move), `${name}: ${move}`);
    }
  }
  // docs/experiments/exploitability.md has the proof.
  const highest = (rules) => {
    const {network, simulations, exactSquares} = engine.levels(rules).at(-1);
    return [network, simulations, exactSquares];
  };
  assert.deepEqual(highest('lines'), ['zero', 0, 11]);
  assert.deepEqual(highest('squares'), ['squares', 32, 13]);
});

test('a player without a network takes a win that is there, and its chance comes from the seed', () => {
  for (const lookahead of [0, 1, 2]) assert.equal(engine.simple('012./..../..../.... 3', lookahead, 0, 7).move, 'd1');
  const start = engine.state().position;
  const moves = [...Array(40).keys()].map((seed) => engine.simple(start, 2, 100, seed));
  assert.ok(moves.every(({by}) => by === 'chance'));
  assert.ok(new Set(moves.map(({move}) => move)).size > 8);
  assert.deepEqual(engine.simple(start, 0, 50, 5), engine.simple(start, 0, 50, 5));
  assert.throws(() => engine.simple(start, 99, 0, 1), /lookahead: 99 is not 0..6/);
  assert.throws(() => engine.simple(start, 1, 101, 1), /careless: 101 is not 0..100/);
});

test('under the rules of squares, squares win, and networks of lines are not asked', () => {
  const end = engine.state('', '0 a1 1 b1 2 a2 4 b2', 'squares');
  assert.equal(end.rules, 'squares');
  assert.equal(end.winner, 0);
  assert.deepEqual(end.lines, [{squares: [0, 1, 4, 5], shared: ['hollow']}]);
  assert.equal(engine.state('', '0 a1 1 b1 2 a2 4 b2').over, false);
  const position = '01../2.../..../.... 4';
  assert.equal(engine.solve(position, 60_000, 'squares').values[5], 1);
  assert.equal(engine.hint('uniform', position, 8, 16, 1000, 'squares').move, 'b2');
  assert.throws(() => engine.think('small', position, 0, 'squares'), /the network 'small' knows the rules 'lines', not 'squares'/);
  assert.throws(() => engine.state('', '', 'circles'), EngineError);
});

test('a hint keeps the value, and among equal moves it is the likeliest of the network', () => {
  for (const {position, value, values} of some(suite('deep'), 60)) {
    const {move, by, alike} = engine.hint('zero', position, 16, 16, 60_000);
    assert.equal(by, 'exact');
    const keeping = [...values].filter(([, v]) => v === value).map(([m]) => m);
    assert.ok(keeping.includes(move), `${position} ${move}`);
    assert.equal(alike, keeping.length);
    const {prior} = engine.think('zero', position, 0).network;
    const winning = keeping.filter((m) => m.length === 2 && engine.state(position, m).winner !== null);
    if (winning.length > 0) assert.ok(winning.includes(move), `${position} ${move}`);
    else assert.ok(keeping.every((m) => prior[indexOf(m)] <= prior[indexOf(move)] + 1e-5), `${position} ${move}`);
  }
});

test('nonsense is refused with a reason', () => {
  const reason = (start, moves) => {
    try {
      engine.state(start, moves);
    } catch (error) {
      assert.ok(error instanceof EngineError);
      return error.message;
    }
    return '';
  };
  assert.match(reason('', '0 e1'), /move 2 .*'e1' is no square/);
  assert.match(reason('', '0 a1 0'), /move 3 .*piece 0 is no longer there/);
  assert.match(reason('', '0 a1 1 a1'), /move 4 .*a1 is taken/);
  assert.match(reason('', 'x'), /move 1/);
  assert.match(reason('', '\u00e9\u0000'), /move 1/);
  assert.match(reason('', '0a11b12c14d1 5'), /the game is over/);
  assert.match(reason('what', ''), /character 1/);
  assert.match(reason('00../..../..../.... -', ''), /already/);
  for (const number of [2 ** 32 + 5, 0.5, NaN, Infinity]) {
    assert.throws(() => engine.think('small', '..../..../..../.... -', number), /not a whole number/);
  }
  assert.throws(() => engine.think('nobody', '..../..../..../.... -', 0), /no network/);
  assert.throws(() => engine.think('small', '0124/..../..../.... -', 0), EngineError);
  assert.throws(() => engine.addNetwork('broken', new Uint8Array(100)), EngineError);
  const damaged = fs.readFileSync(path.join(kPage, 'small.light'));
  damaged[5000] ^= 1;
  assert.throws(() => engine.addNetwork('damaged', damaged), /damaged/);
  assert.throws(() => engine.setBook(new Uint8Array(50)), /not an opening book/);
});
