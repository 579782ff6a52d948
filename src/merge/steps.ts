import { sendWrite, type Write } from '../changes/nouns.ts';
import type { Client } from '../client/client.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';

/** A write of a merge, in the order in which they are sent. */
export interface MergeStep extends Write {
  /** The write that returns the addresses to the other contact if the service refuses this one. */
  readonly restore?: Write;
}

/** Sends the steps of a merge in order. */
export async function sendSteps(client: Client, steps: readonly MergeStep[]): Promise<void> {
  for (const step of steps) await sendStep(client, step);
}

async function sendStep(client: Client, step: MergeStep): Promise<void> {
  try {
    await sendWrite(client, step);
  } catch (error) {
    // It was deleted already: by an earlier run, or by somebody else.
    if (step.action === 'delete' && error instanceof Failure && error.code === 'not_found') return;
    if (step.restore && isRecordFailure(error) && error.code !== 'unknown')
      await sendWrite(client, step.restore);
    throw error;
  }
}
