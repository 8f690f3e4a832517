// The package `quartozero`: an engine with its networks and opening books, in node and in browsers.

import {Engine, EngineError} from './engine.js';
import {bytesOf, kBooks, kNetworks} from './files.js';

export {Engine, EngineError};
export const networks = Object.freeze([...kNetworks]);

let compiled = null;

// Each engine has memory of its own; the compiled module is shared.
export async function load({networks: wanted = kNetworks, book = true} = {}) {
  for (const name of wanted) {
    if (!kNetworks.includes(name)) throw new EngineError(`no network '${name}': there are ${kNetworks.join(', ')}`);
  }
  compiled ??= bytesOf('quartozero.wasm').then((bytes) => WebAssembly.compile(bytes));
  compiled.catch(() => { compiled = null; });  // the next call tries again
  const engine = await Engine.create(await compiled);
  await Promise.all(wanted.map(async (name) => engine.addNetwork(name, await bytesOf(`${name}.light`))));
  if (book) for (const rules of kBooks) engine.setBook(await bytesOf(`${rules}.book`));
  return engine;
}
