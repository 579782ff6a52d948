import { Failure } from '../../contract/errors.ts';
import { contactHandlers } from '../contacts.ts';
import { customFieldHandlers } from '../custom-fields.ts';
import { type Database, transact } from '../database.ts';
import { entryHandlers } from '../entries.ts';
import { noFaults } from '../faults.ts';
import { listHandlers } from '../lists.ts';
import { storeMeeting } from '../meetings.ts';
import { noteHandlers } from '../notes.ts';
import { organizationHandlers } from '../organizations.ts';
import { readSample, type Sample, type SampleEntry, type SampleMeeting } from './files.ts';
import { durationOf, transcriptOf } from './talk.ts';

const hour = 3_600_000;
const day = 24 * hour;

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
    await write(db, await readSample());
    await db.updateTable('workspace').set({ sample: 1 }).execute();
    return { filled: true };
  });
}

/** Writes the sample by the handlers of the service, with a clock that is set before each record. */
async function write(db: Database, sample: Sample): Promise<void> {
  let time = Date.parse('2026-03-02T09:00:00Z');
  const deps = { db, now: () => new Date(time), log: () => {} };
  const contacts = contactHandlers(deps);
  const organizations = organizationHandlers(deps);
  const people = new Map<string, string>();
  const companies = new Map<string, string>();
  const { custom_fields, lists, processes } = sample.workspace;
  const contactFields = new Set(
    [...custom_fields, ...[...lists, ...processes].flatMap(({ fields }) => fields)]
      .filter(({ data_type }) => data_type === 'contact')
      .map(({ name }) => name),
  );
  const known = (ids: ReadonlyMap<string, string>, name: string): string => {
    const id = ids.get(name);
    if (id === undefined) throw new Error(`The sample names "${name}", which it does not have.`);
    return id;
  };
  const named = (values: Readonly<Record<string, unknown>> = {}) =>
    Object.entries(values).map(([name, value]) => {
      if (!contactFields.has(name)) return { name, value };
      const person = (email: unknown) => known(people, String(email));
      return { name, value: Array.isArray(value) ? value.map(person) : person(value) };
    });

  for (const field of custom_fields) {
    await customFieldHandlers(deps).create(field, noFaults());
  }
  for (const { name, domains = [] } of sample.organizations) {
    time += 27 * hour;
    companies.set(name, (await organizations.create({ name, domains }, noFaults())).id);
  }
  const contactIds: string[] = [];
  time = Date.parse('2026-03-03T08:30:00Z');
  for (const { first, last, emails = [], phones = [], organization } of sample.contacts) {
    time += 7 * hour;
    const { id } = await contacts.create(
      {
        first_name: first ?? null,
        last_name: last ?? null,
        emails,
        phone_numbers: phones,
        organization_id: organization ? known(companies, organization) : null,
      },
      noFaults(),
    );
    contactIds.push(id);
    if (emails[0]) people.set(emails[0], id);
  }
  // Values may name contacts, so they come when all contacts are there.
  time = Date.parse('2026-04-17T16:00:00Z');
  for (const { name, fields } of sample.organizations) {
    const organization_id = known(companies, name);
    await organizations.update({ organization_id, custom_fields: named(fields) }, noFaults());
  }
  for (const [index, { fields }] of sample.contacts.entries()) {
    await contacts.update({ contact_id: contactIds[index] ?? '', custom_fields: named(fields) }, noFaults());
  }

  const listIds = new Map<string, string>();
  const recordId = (type: string, name: string) => known(type === 'Contact' ? people : companies, name);
  for (const { entries, ...list } of lists) {
    const { id } = await listHandlers(deps).create({ ...list, process: false }, noFaults());
    for (const { record, fields } of entries) {
      time += hour / 4;
      const target = { entryable_type: list.entry_type, entryable_id: recordId(list.entry_type, record) };
      await entryHandlers(deps).create({ list_id: id, ...target, list_fields: named(fields) }, noFaults());
    }
  }
  for (const process of processes) {
    time = Date.parse('2026-04-20T06:00:00Z');
    const { id } = await listHandlers(deps).create({ ...process, process: true }, noFaults());
    listIds.set(process.name, id);
    const isOpen = (entry: SampleEntry) =>
      process.statuses.find(({ name }) => name === entry.status)?.type === 'active';
    for (const entry of sample.entries[process.name] ?? []) {
      time = Math.max(time + 60_000, Date.parse(`${entry.opened}T08:00:00Z`));
      const created = await entryHandlers(deps).create(
        {
          list_id: id,
          entryable_type: process.entry_type,
          entryable_id: recordId(process.entry_type, entry.record),
          ...(isOpen(entry) && { status: entry.status }),
          assignee_email: entry.assignee ?? null,
          one_time_value_cents: entry.one_time,
          recurring_value_cents: entry.recurring,
          recurring_value_period: entry.period,
          contact_id: entry.contact ? known(people, entry.contact) : null,
          list_fields: named(entry.fields),
        },
        noFaults(),
      );
      if (isOpen(entry)) continue;
      const opened = time;
      time = Date.parse(`${entry.closed}T15:00:00Z`);
      await entryHandlers(deps).update({ list_id: id, id: created.id, status: entry.status }, noFaults());
      time = opened;
    }
  }
  for (const { organization, deal, at, body } of sample.notes) {
    time = Date.parse(`${at}T10:00:00Z`);
    const organization_id = known(companies, organization);
    await noteHandlers(deps).create({ organization_id, body, deal_id: deal ?? null }, noFaults());
  }
  for (const meeting of sample.meetings) await writeMeeting(db, meeting);
}

async function writeMeeting(db: Database, meeting: SampleMeeting): Promise<void> {
  const { title, start, minutes, conference, attendees, language, status, second_recording } = meeting;
  const starts = Date.parse(start);
  const ends = starts + minutes * 60_000;
  const started_at = new Date(starts + 40_000);
  const processing = {
    status: 'processing',
    ended_at: null,
    audio_duration: null,
    summary: null,
    transcript: null,
  } as const;
  const recordings = [];
  if (status === 'processing') recordings.push({ ...processing, started_at });
  else {
    const transcript = transcriptOf(meeting.talk, language);
    const audio_duration = durationOf(transcript);
    const { summary, topics, action_items } = meeting;
    recordings.push({
      status: 'done' as const,
      started_at,
      ended_at: new Date(started_at.getTime() + audio_duration * 1000),
      audio_duration,
      summary: { summary, topics: [...topics], action_items: [...action_items], detected_language: language },
      transcript,
    });
  }
  if (second_recording) recordings.push({ ...processing, started_at: new Date(ends - 120_000) });
  await storeMeeting(
    db,
    {
      source: null,
      title,
      start_at: start,
      end_at: sameOffset(ends, start),
      conference_link: conference.link,
      conference_type: conference.type,
      attendees,
    },
    recordings,
    { created: new Date(starts - 6 * day), updated: new Date(ends + 12 * 60_000) },
  );
}

/** A moment in the offset that an ISO 8601 text has: `2026-05-12T10:30:00.000+09:00`. */
function sameOffset(moment: number, text: string): string {
  const [offset, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? ['+00:00', '+', '0', '0'];
  const shift = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return new Date(moment + shift).toISOString().replace('Z', offset);
}
