import { appendFileSync, chmodSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeActionLedger, readActionLedger } from '../../src/actions/ledger.ts';
import { readFolderStatus } from '../../src/export/status.ts';
import { createLockHolder, createTemporaryFolder } from '../support/kith.ts';
import { createMeeting, createRecording, emptyResult, startHost, updatedMeeting } from './export-host.ts';

const file = '2026-10-01-one-a.md';
const newFile = '2026-10-01-one-a.new.md';

/** Exports a meeting with action items, and another one, to a folder. */
async function exportItems(action_items: readonly string[], summary = '') {
  const host = await startHost([createMeeting('a', 'One'), createMeeting('b', 'Two')]);
  const setItems = (action_items: readonly string[], summary = '') =>
    host.service.responses.set('/v1/recordings/r-a', [
      200,
      createRecording('r-a', { summary: { summary, action_items } }),
    ]);
  setItems(action_items, summary);
  const path = join(createTemporaryFolder(), 'actions.jsonl');
  const run = (options = {}) => {
    host.takeRequests();
    return host.run({ actions: { path, ledger: readActionLedger(path) }, ...options });
  };
  await run();
  const markdown = join(host.folder, file);
  const edit = (change: (text: string) => string) =>
    writeFileSync(markdown, change(readFileSync(markdown, 'utf8')));
  return {
    ...host,
    path,
    markdown,
    run,
    setItems,
    edit,
    tick: (text: string) => edit((markdown) => markdown.replace(`- [ ] ${text}\n`, `- [x] ${text}\n`)),
    untick: (text: string) => edit((markdown) => markdown.replace(`- [x] ${text}\n`, `- [ ] ${text}\n`)),
    readBoxes: (name = file) => readFileSync(join(host.folder, name), 'utf8').match(/^- \[.*$/gm),
    readStates: () =>
      Array.from(readActionLedger(path).listAll(), ({ state, text }) => `${state} ${text}`).sort(),
    setState: (text: string, state: 'open' | 'done') =>
      changeActionLedger(path, createLockHolder(), (ledger) => {
        const stored = ledger.listStates('a').find((stored) => stored.text === text);
        const { id } = stored ?? { id: `id-of-${text}` };
        return [{ event_id: 'a', id, state, at: '2026-11-20T10:00:00.000Z', text }];
      }),
  };
}

const tick = (box: string) => (text: string) => text.replace(`- [ ] ${box}\n`, `- [x] ${box}\n`);

// A person changes the file; the next run stores the states and keeps the file.
test.each<
  [string, items: readonly string[], (text: string) => string, states: readonly string[], edited?: string]
>([
  ['a box is ticked', ['Send', 'Call'], tick('Call'), ['done Call']],
  [
    'all boxes are ticked',
    ['Send', 'Call'],
    (text) => tick('Send')(tick('Call')(text)),
    ['done Call', 'done Send'],
  ],
  [
    'only the second of two equal boxes is ticked',
    ['Call', 'Call'],
    (text) => text.replace('- [ ] Call\n- [ ] Call', '- [ ] Call\n- [x] Call'),
    ['done Call'],
  ],
  [
    'an item with control characters is ticked',
    ['Send \u001b[31m8 offers\u0007', 'Call'],
    (text) => text.replace('- [ ] Send', '- [x] Send'),
    ['done Send \u001b[31m8 offers\u0007'],
  ],
  ['a box is ticked that is no action item', ['Send'], tick('A quote'), []],
  ['other text is edited too', ['Send', 'Call'], (text) => `${tick('Call')(text)}mine\n`, [], file],
])(
  'if %s, stores the states of items alone, and keeps the file',
  async (_, items, change, states, edited) => {
    const { run, folder, markdown, edit, readStates } = await exportItems(items, '- [ ] A quote');
    edit(change);
    const text = readFileSync(markdown, 'utf8');
    expect((await readFolderStatus(folder, 14, new Date())).edited).toEqual(edited ? [edited] : []);
    for (const options of [{}, {}, { full: true }]) {
      expect(await run(options)).toEqual({ ...emptyResult, unchanged: 2 });
      expect(readStates()).toEqual(states);
      expect(readFileSync(markdown, 'utf8')).toBe(text);
    }
  },
);

test('stores the state of a box that a person unticked', async () => {
  const { run, tick, untick, readBoxes, readStates } = await exportItems(['Send', 'Call']);
  tick('Call');
  await run();
  untick('Call');
  tick('Send');
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(readStates()).toEqual(['done Send', 'open Call']);
  expect(readBoxes()).toEqual(['- [x] Send', '- [ ] Call']);
});

test('updates only the files of meetings with items whose state changed, also if no list contains them', async () => {
  const { run, service, readBoxes, setState, takeRequests } = await exportItems(['Send the offer', 'Call']);
  service.meetings = [createMeeting('a', 'One'), updatedMeeting('b', 'Two', '2026-11-20T09:30:00.000Z')];
  await run();
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(takeRequests().filter((url) => !url.includes('?'))).toEqual([]);
  for (const [state, mark] of [
    ['done', 'x'],
    ['open', ' '],
  ] as const) {
    await setState('Send the offer', state);
    expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
    expect(takeRequests().slice(-2)).toEqual(['/v1/calendar_events/a', '/v1/recordings/r-a']);
    expect(readBoxes()).toEqual([`- [${mark}] Send the offer`, '- [ ] Call']);
    expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  }
});

test('overwrites a file with a ticked box when its meeting changes', async () => {
  const { run, service, tick, setItems, readBoxes, readStates } = await exportItems([
    'Send the offer to Hanbit',
    'Call',
  ]);
  tick('Send the offer to Hanbit');
  service.meetings = [updatedMeeting('a', 'One', '2026-11-20T10:00:00.000Z'), createMeeting('b', 'Two')];
  setItems(['Call', 'Send the revised offer to Hanbit']);
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(readBoxes()).toEqual(['- [ ] Call', '- [x] Send the revised offer to Hanbit']);
  expect(readStates()).toEqual(['done Send the revised offer to Hanbit']);
});

test('writes the states next to an edited file, and stores those of the .new file that was moved over it', async () => {
  const { run, folder, tick, markdown, readBoxes, readStates, setState } = await exportItems([
    'Send',
    'Call',
  ]);
  tick('Call');
  appendFileSync(markdown, 'mine\n');
  await setState('Send', 'done');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1, edited: [file] });
  expect(readBoxes()).toEqual(['- [ ] Send', '- [x] Call']);
  expect(readBoxes(newFile)).toEqual(['- [x] Send', '- [ ] Call']);
  renameSync(join(folder, newFile), markdown);
  tick('Call');
  expect((await readFolderStatus(folder, 14, new Date())).edited).toEqual([]);
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(readStates()).toEqual(['done Call', 'done Send']);
  await setState('Send', 'open');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(readBoxes()).toEqual(['- [ ] Send', '- [x] Call']);
});

test('finds a ticked box in a file with an old mtime, and one that was ticked before a run that failed', async () => {
  const { run, service, folder, tick, markdown, readStates } = await exportItems(['Send', 'Call']);
  tick('Send');
  utimesSync(markdown, new Date('2020-01-01'), new Date('2020-01-01'));
  await run();
  expect(readStates()).toEqual(['done Send']);
  tick('Call');
  service.responses.set('/v1/calendar_events', [401, {}]);
  await expect(run()).rejects.toThrow();
  // As if the run had failed two hours after the change: a run that is killed writes the ledger until then.
  const later = new Date(Date.now() + 7_200_000);
  utimesSync(join(folder, '.kith-export.jsonl'), later, later);
  service.responses.delete('/v1/calendar_events');
  await run();
  expect(readStates()).toEqual(['done Call', 'done Send']);
});

test('gives done boxes their states again if the ledger was lost, but no box that was opened again', async () => {
  const { run, tick, untick, path, readBoxes, readStates, setState } = await exportItems([
    'Send',
    'Call',
    'Pay',
  ]);
  tick('Send');
  tick('Call');
  await run();
  writeFileSync(path, '');
  untick('Call');
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(readBoxes()).toEqual(['- [x] Send', '- [ ] Call', '- [ ] Pay']);
  expect(readStates()).toEqual(['done Send']);
  await setState('Send', 'open');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(readBoxes()).toEqual(['- [ ] Send', '- [ ] Call', '- [ ] Pay']);
});

test('gives no item the state of an equal box in the text of a summary', async () => {
  const { run, setItems, setState, readStates } = await exportItems(['Send']);
  setItems(['Send', 'Call'], '- [x] Send');
  await setState('Call', 'done');
  await run({ full: true });
  await setState('Call', 'open');
  await run();
  expect(readStates()).toEqual(['open Call']);
});

test('a ticked box in one folder appears in another folder', async () => {
  const { run, tick, readStates } = await exportItems(['Call']);
  const other = join(createTemporaryFolder(), 'other');
  await run({ folder: other });
  tick('Call');
  await run();
  expect(readStates()).toEqual(['done Call']);
  expect(await run({ folder: other })).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(readFileSync(join(other, file), 'utf8')).toContain('- [x] Call');
});

test('fails only the meeting with a ticked box if the ledger cannot be written', async () => {
  const { run, tick, path, markdown } = await exportItems(['Call']);
  tick('Call');
  const ticked = readFileSync(markdown, 'utf8');
  writeFileSync(path, '{"kith_actions":1}\n');
  chmodSync(path, 0o400);
  const blocked = join('/proc/nowhere', 'actions.jsonl');
  const { failed } = await run({ actions: { path: blocked, ledger: readActionLedger(path) } });
  const reason = expect.stringContaining(`Cannot write ${blocked}`);
  expect(failed).toEqual([{ id: 'a', title: 'One', reason }]);
  expect(readFileSync(markdown, 'utf8')).toBe(ticked);
});
