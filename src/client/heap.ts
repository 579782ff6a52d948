/** Lists that want the heap small: the flag is one for the whole process. */
let wanted = 0;

/**
 * Leaves the room for new objects as it is, until what it gives is called. The engine else doubles it again and again
 * while much is made and dropped, so that a list would take more memory the longer it is. Code that is kept compiled
 * at the end is taken only under the flags that it was kept under.
 */
export async function keepHeapSmall(): Promise<() => void> {
  const { setFlagsFromString } = await import('node:v8'); // which takes 3 ms, and few lists are long
  wanted += 1;
  setFlagsFromString('--semi-space-growth-factor=1');
  return () => {
    wanted -= 1;
    if (wanted === 0) setFlagsFromString('--semi-space-growth-factor=2');
  };
}
