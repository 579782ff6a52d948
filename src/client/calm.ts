import { setFlagsFromString } from 'node:v8';

/**
 * When the engine of Node 20 compiles WebAssembly anew. What undici loads for its first answer keeps the flag of that
 * time; the usual one is set again after it, for code that was kept compiled is taken only under the flags it had.
 */
const tiering = { usual: '--wasm-tiering-budget=1800000', late: '--wasm-tiering-budget=2000000000' };

/** Does work with the late flag until some of it is done. */
export function calmFirst() {
  let isDone = false;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDone) return work();
    setFlagsFromString(tiering.late);
    try {
      const result = await work();
      isDone = true;
      return result;
    } finally {
      setFlagsFromString(tiering.usual);
    }
  };
}
