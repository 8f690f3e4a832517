// The engine as WebAssembly, in node: the same answers as the suites and as the same sources compiled for this machine.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {before, test} from 'node:test';

import {Engine, EngineError} from '../../web/page/engine.js';
import {moveFor} from '../../web/page/player.js';
import {playerOf} from '../../web/page/seats.js';
import {indexOf, kNative, kNetworks, kPage, kRoot, some, suite} from './positions.js';

let engine;

before(async () => {
  engine = await Engine.create(new WebAssembly.Module(fs.readFileSync(path.join(kPage, 'quartozero.wasm'))));
  engine.setBook(fs.readFileSync(path.join(kPage, 'lines.book')));
  for (const name of kNetworks) engine.addNetwork(name, fs.readFileSync(path.join(kPage, `${name}.light`)));
});

function native(questions) {
  const lines = kNetworks.map((name) => `network ${name} ${path.join(kRoot, 'checkpoints', name, 'model.light')}`);
  const run = spawnSync(kNative, {input: [...lines, ...questions, ''].join('\n'), encoding: 'utf8', maxBuffer: 1 << 28});
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.trim().split('\n').map((line) => JSON.parse(line)).slice(lines.length);
}

for (const name of ['deep', 'decisive']) {
  test(`solves the positions of the suite '${name}' as the suite does`, () => {
    const positions = some(suite(name), 400);
    assert.equal(positions.length, 400);
    for (const {position, value, values} of positions) {
      const solution = engine.solve(position, 60_000);
      assert.equal(solution.value, value, position);
      for (const [move, v] of values) assert.equal(solution.values[indexOf(move)], v, `${position} ${move}`);
    }
  });
}

test('networks have the opinions that they have outside of WebAssembly', () => {
  const positions = some(suite('decisive'), 200).map((entry) => entry.position);
  for (const name of kNetworks) {
    const expected = native(positions.map((position) => `think ${name} 0 ${position}`));
    let largest = 0;
    positions.forEach((position, i) => {
      const {network, best} = engine.think(name, position, 0);
      const other = expected[i].network;
      const pairs = [...network.prior.map((p, m) => [p, other.prior[m]]),
                     [network.win, other.win], [network.draw, other.draw], [network.loss, other.loss]];
      const difference = Math.max(...pairs.map(([a, b]) => Math.abs(a - b)));
      largest = Math.max(largest, difference);
      assert.ok(difference < 1e-4, `${name} ${position}: ${difference}`);
      // Two moves may be alike up to the last bits.
      const gap = other.prior[indexOf(expected[i].best)] - other.prior[indexOf(best)];
      assert.ok(gap < 1e-4, `${name} ${position}: ${best} instead of ${expected[i].best}`);
    });
    console.log(`${name}: largest difference ${largest.toExponential(1)} on ${positions.length} positions`);
  }
});

test('a search with 32 simulations chooses as it does outside of WebAssembly', () => {
  const positions = some(suite('deep'), 150).map((entry) => entry.position);
  const expected = native(positions.map((position) => `think distilled 32 ${position}`));
  const same = positions.filter((position, i) => engine.think('distilled', position, 32).best === expected[i].best);
  // Sums of floats are grouped differently, so a tie may fall differently once in a while.
  assert.ok(same.length >= positions.length - 2, `${same.length} of ${positions.length}`);
});

test('tools that choose: exact endgames and the perfect player keep the value', async () => {
  const tools = {engine, solve: async (position) => engine.solve(position, 60_000), check: async () => {}};
  for (const seat of [{who: 'demo', simulations: 0, exact: true}, {who: 'perfect', simulations: 0, exact: false}]) {
    for (const {position, value, values} of some(suite('deep'), 100)) {
      const {move, exact} = await moveFor(tools, position, playerOf(seat));
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
    const run = spawnSync(program, [path.join(kRoot, 'checkpoints/demo/model.light')],
                          {input, encoding: 'utf8', maxBuffer: 1 << 28});
    assert.equal(run.status, 0, run.stderr);
    const expected = [...run.stdout.matchAll(/^bestmove (\w+)$/gm)].map((match) => match[1]);
    assert.equal(expected.length, positions.length);
    const seat = {network: 'demo', simulations, exactSquares: 8, exactSeconds: 60};
    const chosen = [];
    for (const position of positions) chosen.push((await moveFor(tools, position, seat)).move);
    const other = positions.filter((_, i) => chosen[i] !== expected[i]);
    // Sums of floats are grouped differently in WebAssembly, so a tie may fall differently once in a while.
    assert.ok(other.length <= 1, `${simulations}: ${other}`);
  }
});

test('the perfect player knows the opening by heart', async () => {
  const tools = {engine, solve: async (position) => engine.solve(position, 1), check: async () => {}};
  const start = engine.state().position;
  assert.ok((await moveFor(tools, start, playerOf({who: 'perfect'}))).exact);
});

test('a game is told with its lines', () => {
  const end = engine.state('', '0 a1 1 b1 2, c1\n4d1');
  assert.equal(end.over, true);
  assert.equal(end.winner, 0);
  assert.deepEqual(end.lines, [{squares: [0, 1, 2, 3], shared: ['hollow']}]);
  assert.deepEqual(end.legal, []);
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
  assert.throws(() => engine.think('nobody', '..../..../..../.... -', 0), /no network/);
  assert.throws(() => engine.think('demo', '0124/..../..../.... -', 0), EngineError);
  assert.throws(() => engine.addNetwork('broken', new Uint8Array(100)), EngineError);
  const damaged = fs.readFileSync(path.join(kPage, 'demo.light'));
  damaged[5000] ^= 1;
  assert.throws(() => engine.addNetwork('damaged', damaged), /damaged/);
  assert.throws(() => engine.setBook(new Uint8Array(50)), /not an opening book/);
});
