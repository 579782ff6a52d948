import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { entries } from '../contract/entries.ts';
import { Failure } from '../contract/errors.ts';
import { type Fields, fieldsOf, plain } from '../render/fields.ts';
import type { Done, Outcome, Step, What } from './outcome.ts';
import { actionOf, doneBy, writes } from './worker.ts';

/**
 * What became of a row of which a run that was ended had sent something: what it was about to write, and now stands
 * there though this run did not write it, was written by it.
 */
export async function recovered(
  client: Client,
  main: What,
  outcome: Outcome,
  traces: readonly Step[],
): Promise<Outcome> {
  const before: Done[] = [];
  for (const step of traces) {
    if (outcome.done.some(({ what, id }) => what === step.what && (step.id === undefined || step.id === id)))
      continue;
    const record = await recordFor(client, main, outcome, step);
    const done = record && doneBy(step, record);
    if (done && JSON.stringify(done.before) !== JSON.stringify(done.after)) before.push(done);
  }
  if (before.length === 0) return outcome;
  const done = [...before, ...outcome.done];
  const isDone = outcome.action === 'same' || outcome.action === 'update';
  const steps = done.map(({ what, id, before }) => ({ what, ...(before && { id }), body: {} }));
  return { ...outcome, action: isDone ? actionOf(main, steps) : outcome.action, done };
}

/** The record that a step was about; undefined where it cannot be told. */
async function recordFor(
  client: Client,
  main: What,
  { id }: Outcome,
  step: Step,
): Promise<Fields | undefined> {
  const about = step.id ?? (step.what === main ? id : undefined);
  if (about !== undefined) return recordAt(client, step, about);
  if (id === undefined) return undefined;
  if (step.what === 'entry') return onlyEntryOf(client, step, id);
  if (step.what !== 'organization') return undefined;
  // It was made for the contact that the row is about.
  const { organization_id } = fieldsOf(await client.read(contacts.get, { contact_id: id }));
  return organization_id ? recordAt(client, step, plain(organization_id)) : undefined;
}

/** The entry of a record in the list of a step; undefined where there is none, or several. */
async function onlyEntryOf(client: Client, { list_id = '' }: Step, id: string): Promise<Fields | undefined> {
  const found: Fields[] = [];
  for await (const { records } of client.pages(entries.list, { list_id })) {
    found.push(
      ...records.map(({ value }) => fieldsOf(value)).filter(({ entryable_id }) => entryable_id === id),
    );
  }
  return found.length === 1 ? found[0] : undefined;
}

/** A record by its kind and id; undefined where there is none. */
export async function recordAt(
  client: Client,
  { what, list_id }: Pick<Step, 'what' | 'list_id'>,
  id: string,
): Promise<Fields | undefined> {
  const { get, id: name } = writes[what];
  try {
    const { value } = await client.record(get, { [name]: id, ...(list_id !== undefined && { list_id }) });
    return fieldsOf(value);
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return undefined;
    throw error;
  }
}
