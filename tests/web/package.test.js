// The npm package, packed, installed into a fresh folder, and used from there.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {kPage, kRoot} from './positions.js';

let folder;

function run(command, ...args) {
  const done = spawnSync(command, args, {cwd: folder, encoding: 'utf8'});
  assert.equal(done.status, 0, `${command} ${args.join(' ')}\n${done.stdout}${done.stderr}`);
  return done.stdout;
}

before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'quartozero-npm-'));
  const file = run(path.join(kRoot, 'scripts', 'npm-package.sh'), kPage, folder).trim();
  fs.writeFileSync(path.join(folder, 'package.json'), '{"private": true, "type": "module"}');
  run('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', path.join(folder, file));
});
after(() => fs.rmSync(folder, {recursive: true, force: true}));

test('plays a whole game and solves a position', () => {
  fs.writeFileSync(path.join(folder, 'play.js'), `
    import {load, networks, EngineError} from 'quartozero';
    const engine = await load({networks: ['zero']});
    let moves = '';
    while (!engine.state('', moves).over) moves += ' ' + engine.choose('zero', engine.state('', moves).position, 8, 5, 0).move;
    let refused = '';
    try { await load({networks: ['nobody']}); } catch (e) { refused = e instanceof EngineError ? e.message : 'wrong'; }
    console.log(JSON.stringify({moves, over: engine.state('', moves).over, networks, refused,
                                values: engine.solve('..../2F.A/E9../.8B3 -', 60000).values}));`);
  const found = JSON.parse(run('node', 'play.js'));
  assert.equal(found.over, true);
  assert.ok(found.moves.trim().split(' ').length > 7, found.moves);
  const n = null;
  assert.deepEqual(found.values, [-1, -1, n, n, 0, 0, -1, -1, n, n, n, n, -1, -1, n, n]);
  assert.match(found.refused, /no network 'nobody': there are zero, distilled, small, squares/);
});

// State's fields in the declarations, {name: type}, against those of a state: numbers, texts, lists of them.
test('declares the state that it gives', () => {
  const declarations = fs.readFileSync(path.join(folder, 'node_modules', 'quartozero', 'index.d.ts'), 'utf8');
  const [, fields] = /interface State \{\n(.*?)\n\}/s.exec(declarations);
  const declared = Object.fromEntries([...fields.matchAll(/^ {2}(\w+): (.*);$/gm)].map(([, name, type]) => [name, type]));
  fs.writeFileSync(path.join(folder, 'state.js'), `
    import {load} from 'quartozero';
    const engine = await load({networks: []});
    console.log(JSON.stringify([engine.state('', '0 a1 7'), engine.state('012./..../..../.... 3', 'd1')]));`);
  const [going, won] = JSON.parse(run('node', 'state.js'));
  assert.deepEqual(Object.keys(declared).sort(), Object.keys(going).sort());
  const shown = {
    rules: 'Rules', phase: "'place' | 'give'", player: '0 | 1', over: 'boolean', winner: '0 | 1 | null', moves: 'Move[]',
  };
  for (const [name, type] of Object.entries(declared)) {
    if (name in shown) {
      assert.equal(type, shown[name], name);
      continue;
    }
    const value = name === 'lines' ? won.lines[0].squares : going[name];
    const one = Array.isArray(value) ? value.find((v) => v !== null) : value;
    assert.ok(type.includes(typeof one), `${name}: ${type} is declared, ${JSON.stringify(value)} is given`);
  }
});

test('holds what it needs and nothing else', () => {
  const installed = fs.readdirSync(path.join(folder, 'node_modules', 'quartozero')).sort();
  assert.deepEqual(installed, ['LICENSE', 'NOTICES.md', 'README.md', 'distilled.light', 'engine.js', 'files.js', 'index.d.ts', 'index.js',
                               'lines.book', 'package.json', 'quartozero.wasm', 'small.light', 'squares.book', 'squares.light', 'wasm.js', 'zero.light']);
  const info = JSON.parse(fs.readFileSync(path.join(folder, 'node_modules', 'quartozero', 'package.json')));
  const version = /project\(quartozero VERSION ([0-9.]+)/.exec(fs.readFileSync(path.join(kRoot, 'CMakeLists.txt'), 'utf8'))[1];
  assert.equal(info.version, version);
  assert.equal(info.license, 'MIT');
});
