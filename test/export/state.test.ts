import { expect, test } from 'vitest';
import { calendarEvents } from '../../src/contract/calendar-events.ts';
import { Failure, type FailureCode } from '../../src/contract/errors.ts';
import { createRecordNormalizer } from '../../src/contract/received.ts';
import { type Outcome, ResultCollector } from '../../src/export/export-result.ts';
import type { LedgerMeeting } from '../../src/export/ledger-format.ts';
import { createMeeting, findDelay, isUpToDate, toExportedMeeting } from '../../src/export/meeting-state.ts';

type Recordings = Readonly<Record<string, string>>;

const createEvent = (recordings: Recordings) =>
  createRecordNormalizer(calendarEvents.get)({
    id: 'a',
    updated_at: 'now',
    recordings: Object.entries(recordings).map(([id, status]) => ({ id, status })),
  });

const createLedgerMeeting = (recordings: Recordings): LedgerMeeting => ({
  ...createMeeting(createEvent({})),
  updated_at: 'now',
  contents: 'md',
  recordings: Object.entries(recordings).map(([id, state]) => ({
    id,
    updated_at: null,
    state: state as LedgerMeeting['recordings'][number]['state'],
    since: undefined,
    isListed: false,
  })),
});

const upToDate = 'not requested again';
const outdated = 'exported again';

test.each<[ledger: Recordings, listed: Recordings, string]>([
  [{}, {}, upToDate],
  [{ x: 'exported' }, { x: 'done' }, upToDate],
  [{ x: 'exported' }, { x: 'failed' }, upToDate],
  [{ x: 'exported' }, { x: 'processing' }, outdated],
  [{ x: 'pending' }, { x: 'processing' }, upToDate],
  [{ x: 'pending' }, { x: 'done' }, outdated],
  [{ x: 'pending' }, { x: 'failed' }, outdated],
  [{ x: 'failed' }, { x: 'done' }, outdated],
  [{ x: 'unavailable' }, { x: 'done' }, upToDate],
  [{ x: 'unavailable' }, { x: 'processing' }, upToDate],
  [{ x: 'exported' }, { x: 'done', y: 'done' }, outdated],
  [{ x: 'exported', y: 'exported' }, { y: 'done' }, outdated],
  [{ x: 'unavailable', y: 'exported' }, { y: 'done' }, upToDate],
])(
  'a meeting with the recordings %o in the ledger and %o on the service is %s',
  (ledger, listed, expected) => {
    const isCurrent = isUpToDate(createLedgerMeeting(ledger), createEvent(listed), 'md');
    expect(isCurrent ? upToDate : outdated).toBe(expected);
  },
);

test.each<[string, Partial<LedgerMeeting>]>([
  ['was updated', { updated_at: 'before' }],
  ['was exported with other contents', { contents: 'md transcript' }],
  ['failed', { failure: 'Oh no.' }],
  ['was deleted upstream and is listed again', { isDeleted: true }],
  ['was written by a killed run', { plannedFiles: [{ name: 'a.md', hash: '' }] }],
])('a meeting that %s is exported again', (_, fields) => {
  const meeting = { ...createLedgerMeeting({ x: 'exported' }), ...fields };
  expect(isUpToDate(meeting, createEvent({ x: 'done' }), 'md')).toBe(false);
});

const day = 86_400_000;

test.each<[string, settle: number, age: number, 'pending' | 'late' | undefined]>([
  ['pending', 14, 0, 'pending'],
  ['pending', 14, 14 * day, 'pending'],
  ['pending', 14, 14 * day + 1, 'late'],
  ['pending', 1, day + 1, 'late'],
  ['pending', 0, 0, 'pending'],
  ['pending', 0, 1, 'late'],
  ['exported', 0, day, undefined],
  ['unavailable', 0, day, undefined],
  ['failed', 0, day, undefined],
])('a recording that is %s, with --settle %d, after %d ms: %s', (state, settle, age, delay) => {
  const [recording] = createLedgerMeeting({ x: state }).recordings;
  const since = new Date(5e9);
  if (!recording) throw new Error('no recording');
  const delayed = findDelay({ ...recording, since: since.toISOString() }, settle, new Date(5e9 + age));
  expect(delayed).toBe(delay);
});

test.each([
  ['processing', 'processing', 'pending', 'first'],
  ['processing', 'done', 'exported', undefined],
  ['done', 'processing', 'pending', 'now'],
  ['processing', 'gone', 'unavailable', undefined],
])('a recording that was %s and is now %s is %s since %s', (before, status, state, since) => {
  const times = { first: new Date(5e9), now: new Date(6e9) };
  const files = { contents: 'md', layout: 'flat', files: [], unusedFiles: [], boxes: { key: '', done: [] } };
  const exportAt = (meeting: LedgerMeeting, status: string, now: Date) =>
    toExportedMeeting(createEvent({}), meeting, [{ id: 'x', status, updated_at: null }], now, files);
  const meeting = exportAt(createLedgerMeeting({}), before, times.first);
  expect(exportAt(meeting, status, times.now).recordings).toMatchObject([
    { state, since: since && times[since as keyof typeof times].toISOString() },
  ]);
});

const repeat = (count: number, outcome: Outcome) => Array<Outcome>(count).fill(outcome);
const fail = (count: number, code: FailureCode = 'unavailable', isRepeated = false) =>
  repeat(count, { kind: 'failed', failure: new Failure(code, 'Oh no.'), isRepeated, id: 'a', title: 'One' });
const add = (count: number, kind: 'new' | 'updated' | 'unchanged' | 'deleted') => repeat(count, { kind });

test.each<[string, 'stops' | 'goes on', readonly Outcome[]]>([
  ['nine failures in a row', 'goes on', fail(9)],
  ['ten failures in a row', 'stops', fail(10)],
  ['ten failures of an unreachable service', 'stops', fail(10, 'network')],
  ['ten forbidden meetings', 'stops', fail(10, 'forbidden')],
  ['ten failures of the storage', 'stops', fail(10, 'storage')],
  ['20 malformed meetings', 'goes on', fail(20, 'failed')],
  ['20 meetings that failed in the last run too', 'goes on', fail(20, 'unavailable', true)],
  ['19 failures with a success in between', 'goes on', [...fail(9), ...add(1, 'new'), ...fail(9)]],
  [
    'ten failures with an unchanged meeting in between',
    'stops',
    [...fail(9), ...add(1, 'unchanged'), ...fail(1)],
  ],
  ['ten failures with a deleted meeting in between', 'stops', [...fail(9), ...add(1, 'deleted'), ...fail(1)]],
  [
    'fewer failures than exported meetings',
    'goes on',
    [...add(20, 'new'), ...add(10, 'updated'), ...fail(29)],
  ],
  ['as many failures as exported meetings', 'stops', [...add(20, 'new'), ...add(10, 'updated'), ...fail(30)]],
])('after %s, a run %s', (_, expected, outcomes) => {
  const results = new ResultCollector();
  const addAll = () => {
    for (const outcome of outcomes) results.add(outcome);
  };
  if (expected === 'stops') expect(addAll).toThrow('Oh no.');
  else expect(addAll).not.toThrow();
});
