import { setFlagsFromString } from 'node:v8';

/**
 * Leaves the room for new objects as it is. The engine else doubles it again and again while much is made and dropped,
 * so that a list would take more memory the longer it is.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
