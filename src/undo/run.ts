import type { Client } from '../client/client.ts';
import { Failure, type FieldError } from '../contract/errors.ts';
import type { Route } from '../contract/grammar.ts';
import { nouns, toRequest } from '../records/nouns.ts';
import { isFieldContainer } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import { type CreatedSearch, findCreated, isRestored } from './check.ts';
import type { OpenJournal, StoredCommand } from './journal.ts';
import type { UndoPlan } from './plan.ts';
import { isRefusal, readResponseRecord } from './recorder.ts';
import { listSteps, mapIds, type UndoStep } from './steps.ts';

/** Records the steps of an undo, so that the next run continues it. */
type StepJournal = Pick<OpenJournal, 'append'>;

/**
 * Sends the steps that undo a command. Steps that an interrupted undo has sent are skipped. Returns why
 * values and related records could not be restored, such as references to records that no longer exist.
 */
export async function runSteps(
  client: Client,
  { command, skipped }: Pick<UndoPlan, 'command' | 'skipped'>,
  journal: StepJournal,
  onStep: (done: number) => void,
): Promise<readonly string[]> {
  const newIds = new Map(command.newIds);
  const pending = new Set(
    command.writes.flatMap(({ action, id }) => (action === 'delete' && id ? [id] : [])),
  );
  const skippedKeys = new Set(skipped.map(({ key }) => key));
  // The step at which an earlier undo stopped may have been carried out.
  let inDoubtSince = command.isInDoubt ? command.startedAt : undefined;
  const losses = new Set<string>();
  let done = 0;
  for (const step of listSteps(command)) {
    if (command.undone.has(step.key) || skippedKeys.has(step.key)) continue;
    const mapped = mapIds(step, newIds, pending);
    const restored =
      inDoubtSince && (await findRestored(client, command, mapped, { since: inDoubtSince, newIds }));
    const { record, lost = [] } = restored ? { record: restored } : await sendStep(client, mapped, journal);
    inDoubtSince = undefined;
    for (const reason of lost) losses.add(reason);
    const to = record?.id === undefined ? undefined : String(record.id);
    const from = step.from?.id;
    if (from !== undefined && to !== undefined) newIds.set(from, to);
    journal.append({ undone: step.key, ...(from !== undefined && to !== undefined && { from, to }) });
    done += 1;
    onStep(done);
  }
  journal.append({ finished: true });
  return [...losses];
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

/** The result of a step: the record that it created, and why values were not restored. */
interface StepResult {
  readonly record?: JsonObject;
  readonly lost?: readonly string[];
}

async function sendStep(client: Client, step: UndoStep, journal: StepJournal): Promise<StepResult> {
  const { what, action, key, isRelated } = step;
  try {
    const response = await client.send(toRequest(step));
    if (action !== 'create') return {};
    const record = readResponseRecord(step, response);
    if (!record)
      throw new Failure('unknown', 'A record was created again, but the service did not return its id.');
    const { existingStatus }: Route = nouns[what].create;
    if (existingStatus === response.status && !isRestored(step, record))
      throw new Failure('invalid', `The entry is not restored: its list has the entry ${record.id} instead.`);
    return { record };
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') {
      // Somebody, or an earlier undo, has deleted it already.
      if (action === 'delete') return {};
      if (isRelated) return { lost: [error.message] };
    }
    const { body, reasons } = omitRefused(step.body, error);
    if (reasons.length > 0) {
      const isNeeded = action === 'create' || Object.keys(body).length > 0;
      const result = isNeeded ? await sendStep(client, { ...step, body }, journal) : {};
      return { ...result, lost: [...reasons, ...(result.lost ?? [])] };
    }
    if (isRefusal(error)) journal.append({ stopped: key });
    throw error;
  }
}

/**
 * Returns a body without references to deleted records and values of defined fields that the service refused, such as a
 * removed option. Returns no reasons if it refused something else.
 */
function omitRefused(body: JsonObject, error: unknown) {
  const { fieldErrors = [] } = error instanceof Failure && error.code === 'invalid' ? error.detail : {};
  const find = (pointer: string, isRefused: (code: string) => boolean = () => true) =>
    fieldErrors.filter((one) => `${one.pointer}/`.startsWith(`${pointer}/`) && isRefused(one.code));
  const refused: FieldError[] = [];
  const omit = (errors: readonly FieldError[]) => {
    refused.push(...errors);
    return errors.length > 0;
  };
  const kept = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (['contact_id', 'organization_id'].includes(name))
      return omit(find(`#/${name}`, (code) => code === 'not_found')) ? [] : [[name, value]];
    if (!isFieldContainer(name) || !Array.isArray(value)) return [[name, value]];
    const items = value.filter((_, index) => !omit(find(`#/${name}/${index}`)));
    return items.length > 0 ? [[name, items]] : [];
  });
  return { body: Object.fromEntries(kept), reasons: refused.map(({ message }) => message) };
}
