import sql from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import { createFieldErrors } from '../../contract/field-errors.ts';
import type { Database } from '../db/database.ts';
import { forUpdate } from '../db/render-sql.ts';
import type { Row } from '../db/tables.ts';
import { Existing } from '../deps.ts';
import { createHandlers } from '../dispatch.ts';
import { writeMeeting } from './meetings.ts';
import { readSample, type Sample, type SampleEntry, type SampleList, type SampleValues } from './sample.ts';

const minute = 60_000;
const hour = 60 * minute;

/**
 * Fills an empty workspace with the sample, which is the same on every machine. Leaves a workspace that already has it
 * unchanged.
 * @throws {Failure} `usage` if the workspace has other records.
 */
export async function fillSample(db: Database): Promise<{ filled: boolean }> {
  return db.transaction(async (db) => {
    const workspace = await db.first<Row<'workspace'>>(sql`select sample from workspace${forUpdate}`);
    if (workspace?.sample) return { filled: false };
    if (await db.first(sql`select scope from tally where records > 0`)) {
      const message = 'The sample needs an empty workspace, and this one has records.';
      throw new Failure('usage', message, { hint: 'Choose another file with --database FILE.' });
    }
    const sample = await readSample();
    await writeRecords(db, sample);
    for (const meeting of sample.meetings) await writeMeeting(db, meeting);
    await db.run(sql`update workspace set sample = true`);
    return { filled: true };
  });
}

type SampleWriter = ReturnType<typeof createWriter>;

function createWriter(db: Database, { workspace: { custom_fields, lists, processes } }: Sample) {
  const clock = { time: Date.parse('2026-03-02T09:00:00Z') };
  const fields = [...custom_fields, ...[...lists, ...processes].flatMap(({ fields = [] }) => fields)];
  return {
    handlers: createHandlers({ db, now: () => new Date(clock.time) }),
    /** The creation time of the next record, in milliseconds. */
    clock,
    /** The ids of organizations by name, and of contacts by first email address and by their object in the sample. */
    ids: new Map<unknown, string>(),
    /** The names of the fields of type contact. */
    contactFields: new Set(fields.filter(({ data_type }) => data_type === 'contact').map(({ name }) => name)),
  };
}

/** Writes the records of the sample through the handlers of the service. Sets the clock before each record. */
async function writeRecords(db: Database, sample: Sample): Promise<void> {
  const { custom_fields, lists, processes } = sample.workspace;
  const writer = createWriter(db, sample);
  const { handlers, clock } = writer;
  for (const field of custom_fields) await handlers.customFields.create(field, createFieldErrors());
  for (const { name, domains = [] } of sample.organizations) {
    clock.time += 27 * hour;
    const { id } = await handlers.organizations.create({ name, domains }, createFieldErrors());
    writer.ids.set(name, id);
  }
  clock.time = Date.parse('2026-03-03T08:30:00Z');
  for (const contact of sample.contacts) {
    clock.time += 7 * hour;
    const { organization, fields: _, ...input } = contact;
    const organization_id = organization ? findId(writer, organization) : null;
    const { id, emails } = await handlers.contacts.create({ organization_id, ...input }, createFieldErrors());
    writer.ids.set(contact, id);
    if (emails[0]) writer.ids.set(emails[0], id);
  }
  clock.time = Date.parse('2026-04-17T16:00:00Z');
  await writeCustomValues(writer, sample);
  for (const { entries, ...list } of lists) await writeList(writer, { ...list, process: false }, entries);
  for (const process of processes) {
    clock.time = Date.parse('2026-04-20T06:00:00Z');
    await writeList(writer, { ...process, process: true }, sample.entries[process.name] ?? []);
  }
  for (const { organization, at, ...note } of sample.notes) {
    clock.time = Date.parse(`${at}T10:00:00Z`);
    const organization_id = findId(writer, organization);
    await handlers.notes.create({ organization_id, ...note }, createFieldErrors());
  }
}

/** Writes the custom fields after all contacts, because their values may refer to contacts. */
async function writeCustomValues(writer: SampleWriter, { organizations, contacts }: Sample): Promise<void> {
  const { handlers } = writer;
  for (const { name, fields } of organizations) {
    const input = { organization_id: findId(writer, name), custom_fields: resolveValues(writer, fields) };
    await handlers.organizations.update(input, createFieldErrors());
  }
  for (const contact of contacts) {
    const custom_fields = resolveValues(writer, contact.fields);
    const input = { contact_id: findId(writer, contact), custom_fields };
    await handlers.contacts.update(input, createFieldErrors());
  }
}

async function writeList(writer: SampleWriter, list: SampleList, entries: readonly SampleEntry[]) {
  const { handlers, clock } = writer;
  const { id } = await handlers.lists.create(list, createFieldErrors());
  for (const entry of entries) {
    if (entry.opened === undefined) clock.time += hour / 4;
    else clock.time = Math.max(clock.time + minute, Date.parse(`${entry.opened}T08:00:00Z`));
    await writeEntry(writer, list, id, entry);
  }
}

/** Writes an entry. A closed entry is created open and then updated, because it was closed on another day. */
async function writeEntry(
  writer: SampleWriter,
  { entry_type }: SampleList,
  list_id: string,
  { record, status, contact, opened: _, closed, fields, ...values }: SampleEntry,
): Promise<void> {
  const { handlers, clock } = writer;
  const entry = {
    list_id,
    entryable_type: entry_type,
    entryable_id: findId(writer, record),
    ...(status && !closed && { status }),
    contact_id: contact ? findId(writer, contact) : null,
    list_fields: resolveValues(writer, fields),
    ...values,
  };
  const created = await handlers.entries.create(entry, createFieldErrors());
  if (!closed) return;
  const { id } = created instanceof Existing ? created.record : created;
  const openedAt = clock.time;
  clock.time = Date.parse(`${closed}T15:00:00Z`);
  await handlers.entries.update({ list_id, id, status }, createFieldErrors());
  clock.time = openedAt;
}

function findId({ ids }: SampleWriter, key: unknown): string {
  const id = ids.get(key);
  if (id === undefined) throw new Error(`The sample refers to ${JSON.stringify(key)}, which is not in it.`);
  return id;
}

/** Converts values to the form that the handlers take, and email addresses in contact fields to ids. */
function resolveValues(writer: SampleWriter, values: SampleValues = {}) {
  const findContact = (email: unknown) => findId(writer, email);
  return Object.entries(values).map(([name, value]) => {
    if (!writer.contactFields.has(name)) return { name, value };
    return { name, value: Array.isArray(value) ? value.map(findContact) : findContact(value) };
  });
}
