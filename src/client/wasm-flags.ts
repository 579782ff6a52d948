import { setFlagsFromString } from 'node:v8';

/**
 * Whether the engine compiles WebAssembly a second time, in the background, to make it faster: Node 20 waits for that
 * at its end, up to 90 ms, and it takes 40 MB. What undici loads for its first answer keeps the flags of that time;
 * the usual ones are set again after it, for code that was kept compiled is taken only under the flags it had.
 */
const tiering = {
  once: ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up'],
  usual: ['--wasm-dynamic-tiering', '--wasm-tier-up'],
};

/** Does work with WebAssembly compiled once, until some of it is done. */
export function createTieringGuard() {
  let isDone = false;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDone) return work();
    for (const flag of tiering.once) setFlagsFromString(flag);
    try {
      const result = await work();
      isDone = true;
      return result;
    } finally {
      for (const flag of tiering.usual) setFlagsFromString(flag);
    }
  };
}
