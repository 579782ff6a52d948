import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createRecords, startRecordService } from '../../search/index/record-service.ts';
import {
  createDemoMachine,
  createMachine,
  createTemporaryFolder,
  type MachineOptions,
} from '../../support/kith.ts';

let minutes = 0;

/** Starts a service with one meeting, and returns functions that change its items and run commands. */
async function createMeetingMachine(...texts: readonly string[]) {
  const records = createRecords();
  records.contacts.push({
    id: 'c4',
    first_name: 'Jiwoo',
    last_name: 'Kim',
    emails: ['Jiwoo@hanbit.example'],
    organization_id: 'o1',
    updated_at: '2026-01-02T03:04:05.000Z',
  });
  const service = await startRecordService(records);
  const folder = createTemporaryFolder();
  const machine = createMachine(folder);
  const ledger = join(folder, 'shared', 'actions.jsonl');
  /** Replaces the items of the meeting. */
  const setItems = (action_items: readonly string[], recordings = [{ id: 'r1', status: 'done' }]) => {
    minutes += 1;
    const updated_at = new Date(Date.now() + minutes * 60_000).toISOString();
    const attendees = [{ email: 'jiwoo@hanbit.example' }, { email: 'rui@tidewater.example' }];
    records.meetings[0] = { ...records.meetings[0], attendees, recordings, updated_at };
    records.recordings.set('r1', { id: 'r1', status: 'done', summary: { action_items } });
  };
  setItems(texts);
  const kith = (line: string | readonly string[], options: MachineOptions = {}) =>
    machine(line, { ...options, env: { ...service.env, ...options.env } });
  const list = async (flags = '') => JSON.parse((await kith(`actions list --max-age 0 --json ${flags}`)).out);
  const readIds = async (flags = ''): Promise<string[]> =>
    (await list(flags)).map(({ id }: { id: string }) => id);
  const readTexts = async (flags = ''): Promise<string[]> =>
    (await list(flags)).map(({ state, text }: { state: string; text: string }) => `${state} ${text}`);
  return { ...service, folder, ledger, kith, list, readIds, readTexts, setItems };
}

test('lists the items of all meetings with their meeting, person and organizations', async () => {
  const { list, kith, requests } = await createMeetingMachine('Jiwoo: send the offer', 'Call the landlord');
  const [first, second] = await list();
  expect(first).toEqual({
    id: expect.stringMatching(/^[0-9a-z]{10}$/),
    state: 'open',
    text: 'Jiwoo: send the offer',
    person: 'jiwoo@hanbit.example',
    event_id: 'm1',
    title: 'Freezer review',
    start_at: '2026-05-04T09:00:00+09:00',
    organization_ids: ['o1'],
    changed_at: null,
  });
  expect(second).toMatchObject({ text: 'Call the landlord', person: null });
  requests.length = 0;
  const { out, err } = await kith('actions list', { terminal: 120 });
  expect(out).toContain('Jiwoo: send the offer');
  expect(out).toContain('Freezer review');
  expect(err).toContain('kith: In all rows: state open, start May');
  expect(err).toContain('organization 한빛물류');
  expect(requests.map(({ url }) => url)).toEqual([]);
});

test('selects items by state, person, organization, time and expression', async () => {
  const { kith, readTexts, readIds } = await createMeetingMachine(
    'Jiwoo: send the offer',
    'Rui calls the landlord',
    'Order a hygrometer',
  );
  const [offer] = await readIds();
  await kith(`actions done ${offer}`);
  expect(await readTexts('--done')).toEqual(['done Jiwoo: send the offer']);
  expect(await readTexts('--open')).toEqual(['open Rui calls the landlord', 'open Order a hygrometer']);
  expect((await kith('actions list --mine')).err).toContain('To set yours: kith config set user ADDRESS');
  await kith('config set user RUI@tidewater.example');
  expect(await readTexts('--mine')).toEqual(['open Rui calls the landlord']);
  expect(await readIds('--organization o1')).toHaveLength(3);
  expect(await readIds('--organization o2')).toEqual([]);
  expect(await readIds('--since 2026-05-04 --tz Asia/Seoul')).toHaveLength(3);
  expect(await readIds('--since 2026-05-05 --tz Asia/Seoul')).toEqual([]);
  expect(await readTexts("--where 'state = done or text ~ hygro' --sort -text")).toEqual([
    'open Order a hygrometer',
    'done Jiwoo: send the offer',
  ]);
  expect((await kith('actions list --open --count')).out).toBe('2\n');
  expect(await kith('actions list --limit 2 --fields state')).toEqual({
    code: 0,
    out: 'state\ndone\nopen\n',
    err: 'kith: More records follow. Use --all or a larger --limit to see them.\n',
  });
});

test('reads the items of the sample from its index, without texts and without reading recordings again', async () => {
  const kith = createDemoMachine(createTemporaryFolder());
  const { out } = await kith('actions list --all --format ndjson');
  const items = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(items.length).toBeGreaterThan(100);
  expect(items.filter(({ person }) => person !== null).length).toBeGreaterThan(items.length / 2);
  expect(items.every(({ title }) => title !== '')).toBe(true);
  expect((await kith('actions list --all --format ndjson')).out).toBe(out);
  const starts = items.map(({ start_at }) => Date.parse(start_at));
  expect(starts).toEqual(starts.toSorted((left, right) => right - left));
});

test('changes the state of items by their ids, and says what changed', async () => {
  const { kith, readIds, readTexts } = await createMeetingMachine('Send the offer', 'Call the landlord');
  const [first = '', second = ''] = await readIds();
  expect((await kith(`actions done ${first} ${second}`)).out).toBe(
    `Marked as done ${first}: Send the offer\nMarked as done ${second}: Call the landlord\n`,
  );
  expect((await kith(`actions done ${first}`)).out).toBe(`Already done ${first}: Send the offer\n`);
  const now = new Date('2026-11-20T10:00:00Z');
  expect(
    JSON.parse((await kith(`actions reopen ${first} ${second} --dry-run --json`, { now })).out),
  ).toMatchObject([
    { id: first, state: 'open', changed: true },
    { id: second, state: 'open', changed: true },
  ]);
  expect(await readTexts()).toEqual(['done Send the offer', 'done Call the landlord']);
  expect((await kith(`actions reopen ${second}`)).out).toBe(`Reopened ${second}: Call the landlord\n`);
  expect((await kith(`actions reopen ${second}`)).out).toBe(`Already open ${second}: Call the landlord\n`);
  expect(await readTexts()).toEqual(['done Send the offer', 'open Call the landlord']);
});

test('changes no item by the start of its id without a terminal, and asks in a terminal', async () => {
  const { kith, ledger, readIds, readTexts } = await createMeetingMachine('Send the offer');
  const [id = ''] = await readIds();
  const start = id.slice(0, 6);
  expect(await kith(`actions done ${start} --ledger '${ledger}'`)).toEqual({
    code: 2,
    out: '',
    err:
      `kith: 1 action item has an id that begins with "${start}": ${id} (Send the offer). Use the whole id.\n` +
      `hint: kith actions done ${id} --ledger ${ledger}\n`,
  });
  expect(await kith(['actions', 'done', ''])).toMatchObject({ code: 3, out: '' });
  expect(await readTexts()).toEqual(['open Send the offer']);
  const { out, err } = await kith(`actions done ${start}`, { terminal: 100, answers: ['offer'] });
  expect(err).toContain(`1 action item has an id that begins with "${start}". Which one?`);
  expect(out).toContain(`Marked as done ${id}: Send the offer`);
  expect(await readTexts()).toEqual(['done Send the offer']);
});

test('exits with 3 for an unknown id and changes nothing, and with 2 for a start that several ids have', async () => {
  const { kith, readIds, readTexts } = await createMeetingMachine(
    ...Array.from({ length: 40 }, (_, index) => `Send invoice ${index}`),
  );
  const ids = await readIds();
  const unknown = await kith(`actions done ${ids[0]} none`);
  expect(unknown).toMatchObject({ code: 3, out: '' });
  expect(unknown.err).toBe(
    'kith: No open action item has the id or text "none".\nhint: kith actions list --open\n',
  );
  const start = ids.map((id) => id.slice(0, 1)).find((first, index, all) => all.indexOf(first) < index) ?? '';
  const { code, err } = await kith(`actions done ${start}`);
  expect(code).toBe(2);
  expect(err).toContain(`action items have an id that begins with "${start}"`);
  expect(err).toContain(`kith actions done ${ids.find((id) => id.startsWith(start))}`);
  expect(await readTexts('--done')).toEqual([]);
});

test('changes the only item in the other state whose text has a part, and lists several', async () => {
  const { kith, readIds, readTexts } = await createMeetingMachine(
    'Send the slides',
    'Send the offer',
    'Sell',
  );
  const [slides, offer] = await readIds();
  expect(await kith('actions done send')).toEqual({
    code: 2,
    out: '',
    err:
      `kith: 2 action items have the text "send": ${slides} (Send the slides), ${offer} (Send the offer). Use the whole id.\n` +
      `hint: kith actions done ${slides}\n      kith actions done ${offer}\n`,
  });
  expect((await kith('actions done slide')).out).toBe(`Marked as done ${slides}: Send the slides\n`);
  expect((await kith('actions done slide')).code).toBe(3);
  expect((await kith('actions done send')).out).toBe(`Marked as done ${offer}: Send the offer\n`);
  expect((await kith(['actions', 'reopen', 'the SLIDES'])).code).toBe(0);
  expect(await readTexts()).toEqual(['open Send the slides', 'done Send the offer', 'open Sell']);
});

test('keeps the id and the state of an item whose text changes', async () => {
  const { kith, readIds, list, setItems } = await createMeetingMachine(
    'Send the offer to Hanbit',
    'Call the landlord',
  );
  const [offer, call] = await readIds();
  await kith(`actions done ${offer}`);
  setItems(['Call the landlord on Monday', 'Send the revised offer to Hanbit', 'Order a hygrometer']);
  const [first, second, third] = await list();
  expect([first.id, second.id]).toEqual([call, offer]);
  expect([first.state, second.state, third.state]).toEqual(['open', 'done', 'open']);
  setItems(['Send the revised offer to Hanbit Logistics']);
  await kith('index update --full');
  expect(await readIds('--done')).toEqual([offer]);
  // A new index compares with the text in the ledger, which is that of the change.
  setItems(['Send the revised offer to Hanbit']);
  await kith('index clear');
  expect(await readIds('--done')).toEqual([offer]);
});

test('lists an item once, as removed, if it has a state and the summary no longer has it', async () => {
  const { kith, readIds, readTexts, list, setItems } = await createMeetingMachine(
    'Send the offer',
    'Call the landlord',
  );
  const [offer] = await readIds();
  await kith(`actions done ${offer}`);
  setItems(
    ['Call the landlord'],
    [
      { id: 'r1', status: 'done' },
      { id: 'r2', status: 'processing' },
    ],
  );
  expect(await readTexts()).toEqual(['open Call the landlord']);
  setItems(['Call the landlord']);
  expect(await readTexts('--open')).toEqual(['open Call the landlord']);
  expect(await list("--where 'state = removed'")).toMatchObject([
    { id: offer, state: 'removed', text: 'Send the offer', title: 'Freezer review' },
  ]);
  expect(await readTexts()).toEqual(['open Call the landlord']);
  setItems(['Call the landlord', 'Send the offer.']);
  expect(await readTexts()).toEqual(['open Call the landlord', 'done Send the offer.']);
});

test('lists the removed items of a meeting without items, and keeps those of an unknown meeting', async () => {
  const { kith, records, readIds, readTexts, setItems } = await createMeetingMachine('Send the offer');
  const [offer] = await readIds();
  await kith(`actions done ${offer}`);
  setItems([]);
  await kith('index clear');
  const [meeting = {}] = records.meetings.splice(0);
  expect(await readTexts()).toEqual([]);
  records.meetings.push(meeting);
  await kith('index update --full');
  expect(await readTexts()).toEqual(['removed Send the offer']);
  expect(await readTexts()).toEqual([]);
});

test('lists the last item of a meeting as removed after the meeting was removed', async () => {
  const { kith, list, readIds, setItems } = await createMeetingMachine('Send the offer');
  await kith(`actions done ${await readIds()}`);
  setItems([]);
  expect(await list('--since 2026-01-01')).toMatchObject([
    { state: 'removed', title: 'Freezer review', start_at: '2026-05-04T09:00:00+09:00' },
  ]);
});

test('finds an item by its earlier id after an export has stored its state with another id', async () => {
  const { kith, ledger, readIds, setItems } = await createMeetingMachine('Send the offer to Hanbit');
  const [first = ''] = await readIds();
  setItems(['Send the revised offer to Hanbit']);
  expect(await readIds()).toEqual([first]);
  const text = 'Send the revised offer to Hanbit';
  const state = { event_id: 'm1', id: 'other', state: 'done', at: '2026-11-20T10:00:00.000Z', text };
  mkdirSync(dirname(ledger));
  writeFileSync(ledger, `{"kith_actions":1}\n${JSON.stringify(state)}\n`);
  expect(await readIds(`--ledger '${ledger}'`)).toEqual(['other']);
  expect((await kith(`actions reopen ${first} --ledger '${ledger}'`)).out).toBe(`Reopened other: ${text}\n`);
});

test('keeps the items of a recording that cannot be read', async () => {
  const { kith, records, readIds, readTexts, setItems } = await createMeetingMachine('Send the offer');
  const [offer] = await readIds();
  await kith(`actions done ${offer}`);
  setItems([]);
  records.recordings.clear();
  expect(await readTexts()).toEqual(['done Send the offer']);
});

test('stores the states in a file that only its owner can read, or in the file of --ledger or KITH_LEDGER', async () => {
  const { kith, folder, ledger, readIds, readTexts } = await createMeetingMachine('Send the offer');
  const [offer] = await readIds();
  await kith(`actions done ${offer} --ledger '${ledger}'`, { now: new Date('2026-11-20T10:00:00Z') });
  expect(readFileSync(ledger, 'utf8')).toBe(
    `{"kith_actions":1}\n{"event_id":"m1","id":"${offer}","state":"done","at":"2026-11-20T10:00:00.000Z","text":"Send the offer"}\n`,
  );
  expect((statSync(ledger).mode & 0o777).toString(8)).toBe('600');
  expect(await readTexts()).toEqual(['open Send the offer']);
  expect(await readTexts(`--ledger '${ledger}'`)).toEqual(['done Send the offer']);
  const shared = await kith('actions list --done --count', { env: { KITH_LEDGER: ledger } });
  expect(shared.out).toBe('1\n');
  expect(existsSync(join(folder, 'actions'))).toBe(false);
  await kith(`actions done ${offer}`);
  const [name = ''] = readdirSync(join(folder, 'actions'));
  expect(name).toMatch(/^[0-9a-f]{16}\.jsonl$/);
  expect((statSync(join(folder, 'actions', name)).mode & 0o777).toString(8)).toBe('600');
});

test('warns about a damaged line of the ledger', async () => {
  const { kith, ledger, folder, readIds } = await createMeetingMachine('Send the offer');
  const [offer] = await readIds();
  const file = join(folder, 'actions.jsonl');
  writeFileSync(file, '{"kith_actions":1}\n<<<<<<< HEAD\n');
  const { err } = await kith(`actions done ${offer} --ledger '${file}'`);
  expect(err).toBe(
    `kith: Line 2 of ${file} cannot be read as the state of an action item. kith skips damaged lines and keeps them in the file.\n`,
  );
  expect(readFileSync(file, 'utf8').split('\n').at(-2)).toBe('<<<<<<< HEAD');
  expect(existsSync(ledger)).toBe(false);
});

test('an export shows the states, stores the state of a ticked box, and builds no index', async () => {
  const { kith, folder, readTexts } = await createMeetingMachine('Send the offer', 'Call the landlord');
  const out = join(folder, 'meetings');
  const exportAll = async () => (await kith(['events', 'export', '--out', out])).out;
  expect(await exportAll()).toContain('1 new');
  expect(readdirSync(folder).filter((name) => name.startsWith('search-'))).toEqual([]);
  const file = join(out, readdirSync(out).find((name) => name.endsWith('.md')) ?? '');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('- [ ] Call', '- [x] Call'));
  expect(await exportAll()).toContain('0 updated, 1 unchanged');
  expect(await readTexts()).toEqual(['open Send the offer', 'done Call the landlord']);
  const [offer, call] = JSON.parse((await kith('actions list --json')).out);
  await kith(`actions done ${offer.id}`);
  await kith(`actions reopen ${call.id}`);
  expect(await exportAll()).toContain('1 updated');
  expect(readFileSync(file, 'utf8')).toBe(text.replace('- [ ] Send', '- [x] Send'));
});
