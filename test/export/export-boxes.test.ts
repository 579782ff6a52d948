import { appendFileSync, chmodSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeActionLedger, readActionLedger } from '../../src/actions/ledger.ts';
import { readFolderStatus } from '../../src/export/status.ts';
import { createLockHolder, createTemporaryFolder } from '../support/kith.ts';
import { createMeeting, createRecording, emptyResult, startHost, updatedMeeting } from './export-host.ts';

const file = '2026-10-01-one-a.md';

/** Exports a meeting with action items, and another one, to a folder. */
async function exportItems(...texts: readonly string[]) {
  const meetings = [createMeeting('a', 'One'), createMeeting('b', 'Two')];
  const host = await startHost(meetings);
  const setItems = (action_items: readonly string[], updated_at?: string) => {
    if (updated_at)
      host.service.meetings = [updatedMeeting('a', 'One', updated_at), createMeeting('b', 'Two')];
    host.service.responses.set('/v1/recordings/r-a', [
      200,
      createRecording('r-a', { summary: { action_items } }),
    ]);
  };
  setItems(texts);
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
    readStates: () => Array.from(readActionLedger(path).listAll(), ({ state, text }) => `${state} ${text}`),
    setState: (text: string, state: 'open' | 'done') =>
      changeActionLedger(path, createLockHolder(), (ledger) => {
        const stored = ledger.listStates('a').find((stored) => stored.text === text);
        const { id } = stored ?? { id: `id-of-${text}` };
        return [{ event_id: 'a', id, state, at: '2026-11-20T10:00:00.000Z', text }];
      }),
  };
}

test('updates only the files of meetings with items whose state changed', async () => {
  const { run, readBoxes, setState, takeRequests } = await exportItems('Send the offer', 'Call');
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  await setState('Send the offer', 'done');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(takeRequests().filter((url) => url.includes('/recordings/'))).toEqual(['/v1/recordings/r-a']);
  expect(readBoxes()).toEqual(['- [x] Send the offer', '- [ ] Call']);
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  await setState('Send the offer', 'open');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(readBoxes()).toEqual(['- [ ] Send the offer', '- [ ] Call']);
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
});

test('updates the file of a meeting that the list of a later run does not contain', async () => {
  const { run, service, readBoxes, setState, takeRequests } = await exportItems('Send the offer');
  service.meetings = [createMeeting('a', 'One'), updatedMeeting('b', 'Two', '2026-11-20T09:30:00.000Z')];
  await run();
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(takeRequests().filter((url) => !url.includes('?'))).toEqual([]);
  await setState('Send the offer', 'done');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(takeRequests().slice(-2)).toEqual(['/v1/calendar_events/a', '/v1/recordings/r-a']);
  expect(readBoxes()).toEqual(['- [x] Send the offer']);
});

test('stores the state of a box that a person ticked or unticked, and keeps the file', async () => {
  const { run, folder, tick, untick, markdown, readBoxes, readStates } = await exportItems(
    'Send the offer',
    'Call',
  );
  tick('Call');
  const ticked = readFileSync(markdown, 'utf8');
  expect((await readFolderStatus(folder, 14, new Date())).edited).toEqual([]);
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(readFileSync(markdown, 'utf8')).toBe(ticked);
  expect(readStates()).toEqual(['done Call']);
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  untick('Call');
  tick('Send the offer');
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(readStates().toSorted()).toEqual(['done Send the offer', 'open Call']);
  expect(readBoxes()).toEqual(['- [x] Send the offer', '- [ ] Call']);
});

test('overwrites a file with a ticked box when its meeting changes', async () => {
  const { run, tick, setItems, readBoxes, readStates } = await exportItems(
    'Send the offer to Hanbit',
    'Call',
  );
  tick('Send the offer to Hanbit');
  setItems(['Call', 'Send the revised offer to Hanbit'], '2026-11-20T10:00:00.000Z');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(readBoxes()).toEqual(['- [ ] Call', '- [x] Send the revised offer to Hanbit']);
  expect(readStates()).toEqual(['done Send the revised offer to Hanbit']);
});

test('keeps a file with other edits, and does not store the state of its box', async () => {
  const { run, tick, markdown, readBoxes, readStates, setState } = await exportItems(
    'Send the offer',
    'Call',
  );
  tick('Call');
  appendFileSync(markdown, 'mine\n');
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(readStates()).toEqual([]);
  await setState('Send the offer', 'done');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1, edited: [file] });
  expect(readBoxes()).toEqual(['- [ ] Send the offer', '- [x] Call']);
  expect(readBoxes('2026-10-01-one-a.new.md')).toEqual(['- [x] Send the offer', '- [ ] Call']);
});

test('stores the state of a box in a .new file that a person moved over the edited file', async () => {
  const { run, folder, tick, markdown, readBoxes, readStates, setState } = await exportItems('Send', 'Call');
  appendFileSync(markdown, 'mine\n');
  await setState('Send', 'done');
  await run();
  renameSync(join(folder, '2026-10-01-one-a.new.md'), markdown);
  tick('Call');
  expect((await readFolderStatus(folder, 14, new Date())).edited).toEqual([]);
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(readStates().toSorted()).toEqual(['done Call', 'done Send']);
  await setState('Send', 'open');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(readBoxes()).toEqual(['- [ ] Send', '- [x] Call']);
});

test('takes over the box of an item with control characters', async () => {
  const { run, edit, readStates } = await exportItems('Send \u001b[31m8 offers\u0007', 'Call');
  edit((markdown) => markdown.replace('- [ ] Send', '- [x] Send'));
  await run();
  expect(readStates()).toEqual(['done Send \u001b[31m8 offers\u0007']);
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
});

test('keeps a file in which a person ticked a box that is no action item', async () => {
  const { run, service, tick, folder, readStates } = await exportItems('Send the offer');
  const summary = { summary: '- [ ] A quote', action_items: ['Send the offer'] };
  service.responses.set('/v1/recordings/r-a', [200, createRecording('r-a', { summary })]);
  await run({ full: true });
  tick('A quote');
  expect(await run({ full: true })).toEqual({ ...emptyResult, unchanged: 2 });
  expect(readStates()).toEqual([]);
  expect(readFileSync(join(folder, file), 'utf8')).toContain('- [x] A quote');
});

test('stores the state of only the ticked one of two equal items', async () => {
  const { run, edit, readBoxes, path } = await exportItems('Call', 'Call');
  edit((markdown) => markdown.replace('- [ ] Call\n- [ ] Call', '- [ ] Call\n- [x] Call'));
  await run();
  expect(readBoxes()).toEqual(['- [ ] Call', '- [x] Call']);
  await run({ full: true });
  expect(readBoxes()).toEqual(['- [ ] Call', '- [x] Call']);
  expect(Array.from(readActionLedger(path).listAll()).length).toBe(1);
});

test('finds a ticked box in a file with an old mtime', async () => {
  const { run, tick, markdown, readStates } = await exportItems('Call');
  tick('Call');
  utimesSync(markdown, new Date('2020-01-01'), new Date('2020-01-01'));
  await run();
  expect(readStates()).toEqual(['done Call']);
});

test('finds a box that was ticked before a run that failed', async () => {
  const { run, service, folder, tick, readStates } = await exportItems('Call');
  tick('Call');
  service.responses.set('/v1/calendar_events', [401, {}]);
  await expect(run()).rejects.toThrow();
  // As if the run had failed two hours after the change: a run that is killed writes the ledger until then.
  const later = new Date(Date.now() + 7_200_000);
  utimesSync(join(folder, '.kith-export.jsonl'), later, later);
  service.responses.delete('/v1/calendar_events');
  await run();
  expect(readStates()).toEqual(['done Call']);
});

test('gives done boxes their states again if the ledger was lost, but no box that was opened again', async () => {
  const { run, tick, untick, path, readBoxes, readStates, setState } = await exportItems(
    'Send',
    'Call',
    'Pay',
  );
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
  const { run, service, setState, readStates } = await exportItems('Send');
  const summary = { summary: '- [x] Send', action_items: ['Send', 'Call'] };
  service.responses.set('/v1/recordings/r-a', [200, createRecording('r-a', { summary })]);
  await setState('Call', 'done');
  await run({ full: true });
  await setState('Call', 'open');
  await run();
  expect(readStates()).toEqual(['open Call']);
});

test('a ticked box in one folder appears in another folder', async () => {
  const { run, tick, readStates } = await exportItems('Call');
  const other = join(createTemporaryFolder(), 'other');
  await run({ folder: other });
  tick('Call');
  await run();
  expect(readStates()).toEqual(['done Call']);
  expect(await run({ folder: other })).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(readFileSync(join(other, file), 'utf8')).toContain('- [x] Call');
});

test('fails only the meeting with a ticked box if the ledger cannot be written', async () => {
  const { run, tick, path, markdown } = await exportItems('Call');
  tick('Call');
  const ticked = readFileSync(markdown, 'utf8');
  writeFileSync(path, '{"kith_actions":1}\n');
  chmodSync(path, 0o400);
  const blocked = join('/proc/nowhere', 'actions.jsonl');
  const result = await run({ actions: { path: blocked, ledger: readActionLedger(path) } });
  expect(result.failed).toMatchObject([
    { id: 'a', reason: expect.stringContaining(`Cannot write ${blocked}`) },
  ]);
  expect(readFileSync(markdown, 'utf8')).toBe(ticked);
});
