/** Characters of a text, and records, with which work in one piece takes long. */
export const longWork = { text: 1_000_000, records: 2000 } as const;

/** Between two such works: a signal that came meanwhile is heard. Throws its reason. */
export async function yieldToSignals(signal: AbortSignal): Promise<void> {
  await new Promise((next) => setImmediate(next));
  signal.throwIfAborted();
}
