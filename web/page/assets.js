// Everything the engine needs, fetched beside the page, and the engines made of it.

import {Engine} from './engine.js';
import {bytesOf, kBooks, kNetworks} from './files.js';
import {Remote} from './remote.js';

// {engine: one for the page itself, player and analyst: Remotes, networks: [{name, rules, track, ...}]}
export async function loadEngines() {
  const [[wasm], books, weights] = await Promise.all(
      [['quartozero.wasm'], kBooks.map((rules) => `${rules}.book`), kNetworks.map((name) => `${name}.light`)].map(
          (names) => Promise.all(names.map(bytesOf))));
  const module = await WebAssembly.compile(wasm);
  const networks = kNetworks.map((name, i) => ({name, bytes: weights[i]}));
  const url = new URL('engine-worker.js', import.meta.url);
  const player = new Remote(url, 'player'), analyst = new Remote(url, 'analyst');
  const request = {module, networks, books};
  const [engine, infos] = await Promise.all(
      [Engine.create(module), player.ask('start', request), analyst.ask('start', request)]);
  return {engine, player, analyst, networks: infos};
}
