// A worker with an engine of its own. The page has two: one moves for the players, one analyses, so that neither waits
// for the other.
//
// A request is {id, kind, ...}; its further fields are the parameters of its kind in `kinds` below. {id, kind: 'cancel'}
// cancels the request of this id. Each is answered, in order, by {id, kind: 'done', result}, {id, kind: 'error', message}
// or {id, kind: 'cancelled'}, some by {id, kind: 'partial', result} before that.
//
// A worker does one task at a time. A running WebAssembly call cannot be interrupted, so whatever may take long is cut
// into slices of a fraction of a second; between two slices messages are read, and a cancelled task ends.

import {Engine} from './engine.js';
import {hintFor, moveFor} from './player.js';

const kSliceMs = 150;
const kDistancesMs = 5000;  // for the distances of a position's moves, at most

let engine = null;
const cancelled = new Set();
let tasks = Promise.resolve();

// Lets waiting messages in. A message to oneself, because timers are held back in pages that are not in front.
function breathe() {
  return new Promise((resolve) => {
    const {port1, port2} = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

class Cancelled extends Error {}

// What a task may use: the engine, and a solve() that goes on until all moves are solved or the time is up.
function toolsFor(id) {
  const check = async () => {
    await breathe();
    if (cancelled.has(id)) throw new Cancelled();
  };
  const partial = (result) => postMessage({id, kind: 'partial', result});
  const solve = async (position, seconds, rules, onProgress = () => {}) => {
    const start = performance.now();
    for (;;) {
      await check();
      const solution = engine.solve(position, kSliceMs, rules);
      solution.seconds = (performance.now() - start) / 1000;
      if (solution.complete || solution.seconds >= seconds) return solution;
      onProgress(solution);
    }
  };
  // Of the position that was solved last.
  const distances = async (position, rules) => {
    const start = performance.now();
    for (;;) {
      await check();
      const found = engine.distances(position, kSliceMs, rules);
      if (found.complete || performance.now() - start >= kDistancesMs) return found;
    }
  };
  return {engine, solve, distances, check, partial};
}

const kinds = {
  async start({module, networks, books}) {
    engine = await Engine.create(module);
    for (const book of books) engine.setBook(book);
    return networks.map(({name, bytes}) => engine.addNetwork(name, bytes));
  },

  // One more network, or another one under a name that there was.
  async add({name, bytes}) {
    return engine.addNetwork(name, bytes);
  },

  async move({position, rules, seat}, tools) {
    await tools.check();
    return moveFor(tools, position, seat, rules);
  },

  async hint({position, rules, seat}, tools) {
    await tools.check();
    return hintFor(tools, position, seat, rules);
  },

  // The network's opinion at once, then exact values as they are found, then what its search says, and then, if so asked,
  // how far the end is: {..., exact: solution with `placements` and `best`}.
  async analyse({position, rules, network, simulations, seconds, placements: far}, tools) {
    await tools.check();
    const result = {opinion: engine.think(network, position, 0, rules), search: null, exact: null};
    tools.partial(result);
    if (seconds > 0) {
      result.exact = await tools.solve(position, seconds, rules, (exact) => tools.partial({...result, exact}));
      tools.partial(result);
    }
    await tools.check();
    if (simulations > 0) result.search = engine.think(network, position, simulations, rules);
    if (far && result.exact?.complete) {
      tools.partial(result);
      const {placements, best} = await tools.distances(position, rules);
      result.exact = {...result.exact, placements, best};
    }
    return result;
  },
};

async function run({id, kind, ...request}) {
  try {
    postMessage({id, kind: 'done', result: await kinds[kind](request, toolsFor(id))});
  } catch (error) {
    if (error instanceof Cancelled) postMessage({id, kind: 'cancelled'});
    else postMessage({id, kind: 'error', message: String(error?.message ?? error)});
  } finally {
    cancelled.delete(id);
  }
}

onmessage = ({data}) => {
  if (data.kind === 'cancel') cancelled.add(data.id);
  else tasks = tasks.then(() => run(data));
};
