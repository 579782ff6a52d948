/**
 * Leaves the room for new objects as it is, until a signal is given. The engine else doubles it again and again while
 * much is made and dropped, so that a list would take more memory the longer it is. At the end it is to be as it was:
 * code that is kept compiled is taken only under the flags that it was kept under.
 */
export async function keepHeapSmall(until: AbortSignal): Promise<void> {
  const { setFlagsFromString } = await import('node:v8'); // which takes 3 ms, and few lists are long
  if (until.aborted) return;
  setFlagsFromString('--semi-space-growth-factor=1');
  until.addEventListener('abort', () => setFlagsFromString('--semi-space-growth-factor=2'), { once: true });
}
