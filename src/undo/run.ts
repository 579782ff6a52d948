import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import type { JsonObject } from '../values/json-object.ts';
import { readObject } from '../values/json-object.ts';
import { type CreatedSearch, findCreated, isRestored } from './check.ts';
import type { OpenJournal, StoredCommand } from './journal.ts';
import { toRouteInput } from './nouns.ts';
import type { UndoPlan } from './plan.ts';
import { isRefusal } from './recorder.ts';
import { listSteps, mapIds, type UndoStep } from './steps.ts';

/** Records the steps of an undo, so that the next run continues it. */
type StepJournal = Pick<OpenJournal, 'append'>;

/**
 * Sends the steps that undo a command. Steps that an interrupted undo has sent are skipped. Returns the number of
 * related records and references that could not be restored, because what they refer to no longer exists.
 */
export async function runSteps(
  client: Client,
  { command, skipped }: Pick<UndoPlan, 'command' | 'skipped'>,
  journal: StepJournal,
  onStep: (done: number) => void,
): Promise<number> {
  const newIds = new Map(command.newIds);
  // The step at which an earlier undo stopped may have been carried out.
  const pending = new Set(
    command.writes.flatMap(({ action, id }) => (action === 'delete' && id ? [id] : [])),
  );
  const skippedKeys = new Set(skipped.map(({ key }) => key));
  let inDoubtSince = command.isInDoubt ? command.startedAt : undefined;
  let [sent, lost] = [0, 0];
  for (const step of listSteps(command)) {
    if (command.undone.has(step.key) || skippedKeys.has(step.key)) continue;
    const mapped = mapIds(step, newIds, pending);
    const restored =
      inDoubtSince && (await findRestored(client, command, mapped, { since: inDoubtSince, newIds }));
    const { record, isLost } = restored ? { record: restored } : await sendStep(client, mapped, journal);
    inDoubtSince = undefined;
    if (isLost) lost += 1;
    const to = record?.id === undefined ? undefined : String(record.id);
    const from = step.from?.id;
    if (from !== undefined && to !== undefined) newIds.set(from, to);
    journal.append({ undone: step.key, ...(from !== undefined && to !== undefined && { from, to }) });
    sent += 1;
    onStep(sent);
  }
  journal.append({ finished: true });
  return lost;
}

/** Finds the record of a step that an interrupted undo may have carried out. */
async function findRestored(
  client: Client,
  command: StoredCommand,
  step: UndoStep,
  { since, newIds }: Pick<CreatedSearch, 'since'> & { readonly newIds: ReadonlyMap<string, string> },
): Promise<JsonObject | undefined> {
  if (step.action !== 'create') return undefined;
  const known = new Set([...command.listKnownIds(), ...newIds.values()]);
  return findCreated(client, step, { since, known, isMatch: (record) => isRestored(step, record) });
}

/** The result of a step: the record that it created, and whether something that it refers to no longer exists. */
interface StepResult {
  readonly record?: JsonObject;
  readonly isLost?: boolean;
}

async function sendStep(client: Client, step: UndoStep, journal: StepJournal): Promise<StepResult> {
  const { action, from, key, isRelated, ...write } = step;
  const { route, input } = toRouteInput({ ...write, action });
  try {
    const { value } = await client.record(route, input);
    if (action !== 'create') return {};
    if (value === null || readObject(value).id === undefined)
      throw new Failure('unknown', 'A record was created again, but the service did not return its id.');
    return { record: readObject(value) };
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') {
      // Somebody, or an earlier undo, has deleted it already.
      if (action === 'delete') return {};
      if (isRelated) return { isLost: true };
    }
    const body = action === 'create' ? omitMissingReferences(step.body, error) : undefined;
    if (body) return { ...(await sendStep(client, { ...step, body }, journal)), isLost: true };
    if (isRefusal(error)) journal.append({ stopped: key });
    throw error;
  }
}

/** Returns a body without the references that the service refused; undefined if it refused something else. */
function omitMissingReferences(body: JsonObject, error: unknown): JsonObject | undefined {
  const { fieldErrors = [] } = error instanceof Failure ? error.detail : {};
  const isMissing = (name: string) =>
    fieldErrors.some(({ pointer, code }) => pointer === `#/${name}` && code === 'not_found');
  const rest = Object.entries(body).filter(
    ([name]) => !(['contact_id', 'organization_id'].includes(name) && isMissing(name)),
  );
  return rest.length < Object.keys(body).length ? Object.fromEntries(rest) : undefined;
}
