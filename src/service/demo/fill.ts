import { Failure } from '../../contract/errors.ts';
import { type Database, transact } from '../db/database.ts';
import { Existing } from '../deps.ts';
import { createHandlers } from '../dispatch.ts';
import { createFieldErrors } from '../field-errors.ts';
import { writeMeeting } from './meetings.ts';
import { readSample, type Sample, type SampleEntry, type SampleList, type SampleProcess } from './sample.ts';

/**
 * Fills an empty workspace with the sample (service.md, "The workspace file"), the same on every machine. One
 * that holds the sample already stays as it is. Throws `usage` where there is anything else.
 */
export async function fillSample(db: Database): Promise<{ filled: boolean }> {
  return transact(db, async (db) => {
    const { sample } = await db.selectFrom('workspace').select('sample').executeTakeFirstOrThrow();
    if (sample === 1) return { filled: false };
    const tallied = await db.selectFrom('tally').select('scope').where('records', '>', 0).executeTakeFirst();
    if (tallied) {
      throw new Failure(
        'usage',
        'This workspace holds records of your own; the sample is for an empty one.',
        {
          hint: 'Name another file with --database.',
        },
      );
    }
    const files = await readSample();
    await writeRecords(db, files);
    for (const meeting of files.meetings) await writeMeeting(db, meeting);
    await db.updateTable('workspace').set({ sample: 1 }).execute();
    return { filled: true };
  });
}

const minute = 60_000;
const hour = 60 * minute;

/** What writes the sample, and what it has written so far. */
interface SampleWriter {
  readonly handlers: ReturnType<typeof createHandlers>;
  /** When the next record is made, in milliseconds. */
  readonly clock: { time: number };
  /** Ids by the first email. */
  readonly people: Map<string, string>;
  /** Ids by the name. */
  readonly companies: Map<string, string>;
  /** The names of the fields that hold contacts. */
  readonly contactFields: ReadonlySet<string>;
}

/** Writes the records of the sample by the handlers of the service, with a clock that is set before each. */
export async function writeRecords(db: Database, sample: Sample): Promise<void> {
  const { custom_fields, lists, processes } = sample.workspace;
  const clock = { time: Date.parse('2026-03-02T09:00:00Z') };
  const fields = [...custom_fields, ...[...lists, ...processes].flatMap(({ fields }) => fields)];
  const writing: SampleWriter = {
    handlers: createHandlers({ db, now: () => new Date(clock.time), log: () => {} }),
    clock,
    people: new Map(),
    companies: new Map(),
    contactFields: new Set(fields.filter(({ data_type }) => data_type === 'contact').map(({ name }) => name)),
  };
  for (const field of custom_fields) await writing.handlers.customFields.create(field, createFieldErrors());
  await writeOrganizations(writing, sample.organizations);
  const contactIds = await writeContacts(writing, sample.contacts);
  await writeValues(writing, sample, contactIds);
  for (const list of lists) await writeList(writing, list);
  for (const process of processes) await writeProcess(writing, process, sample.entries[process.name] ?? []);
  await writeNotes(writing, sample.notes);
}

async function writeOrganizations(
  { handlers, clock, companies }: SampleWriter,
  organizations: Sample['organizations'],
): Promise<void> {
  for (const { name, domains = [] } of organizations) {
    clock.time += 27 * hour;
    companies.set(name, (await handlers.organizations.create({ name, domains }, createFieldErrors())).id);
  }
}

/** Gives the ids of the contacts, in their order: not each has an email to be known by. */
async function writeContacts(
  { handlers, clock, people, companies }: SampleWriter,
  contacts: Sample['contacts'],
): Promise<string[]> {
  const made: string[] = [];
  clock.time = Date.parse('2026-03-03T08:30:00Z');
  for (const { first, last, emails = [], phones = [], organization } of contacts) {
    clock.time += 7 * hour;
    const { id } = await handlers.contacts.create(
      {
        first_name: first ?? null,
        last_name: last ?? null,
        emails,
        phone_numbers: phones,
        organization_id: organization ? findId(companies, organization) : null,
      },
      createFieldErrors(),
    );
    made.push(id);
    if (emails[0]) people.set(emails[0], id);
  }
  return made;
}

/** Values may name contacts, so they come when all contacts are there. */
async function writeValues(
  writing: SampleWriter,
  { organizations, contacts }: Sample,
  contactIds: readonly string[],
): Promise<void> {
  const { handlers, clock, companies } = writing;
  clock.time = Date.parse('2026-04-17T16:00:00Z');
  for (const { name, fields } of organizations) {
    const organization_id = findId(companies, name);
    const custom_fields = resolveValues(writing, fields);
    await handlers.organizations.update({ organization_id, custom_fields }, createFieldErrors());
  }
  for (const [index, { fields }] of contacts.entries()) {
    const contact_id = contactIds[index] ?? '';
    const custom_fields = resolveValues(writing, fields);
    await handlers.contacts.update({ contact_id, custom_fields }, createFieldErrors());
  }
}

async function writeList(writing: SampleWriter, { entries, ...list }: SampleList): Promise<void> {
  const { handlers, clock } = writing;
  const { id } = await handlers.lists.create({ ...list, process: false }, createFieldErrors());
  for (const { record, fields } of entries) {
    clock.time += hour / 4;
    const entry = {
      list_id: id,
      entryable_type: list.entry_type,
      entryable_id: findRecordId(writing, list.entry_type, record),
      list_fields: resolveValues(writing, fields),
    };
    await handlers.entries.create(entry, createFieldErrors());
  }
}

async function writeProcess(
  writing: SampleWriter,
  process: SampleProcess,
  entries: readonly SampleEntry[],
): Promise<void> {
  const { handlers, clock } = writing;
  clock.time = Date.parse('2026-04-20T06:00:00Z');
  const { id } = await handlers.lists.create({ ...process, process: true }, createFieldErrors());
  for (const entry of entries) {
    clock.time = Math.max(clock.time + minute, Date.parse(`${entry.opened}T08:00:00Z`));
    await writeEntry(writing, process, id, entry);
  }
}

/** An entry that is closed was opened first: it gets its status at another time. */
async function writeEntry(
  writing: SampleWriter,
  { entry_type, statuses }: SampleProcess,
  list_id: string,
  entry: SampleEntry,
): Promise<void> {
  const { handlers, clock, people } = writing;
  const isOpen = statuses.find(({ name }) => name === entry.status)?.type === 'active';
  const created = await handlers.entries.create(
    {
      list_id,
      entryable_type: entry_type,
      entryable_id: findRecordId(writing, entry_type, entry.record),
      ...(isOpen && { status: entry.status }),
      assignee_email: entry.assignee ?? null,
      one_time_value_cents: entry.one_time,
      recurring_value_cents: entry.recurring,
      recurring_value_period: entry.period,
      contact_id: entry.contact ? findId(people, entry.contact) : null,
      list_fields: resolveValues(writing, entry.fields),
    },
    createFieldErrors(),
  );
  const { id } = created instanceof Existing ? created.record : created;
  if (isOpen) return;
  const opened = clock.time;
  clock.time = Date.parse(`${entry.closed}T15:00:00Z`);
  await handlers.entries.update({ list_id, id, status: entry.status }, createFieldErrors());
  clock.time = opened;
}

async function writeNotes(
  { handlers, clock, companies }: SampleWriter,
  notes: Sample['notes'],
): Promise<void> {
  for (const { organization, deal, at, body } of notes) {
    clock.time = Date.parse(`${at}T10:00:00Z`);
    const organization_id = findId(companies, organization);
    await handlers.notes.create({ organization_id, body, deal_id: deal ?? null }, createFieldErrors());
  }
}

function findId(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`The sample names "${name}", which it does not have.`);
  return id;
}

function findRecordId(
  { people, companies }: SampleWriter,
  type: SampleList['entry_type'],
  name: string,
): string {
  return findId(type === 'Contact' ? people : companies, name);
}

/** Values as the handlers take them; a contact, which stands by its email, by its id. */
function resolveValues({ people, contactFields }: SampleWriter, values: SampleEntry['fields'] = {}) {
  const person = (email: unknown) => findId(people, String(email));
  return Object.entries(values).map(([name, value]) => {
    if (!contactFields.has(name)) return { name, value };
    return { name, value: Array.isArray(value) ? value.map(person) : person(value) };
  });
}
