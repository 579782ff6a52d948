import { expect, test } from 'vitest';
import { machine } from '../support/kith.ts';
import { atTen, changed, hosted, incremental, ledgerIn, list, meeting, nothing, textsIn } from './hosted.ts';

const name = '2026-10-01-one-a.md';
const recordings = ['x', 'y'].map((id) => ({ id, status: 'done' }));
const both = (more = {}) => meeting('a', 'One', 'done', { recordings, ...more });
const contents = { transcript: false, with: ['json', 'txt'] } as const;
const unavailableBefore = [{ id: 'x', name, is_new: false }];
const unavailable = [{ id: 'x', name, is_new: true }];

/** A service that lists two recordings of a meeting, and has the second one alone. */
async function hostedHalf() {
  const host = await hosted([both()]);
  host.service.answers.set('/v1/recordings/x', [404, { error: 'Gone.' }]);
  return host;
}

/** What the ledger says of the recordings of the meeting. */
const states = (folder: string) =>
  ledgerIn(folder).flatMap(
    ({ meeting }) =>
      (meeting as { recordings: { id: string; state: string }[] })?.recordings.map(({ id, state }) => [
        id,
        state,
      ]) ?? [],
  );

test.each([404, 410])(
  'a recording that is listed and answers %i is gone, and the rest of its meeting is exported',
  async (status) => {
    const { folder, run, service } = await hostedHalf();
    service.answers.set('/v1/recordings/x', [status, { error: 'Gone.' }]);
    expect(await run({ contents })).toEqual({ ...nothing, new: 1, unavailable });
    const { [name]: markdown, '2026-10-01-one-a.json': json = '', ...others } = textsIn(folder);
    expect(markdown?.split('\n# ')[1]).toBe(`One

## Recording 1

_The recording x is no longer on the service._

## Recording 2

### Summary

Of y.
`);
    expect(JSON.parse(json).recordings.map(({ id }: { id: string }) => id)).toEqual(['y']);
    expect(others).toEqual({ '2026-10-01-one-a.2.txt': 'Ada: Hello\n' });
    expect(states(folder)).toEqual([
      ['x', 'gone'],
      ['y', 'exported'],
    ]);
  },
);

test('the next runs have nothing to do, and count it', async () => {
  const { run, asked, service } = await hostedHalf();
  service.meetings = [both({ updated_at: '2026-11-20T09:59:00.000Z' })];
  await run();
  asked();
  // The look-back lists it again.
  expect(await run()).toEqual({ ...nothing, unchanged: 1, unavailable: unavailableBefore });
  expect(asked()).toEqual(incremental(atTen - 300));
});

test.each<[string, Date, string]>([
  ['its meeting is updated', new Date('2026-11-20T11:00:00Z'), '2026-11-20T10:30:00.000Z'],
  ['a day is over', new Date('2026-11-21T10:00:00Z'), '2026-10-01T02:00:00.000Z'],
])('when %s it is asked for again, and comes in when it is back', async (_, clock, updated_at) => {
  const { folder, run, asked, service } = await hostedHalf();
  await run();
  service.clock = clock;
  service.meetings = [both({ updated_at })];
  asked();
  const still = await run();
  expect([still.unavailable, still.failed, asked()]).toEqual([
    unavailableBefore,
    [],
    expect.arrayContaining(['/v1/recordings/x']),
  ]);
  service.clock = new Date(clock.getTime() + 86_400_000);
  service.answers.clear();
  expect(await run()).toEqual({ ...nothing, updated: 1 });
  expect(textsIn(folder)[name]).toContain('## Recording 1\n\n### Summary\n\nOf x.');
  expect(states(folder)).toEqual([
    ['x', 'exported'],
    ['y', 'exported'],
  ]);
});

test('one that is found to be not done in the meantime is waited for', async () => {
  const { folder, run, service } = await hosted([meeting('a', 'One')]);
  service.answers.set('/v1/recordings/r-a', [404, {}]);
  service.afterwards = (url) => {
    if (url.includes('first')) service.meetings = [meeting('a', 'One', 'processing')];
  };
  expect(await run()).toEqual({ ...nothing, new: 1, pending: 1 });
  expect(states(folder)).toEqual([['r-a', 'pending']]);
});

test('one that its meeting lists no more is gone, and nobody asks for it again', async () => {
  const { folder, run, asked, service } = await hosted([both()]);
  await run();
  const rest = recordings.filter(({ id }) => id === 'y');
  service.meetings = [both({ recordings: rest, updated_at: '2026-11-20T09:59:00.000Z' })];
  expect(await run()).toEqual({ ...nothing, updated: 1 });
  expect(states(folder)).toEqual([
    ['y', 'exported'],
    ['x', 'gone'],
  ]);
  service.clock = new Date('2026-11-21T10:00:00Z');
  asked();
  expect(await run()).toEqual({ ...nothing, unchanged: 1 });
  expect(asked()).toEqual([list()]);
});

test('one that its meeting lists no more without being marked as updated is gone when the whole list is read', async () => {
  const { folder, run, service } = await hosted([both()]);
  await run();
  service.meetings = [both({ recordings: recordings.slice(1) })];
  service.clock = new Date('2026-11-21T10:00:00Z');
  expect(await run()).toEqual({ ...nothing, updated: 1 });
  expect(states(folder)).toEqual([
    ['y', 'exported'],
    ['x', 'gone'],
  ]);
});

test('one that fails otherwise beside it fails their meeting', async () => {
  const { run, service } = await hostedHalf();
  service.answers.set('/v1/recordings/y', [422, { error: 'Odd.' }]);
  const failed = [{ id: 'a', title: 'One', reason: 'Odd.' }];
  expect(await run()).toEqual({ ...nothing, failed });
});

test('the command says it once, counts it each time, ends with 0, and finds no difference to the service', async () => {
  const { folder, service, url } = await hostedHalf();
  service.clock = new Date();
  const kith = machine();
  const env = { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: url };
  const told = `kith: ${name}: the service lists the recording x but does not have it (404).\n`;
  const counts = `${folder}: 1 new, 0 updated, 0 unchanged, 0 pending, 1 unavailable, 0 failed\n`;
  expect(await kith(['events', 'export', '--out', folder], { env })).toEqual({
    code: 0,
    out: counts,
    err: told,
  });
  service.meetings = [both({ ...changed('a', 'One', new Date().toISOString()), recordings })];
  expect(await kith(['events', 'export', '--out', folder, '--json'], { env })).toMatchObject({
    code: 0,
    out: expect.stringContaining('"is_new": false'),
    err: '',
  });
  expect(await kith(['events', 'export', 'verify', folder], { env })).toMatchObject({ code: 0, err: '' });
});

test('the command says with --quiet, once, that a listed recording answers 404', async () => {
  const { folder, service, url } = await hostedHalf();
  service.clock = new Date();
  const kith = machine();
  const exporting = ['events', 'export', '--out', folder, '--quiet', '--json'];
  const env = { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: url };
  const told = `kith: ${name}: the service lists the recording x but does not have it (404).\n`;
  for (const [err, is_new] of [
    [told, true],
    ['', false],
  ]) {
    const ended = await kith(exporting, { env });
    expect([ended.code, ended.err, JSON.parse(ended.out).unavailable]).toEqual([
      0,
      err,
      [{ id: 'x', name, is_new }],
    ]);
  }
});

test('one that its meeting lists no more is not counted', async () => {
  const { run, service } = await hostedHalf();
  await run();
  service.meetings = [both({ recordings: recordings.slice(1), updated_at: '2026-11-20T09:59:00.000Z' })];
  expect((await run()).unavailable).toEqual([]);
});
