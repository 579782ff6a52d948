import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import type { JsonObject } from '../values/json-object.ts';
import { readObject } from '../values/json-object.ts';
import { findCreated } from './check.ts';
import type { OpenJournal, StoredCommand } from './journal.ts';
import { toRouteInput } from './nouns.ts';
import { listSteps, mapIds, type UndoStep } from './steps.ts';

/** Records the steps of an undo, so that the next run continues it. */
type StepJournal = Pick<OpenJournal, 'append'>;

/**
 * Sends the steps that undo a command. Steps that an interrupted undo has sent are skipped. Returns the number of
 * requests.
 */
export async function runSteps(
  client: Client,
  command: StoredCommand,
  journal: StepJournal,
  onStep: (done: number) => void,
): Promise<number> {
  const newIds = new Map(command.newIds);
  // The step at which an earlier undo stopped may have been carried out.
  const pending = new Set(
    command.writes.flatMap(({ action, id }) => (action === 'delete' && id ? [id] : [])),
  );
  let inDoubtSince = command.startedAt;
  let sent = 0;
  for (const step of listSteps(command)) {
    if (command.undone.has(step.key)) continue;
    const mapped = mapIds(step, newIds, pending);
    const record = await sendStep(client, mapped, inDoubtSince);
    inDoubtSince = undefined;
    const to = record?.id === undefined ? undefined : String(record.id);
    const from = step.from?.id;
    if (from !== undefined && to !== undefined) newIds.set(from, to);
    journal.append({ undone: step.key, ...(from !== undefined && to !== undefined && { from, to }) });
    sent += 1;
    onStep(sent);
  }
  journal.append({ finished: true });
  return sent;
}

/** Sends a step. `since`: the step may have been carried out since this time, so a create looks for its record first. */
async function sendStep(
  client: Client,
  step: UndoStep,
  since: Date | undefined,
): Promise<JsonObject | undefined> {
  const { action, from, key, ...write } = step;
  if (action === 'create' && since) {
    const created = await findCreated(client, step, since);
    if (created) return created;
  }
  const { route, input } = toRouteInput({ ...write, action });
  try {
    const { value } = await client.record(route, input);
    if (action !== 'create') return undefined;
    if (value === null || readObject(value).id === undefined)
      throw new Failure('unknown', 'A record was created again, but the service did not return its id.');
    return readObject(value);
  } catch (error) {
    // Somebody, or an earlier undo, has deleted it already.
    if (action === 'delete' && error instanceof Failure && error.code === 'not_found') return undefined;
    throw error;
  }
}
