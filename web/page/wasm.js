// Makes an engine (web/exports.cpp) out of the bytes of quartozero.wasm. It is handed the bytes and asks for nothing, so it
// runs in pages, in workers and in node alike. See engine.js for what the engine can do.

// What the C++ library asks of its host, and where: a clock, an empty environment, an end that never comes.
function host(memory) {
  const view = () => new DataView(memory().buffer);
  return {
    clock_time_get(_id, _precision, out) {
      view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    proc_exit(code) {
      throw new Error(`the engine stopped with code ${code}`);
    },
  };
}

export async function instantiate(module) {
  let exports = null;
  const instance = await WebAssembly.instantiate(module, {
    env: {emscripten_notify_memory_growth() {}},
    wasi_snapshot_preview1: host(() => exports.memory),
  });
  exports = instance.exports;
  exports._initialize();
  return exports;
}

// Calls a function of exports.cpp: texts and bytes are copied in (as address and length), numbers are whole and have
// 32 bits, and the answer is the JSON it returns. Throws EngineError if the engine had something to object.
export class EngineError extends Error {}

export function call(exports, name, ...args) {
  const taken = [];
  const passed = (arg) => {
    if (typeof arg === 'number') {
      // WebAssembly would take another number for it.
      if (!Number.isInteger(arg) || arg < -(2 ** 31) || arg >= 2 ** 32)
        throw new EngineError(`${arg} is not a whole number of 32 bits`);
      return [arg];
    }
    const bytes = typeof arg === 'string' ? new TextEncoder().encode(arg) : arg;
    const at = exports.quartozero_allocate(Math.max(1, bytes.length));
    if (at === 0) throw new EngineError('no memory left for the engine');
    taken.push(at);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    return [at, bytes.length];
  };
  let answer;
  try {
    const at = exports[name](...args.flatMap(passed));
    const all = new Uint8Array(exports.memory.buffer);
    answer = JSON.parse(new TextDecoder().decode(all.subarray(at, all.indexOf(0, at))));
  } finally {
    for (const at of taken) exports.quartozero_free(at);
  }
  if (answer.error !== undefined) throw new EngineError(answer.error);
  return answer;
}
