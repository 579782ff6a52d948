import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { organizations } from '../contract/organizations.ts';
import { type Fields, fieldsOf, plain } from '../render/fields.ts';
import { readTexts } from '../values/field-values.ts';
import { builtOn, type Part } from './built-on.ts';
import type { Done } from './outcome.ts';
import { recordAt } from './recovery.ts';
import { lasting, valuesLike } from './values.ts';
import { writes } from './worker.ts';

/** What became of a step that was to be undone; `changed` with the reason why it was left alone. */
export type Undone =
  | { readonly became: 'undone' | 'already' }
  | { readonly became: 'changed'; readonly why: string };

/** Takes back the steps of an import, one after the other. */
export type Undo = (done: Done) => Promise<Undone>;

const undone = { became: 'undone' } as const;
const already = { became: 'already' } as const;
const changed = { became: 'changed', why: 'was changed since' } as const;

/**
 * Puts back what a step of an import has done: deletes the record that it made, or gives a changed one the values
 * that it had. `changed`: the record is not as the import left it, or somebody has built on it, and it is left alone.
 * With `isRehearsal` nothing is sent. `made`: the ids of the records that the import made.
 */
export function undoing(client: Client, made: ReadonlySet<string>, isRehearsal: boolean): Undo {
  /** Records as a rehearsal would have left them: one may have been written several times. */
  const rehearsed = new Map<string, Fields>();
  const gone = new Set<string>();
  const belonging = builtOn(client, made, (contact) => rehearsed.get(nameOf('contact', contact)) ?? contact);
  const deleted = async (done: Done, record: Fields): Promise<Undone> => {
    if (!isSame(done.after, lasting(record))) return changed;
    const part = (await belonging(done)).find((one) => !gone.has(nameOf(one.what, one)));
    if (part) return { became: 'changed', why: `has the ${part.what} ${part.id} now` };
    if (!isRehearsal) await client.record(writes[done.what].delete, pathOf(done));
    return undone;
  };
  return async (done) => {
    const name = nameOf(done.what, done);
    const record = rehearsed.get(name) ?? (await recordAt(client, done, done.id));
    if (!record) {
      gone.add(name);
      return already;
    }
    if (!done.before) {
      const outcome = await deleted(done, record);
      if (outcome === undone) gone.add(name);
      return outcome;
    }
    const there = valuesLike(done.before, record);
    if (isSame(there, done.before)) return already;
    if (!isSame(there, done.after)) return changed;
    if (isRehearsal) rehearsed.set(name, withBefore(record, done.before));
    else await putBack(client, done, done.before);
    return undone;
  };
}

const nameOf = (what: Part['what'] | Done['what'], { id }: { readonly id?: unknown }) =>
  `${what} ${plain(id)}`;

/** A record with the values that it had. */
function withBefore(record: Fields, before: Fields): Fields {
  const { custom_fields, list_fields, assignee_email, ...own } = before;
  return {
    ...record,
    ...own,
    ...(assignee_email !== undefined && { assignee: assignee_email && { email: assignee_email } }),
    ...(custom_fields !== undefined && { custom_fields: withValues(record.custom_fields, custom_fields) }),
    ...(list_fields !== undefined && { list_fields: withValues(record.list_fields, list_fields) }),
  };
}

function withValues(map: unknown, values: unknown): Fields {
  const named = fieldsOf(values);
  return Object.fromEntries(
    Object.entries(fieldsOf(map)).map(([id, held]) => {
      const field = fieldsOf(held);
      const name = plain(field.name);
      return [id, Object.hasOwn(named, name) ? { ...field, value: named[name] } : field];
    }),
  );
}

async function putBack(client: Client, done: Done, before: Fields): Promise<void> {
  const { emails, domains, custom_fields, list_fields, ...own } = before;
  const body = {
    ...own,
    // An organization takes no null for its name.
    ...(done.what === 'organization' && own.name === null && { name: '' }),
    ...(custom_fields !== undefined && { custom_fields: named(custom_fields) }),
    ...(list_fields !== undefined && { list_fields: named(list_fields) }),
  };
  if (Object.keys(body).length > 0)
    await client.record(writes[done.what].update, { ...body, ...pathOf(done) });
  // An address only ever joins by an update: to put it back is to take it away.
  const added = (name: 'emails' | 'domains') => {
    const held = readTexts(before[name]);
    return readTexts(done.after[name]).filter((one) => !held.includes(one));
  };
  if (emails !== undefined) {
    await client.record(contacts.removeEmails, { contact_id: done.id, emails: added('emails') });
  }
  if (domains !== undefined) {
    await client.record(organizations.removeDomains, { organization_id: done.id, domains: added('domains') });
  }
}

function named(values: unknown): { name: string; value: unknown }[] {
  return Object.entries(fieldsOf(values)).map(([name, value]) => ({ name, value }));
}

function pathOf({ what, id, list_id }: Done): Fields {
  return { [writes[what].id]: id, ...(list_id !== undefined && { list_id }) };
}

function isSame(one: Fields, other: Fields): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** Members in one order, also in what is within. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
}
