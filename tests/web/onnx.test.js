// An exported network in ONNX Runtime in the browser: the logits of ONNX Runtime in node, where that is installed
// (scripts/onnx), and the opinions of the light player, which shares no line with either.
//
// QUARTOZERO names the command that exports (default build/quartozero); without one these tests are skipped.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {Engine} from '../../web/page/engine.js';
import {finish, startBrowser} from './browser.js';
import {kNative, kPage, kRoot, some, suite} from './positions.js';
import {serve} from './server.js';

const kNetwork = 'small';
const kQuartozero = path.resolve(process.env.QUARTOZERO ?? path.join(kRoot, 'build/quartozero'));
const kHere = path.join(kRoot, 'tests/web');
const skip = !fs.existsSync(kQuartozero) && `there is no ${kQuartozero} to export a network with`;
const kNodeRuntime = path.join(kRoot, 'scripts/onnx/node_modules/onnxruntime-node');

let browser, folder, positions, input, rows;  // input: the file that holds that of all positions

function run(program, args, input) {
  const done = spawnSync(program, args, {input, encoding: 'utf8', maxBuffer: 1 << 28});
  assert.equal(done.status, 0, `${program}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}
// The answers of the native engine, which has the network.
function native(lines) {
  const network = `network ${kNetwork} ${path.join(kRoot, 'checkpoints', kNetwork, 'model.light')}`;
  return run(kNative, [], [network, ...lines, ''].join('\n')).trim().split('\n').slice(1).map((line) => JSON.parse(line));
}

before(async () => {
  if (skip) return;
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'quartozero-onnx-'));
  const model = path.join(folder, 'model.onnx');
  run(kQuartozero, ['export', path.join(kRoot, 'checkpoints', kNetwork), '--onnx', model, '--no-check']);
  positions = some(suite('decisive'), 100).map((entry) => entry.position);
  input = path.join(folder, 'input');
  const engine = await Engine.create(new WebAssembly.Module(fs.readFileSync(path.join(kPage, 'quartozero.wasm'))));
  fs.writeFileSync(input, Buffer.concat(positions.map((position) => Buffer.from(engine.counts(position).buffer))));

  browser = await startBrowser(await serve({'': kHere, ort: path.join(kHere, 'node_modules/onnxruntime-web/dist')}));
  const page = await browser.open('desktop', 'onnx.html');
  await page.route('**/model.onnx', (route) => route.fulfill({path: model}));
  await page.route('**/input', (route) => route.fulfill({path: input}));
  rows = await page.evaluate((count) => window.evaluate(count), positions.length);
  await finish(page);
});
after(async () => {
  await browser?.close();  // one that stays open keeps node from ending
  if (folder) fs.rmSync(folder, {recursive: true});
});

test('evaluates as ONNX Runtime does in node', {
  skip: skip || (!fs.existsSync(kNodeRuntime) && 'onnxruntime-node is not installed'),
}, () => {
  const output = path.join(folder, 'logits');
  const script = path.join(kRoot, 'scripts/onnx/check.js');
  run(process.execPath, [script, path.join(folder, 'model.onnx'), input, output, String(positions.length)]);
  const bytes = fs.readFileSync(output);
  const expected = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const actual = rows.flat();
  assert.equal(actual.length, expected.length);
  const largest = actual.reduce((most, x, i) => Math.max(most, Math.abs(x - expected[i])), 0);
  console.log(`largest difference of ${actual.length} logits: ${largest.toExponential(1)}`);
  assert.ok(largest < 1e-3, `${largest}`);
});

function softmax(logits) {
  const most = Math.max(...logits);
  const powers = logits.map((x) => Math.exp(x - most));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((x) => x / sum);
}

test('has the opinions of the light player', {skip}, () => {
  const light = native(positions.map((position) => `think ${kNetwork} lines 0 ${position}`));
  const differences = [];
  positions.forEach((position, i) => {
    const {network, moves} = light[i];
    const head = position.endsWith('-') ? rows[i].slice(16, 32) : rows[i].slice(0, 16);
    const prior = softmax(moves.map((m) => head[m.index]));
    const outcome = softmax(rows[i].slice(32));
    differences.push(
      ...moves.map((m, k) => prior[k] - network.prior[m.index]),
      outcome[0] - network.win,
      outcome[1] - network.draw,
      outcome[2] - network.loss,
    );
  });
  const sizes = differences.map(Math.abs);
  const largest = Math.max(...sizes);
  const mean = sizes.reduce((a, b) => a + b) / sizes.length;
  console.log(`differences of probabilities: largest ${largest.toExponential(1)}, mean ${mean.toExponential(1)}`);
  // The light player computes in integers.
  assert.ok(mean < 0.01 && largest < 0.2, `${mean} ${largest}`);
});
