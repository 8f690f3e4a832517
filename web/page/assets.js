// Everything the engine needs, fetched beside the page, and the engines made of it.

import {Engine} from './engine.js';
import {Remote} from './remote.js';

export const kNetworks = ['zero', 'distilled', 'demo'];

async function bytesOf(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name} could not be loaded (${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}

// {rules: an engine for the page itself, player and analyst: Remotes, networks: [{name, track, ...}]}
export async function loadEngines() {
  const [wasm, book, ...weights] = await Promise.all(
      ['quartozero.wasm', 'lines.book', ...kNetworks.map((name) => `${name}.light`)].map(bytesOf));
  const module = await WebAssembly.compile(wasm);
  const networks = kNetworks.map((name, i) => ({name, bytes: weights[i]}));
  const url = new URL('engine-worker.js', import.meta.url);
  const player = new Remote(url, 'player'), analyst = new Remote(url, 'analyst');
  const request = {module, networks, book};
  const [rules, infos] = await Promise.all(
      [Engine.create(module), player.ask('start', request), analyst.ask('start', request)]);
  return {rules, player, analyst, networks: infos};
}
