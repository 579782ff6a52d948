import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { calendarEvents } from '../../../src/contract/calendar-events.ts';
import { contacts } from '../../../src/contract/contacts.ts';
import { entries } from '../../../src/contract/entries.ts';
import { Failure } from '../../../src/contract/errors.ts';
import type { Route } from '../../../src/contract/grammar.ts';
import { lists } from '../../../src/contract/lists.ts';
import { notes } from '../../../src/contract/notes.ts';
import { organizations } from '../../../src/contract/organizations.ts';
import { createRecordNormalizer } from '../../../src/contract/received.ts';
import type { Relationship } from '../../../src/render/screens/relationship.ts';
import { renderRelationship } from '../../../src/render/screens/relationship-screen.ts';
import { plainPaint } from '../../../src/render/text/paint.ts';
import { toRawJson } from '../../../src/values/raw-json.ts';

const hostile = 'a\u001b[2J\nb\u202e';
const long = '김지우 wrote 七つ目の印 to محمد العربي about 👩‍👩‍👧‍👦 '.repeat(20) + hostile;

const section = <T>(...records: T[]) => ({ records, more: 3 });

const toRecord = <R extends Route>(route: R, value: unknown) =>
  toRawJson(createRecordNormalizer(route)(value));

const contact = toRecord(contacts.get, {
  id: 'c1',
  first_name: long,
  emails: [long, 'b@x.example'],
  custom_fields: { f: { name: long, value: long } },
});
const entry = toRecord(entries.get, {
  id: 'e1',
  key: 'DEAL-1',
  status: long,
  one_time_value_cents: 125_000,
  recurring_value_cents: 4200,
  recurring_value_period: 'monthly',
});
const event = toRecord(calendarEvents.get, { id: 'm1', title: long, start_at: '2026-05-01T10:00:00.000Z' });

const list = toRecord(lists.get, { id: 'l1', name: long });

const noSummary = {
  event,
  summary: undefined,
  headline: undefined,
  actionItems: [],
  summaries: [],
  failure: undefined,
};

/** A relationship with long texts of the service in every place. */
const full: Relationship = {
  subject: 'entry',
  entry: { entry, list: list },
  contact,
  organization: toRecord(organizations.get, { id: 'o1', name: long, domains: [long] }),
  people: section(contact, toRecord(contacts.get, { id: 'c2' })),
  entries: { ...section({ entry, list: list }), closed: new Map([[long, 2]]) },
  notes: section(
    toRecord(notes.get, { id: 'n1', body: long, deal_id: long, created_at: '2026-05-01T10:00:00.000Z' }),
  ),
  upcoming: section(event),
  meetings: section(
    { ...noSummary, summary: long, headline: long, actionItems: [long] },
    { ...noSummary, failure: new Failure('failed', long) },
  ),
};

const broken: Relationship = {
  ...full,
  organization: new Failure('failed', long),
  people: new Failure('failed', long),
  notes: new Failure('failed', long),
};

const render = (relationship: Relationship, width?: number) =>
  renderRelationship(relationship, { width, paint: plainPaint });

test.each([
  ['everything', full],
  ['failures', broken],
])('prints no line longer than the terminal at any width: %s', (_, relationship) => {
  const widths = [20, 30, 40, 41, 42, 43, 60, 80, 120, 200];
  const tooLong = widths.flatMap((width) =>
    render(relationship, width)
      .split('\n')
      .filter((line) => stringWidth(line) > width)
      .map((line) => `${width}: ${line}`),
  );
  expect(tooLong).toEqual([]);
});

test.each([40, undefined])('sanitizes every text of the service at width %s', (width) => {
  const text = render(full, width) + render(broken, width);
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  if (width === undefined) expect(text.split('a\\x1b[2J b\\u202e').length).toBeGreaterThan(15);
});

test('truncates nothing in a pipe', () => {
  expect(render(full)).not.toContain('…');
});

test('counts the records that are left out, even if their number is unknown', () => {
  const text = render({
    ...full,
    meetings: { records: [], more: null },
    upcoming: { ...section(event), more: null },
  });
  expect(text.match(/^ {2}and (\d )?more$/gm)).toEqual([
    '  and 3 more',
    '  and 3 more',
    '  and 3 more',
    '  and more',
  ]);
});

test('omits the cells that a narrow terminal has no room for, instead of truncating them', () => {
  const people = section(
    toRecord(contacts.get, {
      id: 'c1',
      first_name: 'Jiwoo',
      emails: ['jiwoo@cold.example'],
      phone_numbers: ['+82105550'],
    }),
  );
  const row = (width: number) => render({ ...full, people }, width).match(/^ {2}c1 .*$/m)?.[0];
  expect([row(42), row(41), row(30), row(28)]).toEqual([
    '  c1  Jiwoo  jiwoo@cold.example  +82105550',
    '  c1  Jiwoo  jiwoo@cold.example',
    '  c1  Jiwoo  jiwoo@cold.examp…',
    '  c1  Jiwoo  +82105550',
  ]);
});

test('prints a value below its label if a word would be split', () => {
  const contact = toRecord(contacts.get, { id: 'c1', emails: ['a.long.address@cold-storage.example'] });
  const text = render({ ...full, subject: 'contact', entry: undefined, contact }, 44);
  expect(text).toContain('\nEmails\n  a.long.address@cold-storage.example\n');
});
