/**
 * Leaves the room for new objects as it is. The engine else doubles it again and again while much is made and dropped,
 * so that a list would take more memory the longer it is.
 */
export async function keepHeapSmall(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8'); // which takes 3 ms, and few lists are long
  setFlagsFromString('--semi-space-growth-factor=1');
  // Code is kept compiled at the end, and taken only under the flags it had.
  process.prependOnceListener('exit', () => setFlagsFromString('--semi-space-growth-factor=2'));
}
