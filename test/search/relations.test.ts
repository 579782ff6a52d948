import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listAttendances, listDatedNotes, listNoteTimes } from '../../src/search/contact-times.ts';
import {
  createContactDocument,
  createEntryDocument,
  createMeetingDocument,
  createNoteDocument,
  type IndexDocument,
} from '../../src/search/index/documents.ts';
import { createIndex } from '../../src/search/index/index-file.ts';
import { KindWriter } from '../../src/search/index/index-writer.ts';
import type { Kind } from '../../src/search/kinds.ts';
import {
  createOwnCheck,
  findAttendees,
  findKinds,
  listLastAttendees,
  listOwners,
  listRelated,
  listRelatedContacts,
} from '../../src/search/relations.ts';
import { createTemporaryFolder } from '../support/kith.ts';

const times = { created_at: '2026-01-02T03:04:05Z', updated_at: '2026-01-02T03:04:05Z' };
const acme = [{ kind: 'organization', id: 'o1' }] as const;
const june = Date.parse('2026-06-01T00:00:00Z') / 1000;

const createContact = (id: string, organization_id: string | null, ...emails: string[]) =>
  createContactDocument({ id, first_name: id, emails, organization_id, ...times } as never, 'Acme');

const createMeeting = (start_at: string, emails: readonly string[], recordings: readonly object[] = []) =>
  createMeetingDocument(
    {
      title: 'Review',
      start_at,
      attendees: emails.map((email) => ({ email })),
      recordings,
      ...times,
    } as never,
    [],
  );

const createEntry = (fields: object) =>
  createEntryDocument({ id: 'e1', list_fields: {}, ...times, ...fields } as never, 'Sales', 'Acme');

/** Creates an index, and returns the function that adds or replaces documents of a kind. */
function createTestIndex() {
  const index = createIndex(join(createTemporaryFolder(), 'search.sqlite'));
  onTestFinished(() => index.close());
  let version = 0;
  const write = async (kind: Kind, documents: Readonly<Record<string, IndexDocument>>) => {
    version += 1;
    const writer = new KindWriter(index, kind, false);
    const toSource = ([id, document]: [string, IndexDocument]) => ({
      id,
      state: `${version}`,
      read: () => document,
    });
    await writer.write(Object.entries(documents).map(toSource));
    writer.removeUnseen();
  };
  return { index, write };
}

test('finds the records of an organization, and forgets those that were deleted or moved', async () => {
  const { index, write } = createTestIndex();
  const note = (updated_at: string, organization_id = 'o1') =>
    createNoteDocument({ organization_id, body: 'Call', created_at: '', updated_at } as never, 'Acme');
  await write('notes', { n1: note('2026-01-01T00:00:00Z'), n2: note('2026-02-01T00:00:00Z') });
  await write('entries', {
    e1: createEntry({ entryable_type: 'Organization', entryable_id: 'o1', contact_id: 'c1' }),
    e2: createEntry({ entryable_type: 'Contact', entryable_id: 'c1', contact_id: 'c1' }),
    closed: createEntry({ entryable_type: 'Organization', entryable_id: 'o1', closed_at: times.created_at }),
  });
  const list = (kind: Kind, owners: Parameters<typeof listRelated>[2], limit = 9) =>
    listRelated(index, kind, owners, { limit }).map(({ id }) => id);
  expect(list('notes', acme)).toEqual(['n2', 'n1']);
  expect(list('notes', acme, 1)).toEqual(['n2']);
  expect(list('entries', acme)).toEqual(['e1']);
  expect(list('entries', [{ kind: 'closed', id: 'o1' }])).toEqual(['closed']);
  expect(list('entries', [...acme, { kind: 'contact', id: 'c1' }]).toSorted()).toEqual(['e1', 'e2']);
  expect(findKinds(index, 'e2')).toEqual(['entries']);
  await write('notes', { n1: note('2026-01-01T00:00:00Z') });
  expect(list('notes', acme)).toEqual(['n1']);
  await write('notes', { n1: note('2026-01-01T00:00:00Z', 'o2') });
  expect(list('notes', acme)).toEqual([]);
});

test('lists the contact met last first, and ignores meetings that have not started', async () => {
  const { index, write } = createTestIndex();
  await write('contacts', {
    c1: createContact('c1', 'o1', 'One@acme.example', 'one@old.example'),
    c2: createContact('c2', 'o1', 'two@acme.example'),
    c3: createContact('c3', 'o1'),
    c4: createContact('c4', null, 'four@x.example'),
  });
  await write('meetings', {
    m1: createMeeting('2026-05-01T09:00:00Z', ['one@old.example', 'mina@us.example']),
    m2: createMeeting('2026-04-01T09:00:00Z', ['two@acme.example', 'mina@us.example']),
    m4: createMeeting('2026-03-01T09:00:00Z', ['mina@us.example']),
    m3: createMeeting('2026-07-01T09:00:00Z', ['two@acme.example']),
  });
  const people = listRelatedContacts(index, ['o1'], ['c4'], june);
  expect(people.map(({ id }) => id)).toEqual(['c4', 'c1', 'c2', 'c3']);
  expect(people[1]?.emails).toEqual(['one@acme.example', 'one@old.example']);
  expect(people[3]).toMatchObject({ emails: [], met_at: undefined });
  expect(listLastAttendees(index, june).slice(0, 2).toSorted()).toEqual([
    'mina@us.example',
    'one@old.example',
  ]);
  const isOwn = createOwnCheck(index, undefined);
  expect(['Rui@US.example', 'one@old.example'].map(isOwn)).toEqual([true, false]);
  expect(createOwnCheck(index, 'me@gmail.com')('you@gmail.com')).toBe(false);
  expect(findAttendees(index, ['Two@acme.example', 'mina@us.example'])).toEqual([
    { contact_id: 'c2', organization_id: 'o1' },
    { contact_id: null, organization_id: null },
  ]);
});

test('finds the finished recordings of a meeting, including unreadable ones', async () => {
  const { index, write } = createTestIndex();
  const recordings = ['done', 'failed', 'done'].map((status, number) => ({ id: `r${number}`, status }));
  await write('meetings', { m1: createMeeting('2026-05-01T09:00:00Z', ['a@x.example'], recordings) });
  expect(listOwners(index, 'meetings', 'm1')).toEqual([
    { kind: 'attendee', id: 'a@x.example' },
    { kind: 'recording', id: 'r0' },
    { kind: 'recording', id: 'r2' },
  ]);
});

test('no statement scans a table', () => {
  const { index } = createTestIndex();
  const statements = new Set<string>();
  const recorder: Pick<typeof index, 'prepare'> = {
    prepare: (sql) => {
      statements.add(sql);
      return index.prepare(sql);
    },
  };
  listRelated(recorder, 'notes', acme, { limit: 1 });
  listRelatedContacts(recorder, ['o1'], ['c1'], june);
  findKinds(recorder, 'o1');
  listOwners(recorder, 'contacts', 'c1');
  findAttendees(recorder, ['a@x.example']);
  listLastAttendees(recorder, june);
  createOwnCheck(recorder, undefined);
  listAttendances(recorder, june, 'a@x.example');
  listNoteTimes(recorder, june, ['o1'], 2);
  listDatedNotes(recorder, '2026-06-01', '2026-06-09');
  const plans = Array.from(statements, (sql) =>
    (index.sqlite.prepare(`explain query plan ${sql}`).all() as { detail: string }[]).map(
      ({ detail }) => `${detail}: ${sql}`,
    ),
  ).flat();
  expect(plans.length).toBeGreaterThan(statements.size);
  expect(plans.filter((plan) => /^SCAN (?!.* VIRTUAL TABLE|\(subquery)/.test(plan))).toEqual([]);
});
