import { Failure } from '../../contract/errors.ts';
import type { Part } from '../../render/screens/relationship.ts';

/** Returns a part of a screen, or its failure. The signal ends the command. */
export async function readPart<T>(signal: AbortSignal, load: () => Promise<T>): Promise<Part<T>> {
  try {
    return await load();
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    return error;
  }
}
