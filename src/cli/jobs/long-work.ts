/** Sizes, in characters and in records, from which synchronous work takes long. */
export const longWork = { text: 1_000_000, records: 2000 } as const;

/** Lets pending signals arrive between two long pieces of work; throws the reason of an aborted signal. */
export async function yieldToSignals(signal: AbortSignal): Promise<void> {
  await new Promise((next) => setImmediate(next));
  signal.throwIfAborted();
}
