import sql from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import type { Database } from '../db/database.ts';
import { Existing } from '../deps.ts';
import { createHandlers } from '../dispatch.ts';
import { createFieldErrors } from '../field-errors.ts';
import { writeMeeting } from './meetings.ts';
import {
  readSample,
  type Sample,
  type SampleEntry,
  type SampleList,
  type SampleProcess,
  type SampleValues,
} from './sample.ts';

const minute = 60_000;
const hour = 60 * minute;

/**
 * Fills an empty workspace with the sample, which is the same on every machine. Leaves a workspace that already has it
 * unchanged.
 * @throws {Failure} `usage` if the workspace has other records.
 */
export async function fillSample(db: Database): Promise<{ filled: boolean }> {
  return db.transaction(async (db) => {
    if (await db.first(sql`select id from workspace where sample = 1`)) return { filled: false };
    if (await db.first(sql`select scope from tally where records > 0`)) {
      const message = 'The sample needs an empty workspace, and this one has records.';
      throw new Failure('usage', message, { hint: 'Choose another file with --database FILE.' });
    }
    const sample = await readSample();
    await writeRecords(db, sample);
    for (const meeting of sample.meetings) await writeMeeting(db, meeting);
    await db.run(sql`update workspace set sample = 1`);
    return { filled: true };
  });
}

interface SampleWriter {
  readonly handlers: ReturnType<typeof createHandlers>;
  /** The creation time of the next record, in milliseconds. */
  readonly clock: { time: number };
  /** Contact ids by first email address. */
  readonly contactIds: Map<string, string>;
  /** Organization ids by name. */
  readonly organizationIds: Map<string, string>;
  /** The names of the fields of type contact. */
  readonly contactFields: ReadonlySet<string>;
}

/** Writes the records of the sample through the handlers of the service, with a clock that is set before each. */
async function writeRecords(db: Database, sample: Sample): Promise<void> {
  const { custom_fields, lists, processes } = sample.workspace;
  const clock = { time: Date.parse('2026-03-02T09:00:00Z') };
  const fields = [...custom_fields, ...[...lists, ...processes].flatMap(({ fields }) => fields)];
  const writer: SampleWriter = {
    handlers: createHandlers({ db, now: () => new Date(clock.time) }),
    clock,
    contactIds: new Map(),
    organizationIds: new Map(),
    contactFields: new Set(fields.filter(({ data_type }) => data_type === 'contact').map(({ name }) => name)),
  };
  for (const field of custom_fields) await writer.handlers.customFields.create(field, createFieldErrors());
  await writeOrganizations(writer, sample.organizations);
  const ids = await writeContacts(writer, sample.contacts);
  await writeCustomValues(writer, sample, ids);
  for (const list of lists) await writeList(writer, list);
  for (const process of processes) await writeProcess(writer, process, sample.entries[process.name] ?? []);
  await writeNotes(writer, sample.notes);
}

async function writeOrganizations(
  { handlers, clock, organizationIds }: SampleWriter,
  organizations: Sample['organizations'],
): Promise<void> {
  for (const { name, domains = [] } of organizations) {
    clock.time += 27 * hour;
    const { id } = await handlers.organizations.create({ name, domains }, createFieldErrors());
    organizationIds.set(name, id);
  }
}

/** Returns the ids of the contacts in their order, as some contacts have no email address. */
async function writeContacts(
  { handlers, clock, contactIds, organizationIds }: SampleWriter,
  contacts: Sample['contacts'],
): Promise<string[]> {
  const ids: string[] = [];
  clock.time = Date.parse('2026-03-03T08:30:00Z');
  for (const { first, last, emails = [], phones = [], organization } of contacts) {
    clock.time += 7 * hour;
    const contact = {
      first_name: first ?? null,
      last_name: last ?? null,
      emails,
      phone_numbers: phones,
      organization_id: organization ? findId(organizationIds, organization) : null,
    };
    const { id } = await handlers.contacts.create(contact, createFieldErrors());
    ids.push(id);
    if (emails[0]) contactIds.set(emails[0], id);
  }
  return ids;
}

/** Writes the custom fields after all contacts, because their values may refer to contacts. */
async function writeCustomValues(
  writer: SampleWriter,
  { organizations, contacts }: Sample,
  contactIds: readonly string[],
): Promise<void> {
  const { handlers, clock, organizationIds } = writer;
  clock.time = Date.parse('2026-04-17T16:00:00Z');
  for (const { name, fields } of organizations) {
    const organization_id = findId(organizationIds, name);
    const custom_fields = resolveValues(writer, fields);
    await handlers.organizations.update({ organization_id, custom_fields }, createFieldErrors());
  }
  for (const [index, { fields }] of contacts.entries()) {
    const contact_id = contactIds[index] ?? '';
    const custom_fields = resolveValues(writer, fields);
    await handlers.contacts.update({ contact_id, custom_fields }, createFieldErrors());
  }
}

async function writeList(writer: SampleWriter, { entries, ...list }: SampleList): Promise<void> {
  const { handlers, clock } = writer;
  const { id } = await handlers.lists.create({ ...list, process: false }, createFieldErrors());
  for (const { record, fields } of entries) {
    clock.time += hour / 4;
    const entry = {
      list_id: id,
      entryable_type: list.entry_type,
      entryable_id: findRecordId(writer, list.entry_type, record),
      list_fields: resolveValues(writer, fields),
    };
    await handlers.entries.create(entry, createFieldErrors());
  }
}

async function writeProcess(
  writer: SampleWriter,
  process: SampleProcess,
  entries: readonly SampleEntry[],
): Promise<void> {
  const { handlers, clock } = writer;
  clock.time = Date.parse('2026-04-20T06:00:00Z');
  const { id } = await handlers.lists.create({ ...process, process: true }, createFieldErrors());
  for (const entry of entries) {
    clock.time = Math.max(clock.time + minute, Date.parse(`${entry.opened}T08:00:00Z`));
    await writeEntry(writer, process, id, entry);
  }
}

/** Writes an entry. A closed one is created open and then updated, because it was closed on another day. */
async function writeEntry(
  writer: SampleWriter,
  { entry_type, statuses }: SampleProcess,
  list_id: string,
  { record, status, assignee, contact, opened, closed, fields, ...values }: SampleEntry,
): Promise<void> {
  const { handlers, clock, contactIds } = writer;
  const isOpen = statuses.find(({ name }) => name === status)?.type === 'active';
  const entry = {
    list_id,
    entryable_type: entry_type,
    entryable_id: findRecordId(writer, entry_type, record),
    ...(isOpen && { status }),
    assignee_email: assignee ?? null,
    one_time_value_cents: values.one_time,
    recurring_value_cents: values.recurring,
    recurring_value_period: values.period,
    contact_id: contact ? findId(contactIds, contact) : null,
    list_fields: resolveValues(writer, fields),
  };
  const created = await handlers.entries.create(entry, createFieldErrors());
  if (isOpen) return;
  const { id } = created instanceof Existing ? created.record : created;
  const openedAt = clock.time;
  clock.time = Date.parse(`${closed}T15:00:00Z`);
  await handlers.entries.update({ list_id, id, status }, createFieldErrors());
  clock.time = openedAt;
}

async function writeNotes(
  { handlers, clock, organizationIds }: SampleWriter,
  notes: Sample['notes'],
): Promise<void> {
  for (const { organization, deal, at, body } of notes) {
    clock.time = Date.parse(`${at}T10:00:00Z`);
    const note = { organization_id: findId(organizationIds, organization), body, deal_id: deal ?? null };
    await handlers.notes.create(note, createFieldErrors());
  }
}

function findId(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`The sample refers to "${name}", which is not in it.`);
  return id;
}

function findRecordId(writer: SampleWriter, type: SampleList['entry_type'], name: string): string {
  return findId(type === 'Contact' ? writer.contactIds : writer.organizationIds, name);
}

/** Converts values to the form that the handlers take, and email addresses in contact fields to ids. */
function resolveValues({ contactIds, contactFields }: SampleWriter, values: SampleValues = {}) {
  const findContact = (email: unknown) => findId(contactIds, String(email));
  return Object.entries(values).map(([name, value]) => {
    if (!contactFields.has(name)) return { name, value };
    return { name, value: Array.isArray(value) ? value.map(findContact) : findContact(value) };
  });
}
