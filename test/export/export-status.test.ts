import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { createMeeting, emptyResult, readTexts, startHost } from './export-host.ts';

/** Starts a service and a machine that reaches it through its environment alone. */
async function createExport(meetings: readonly ReturnType<typeof createMeeting>[]) {
  const host = await startHost(meetings);
  host.service.clock = new Date();
  const settings = createTemporaryFolder();
  const env = { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: host.url };
  const kith = (line: string) => {
    const retries = line.includes('status') ? '' : ' --retries 0';
    return createMachine(settings)(line.replace('DIR', `"${host.folder}"`) + retries, { env });
  };
  return { ...host, settings, kith };
}

const formatStatus = (folder: string, ...lines: string[]) => `${folder}: ${lines.join('\n')}\n`;

test('prints one line, and nothing with --quiet', async () => {
  const { kith, folder, settings } = await createExport([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two', 'processing'),
  ]);
  const line = (text: string) => ({ code: 0, out: `${folder}: ${text}, 0 failed\n`, err: '' });
  expect(await kith('events export --out DIR')).toEqual(line('2 new, 0 updated, 0 unchanged, 1 pending'));
  expect(await kith('events export --out DIR')).toEqual(line('0 new, 0 updated, 2 unchanged, 1 pending'));
  expect(await kith('events export --out DIR --quiet')).toEqual({ code: 0, out: '', err: '' });
  expect(existsSync(join(settings, 'config.json'))).toBe(false);
});

test('prints rare counts only if they are not zero, and names edited files', async () => {
  const { kith, folder, service } = await createExport(
    ['a', 'b', 'c'].map((id) => createMeeting(id, 'One', 'processing')),
  );
  await kith('events export --out DIR');
  appendFileSync(join(folder, '2026-10-01-one-a.md'), 'mine');
  service.meetings = [createMeeting('a', 'One'), createMeeting('b', 'One', 'processing')];
  const note =
    'kith: 2026-10-01-one-a.md was edited, so it is not overwritten; the new text is in a .new file next to it.\n';
  expect(await kith('events export --out DIR --full --settle 0')).toEqual({
    code: 0,
    out: formatStatus(
      folder,
      '0 new, 1 updated, 1 unchanged, 0 pending, 1 late, 1 deleted upstream, 1 edited, 0 failed',
    ),
    err: note,
  });
});

test('overwrites a file if only its line endings have changed', async () => {
  const { kith, folder, service } = await createExport([createMeeting('a', 'One')]);
  await kith('events export --out DIR');
  const file = join(folder, '2026-10-01-one-a.md');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll('\n', '\r\n'));
  expect((await kith('events export --out DIR --full')).out).toBe(
    formatStatus(folder, '0 new, 0 updated, 1 unchanged, 0 pending, 0 failed'),
  );
  service.meetings = [createMeeting('a', 'One', 'processing')];
  expect(await kith('events export --out DIR --full --settle 0')).toMatchObject({ code: 0, err: '' });
  expect(readFileSync(file, 'utf8')).not.toContain('\r');
});

test('reports the files that --prune deleted', async () => {
  const { kith, folder, service } = await createExport([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two'),
  ]);
  await kith('events export --out DIR --with json');
  await kith('events export --out DIR');
  service.meetings = [createMeeting('b', 'Two')];
  expect(await kith('events export --out DIR --prune --yes')).toEqual({
    code: 0,
    out: formatStatus(folder, '0 new, 0 updated, 1 unchanged, 0 pending, 0 failed'),
    err:
      'kith: Deleted 2 files of 1 meeting no longer on the service.\n' +
      'kith: Deleted 1 unused file of earlier export options.\n',
  });
});

test('prints the counts with --json, also with --quiet', async () => {
  const { kith } = await createExport([createMeeting('a', 'One')]);
  const { out, ...rest } = await kith('events export --out DIR --json --quiet');
  expect([JSON.parse(out), rest]).toEqual([
    { ...emptyResult, new: 1 },
    { code: 0, err: '' },
  ]);
});

test('names failed meetings and exits with 6, also with --quiet and --json', async () => {
  const { kith, folder, service } = await createExport([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two'),
  ]);
  service.responses.set('/v1/recordings/r-b', [500, { error: 'Oh no.' }]);
  const message = 'Not exported: b "Two" (Oh no.)';
  const err = `kith: ${message}\nhint: Run the command again to retry only these meetings.\n`;
  const line = formatStatus(folder, '1 new, 0 updated, 0 unchanged, 0 pending, 1 failed');
  expect(await kith('events export --out DIR')).toEqual({ code: 6, out: line, err });
  expect(await kith('events export --out DIR --quiet')).toEqual({ code: 6, out: '', err });
  const { code, err: json } = await kith('events export --out DIR --json');
  const hint = 'Run the command again to retry only these meetings.';
  expect([code, JSON.parse(json)]).toEqual([
    6,
    { error: { code: 'partial', message, details: [], exit_code: 6, hint, retryable: false } },
  ]);
});

test('exits with 75 and one line during another run', async () => {
  const { kith, folder, takeRequests } = await createExport([createMeeting('a', 'One')]);
  await kith('events export --out DIR');
  takeRequests();
  const lock = { pid: process.pid + 1, host: 'test', since: '2026-11-20T10:00:00.000Z' };
  writeFileSync(join(folder, '.kith-export.lock'), JSON.stringify(lock));
  const err = `kith: Another run is exporting to ${folder}: process ${lock.pid}, since ${lock.since}.\n`;
  expect(await kith('events export --out DIR --quiet')).toEqual({ code: 75, out: '', err });
  expect(takeRequests()).toEqual([]);
});

test('shows the status of a folder without the service', async () => {
  const { kith, folder, service, takeRequests } = await createExport([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two', 'processing'),
    createMeeting('c', 'Three'),
    createMeeting('d', 'Four'),
    createMeeting('e', 'Five'),
  ]);
  service.meetings.splice(1, 1);
  await kith('events export --out DIR');
  expect(await kith('events export status DIR')).toEqual({
    code: 0,
    out: formatStatus(
      folder,
      '4 exported, 0 pending, 0 late, 0 failed, 0 deleted upstream, 0 edited, 0 missing',
    ),
    err: '',
  });
  const since = new Date().toISOString().slice(0, 10);
  service.meetings = [
    createMeeting('b', 'Two', 'processing'),
    createMeeting('c', 'Three'),
    createMeeting('d', 'Four'),
    createMeeting('f', 'Six'),
  ];
  service.responses.set('/v1/recordings/r-f', [500, { error: 'Oh no.' }]);
  await kith('events export --out DIR --full');
  appendFileSync(join(folder, '2026-10-01-three-c.md'), 'mine');
  rmSync(join(folder, '2026-10-01-four-d.md'));
  rmSync(join(folder, '2026-10-01-one-a.md'));
  takeRequests();
  const { code, out, err } = await kith('events export status DIR');
  expect([code, takeRequests(), err]).toEqual([6, [], 'kith: 1 recording or meeting is late or failed.\n']);
  expect(out.replace(/since [^)]*/, 'since then')).toBe(
    formatStatus(
      folder,
      '3 exported, 1 pending, 0 late, 1 failed, 2 deleted upstream, 1 edited, 1 missing',
      'pending: r-b "Two" (not done since then)',
      'failed: f "Six" (Oh no.)',
      'edited: 2026-10-01-three-c.md',
      'missing: 2026-10-01-four-d.md',
    ),
  );
  expect(out).toContain(`not done since ${since}`);
  const lateResult = await kith('events export status DIR --settle 0 --json');
  expect([lateResult.code, JSON.parse(lateResult.out)]).toMatchObject([
    6,
    { exported: 3, pending: [], late: [{ id: 'r-b' }] },
  ]);
});

test('no longer counts a file as edited once its .new file was moved over it', async () => {
  const { kith, folder, service } = await createExport([createMeeting('a', 'One')]);
  await kith('events export --out DIR');
  const path = join(folder, '2026-10-01-one-a.md');
  writeFileSync(path, 'mine');
  service.meetings = [createMeeting('a', 'ONE', 'done', { updated_at: new Date().toISOString() })];
  await kith('events export --out DIR');
  expect((await kith('events export status DIR')).out).toContain('1 edited');
  writeFileSync(path, readTexts(folder)['2026-10-01-one-a.new.md'] ?? '');
  expect((await kith('events export status DIR')).out).toContain('0 edited');
});

test('compares a folder with the service without downloading recordings', async () => {
  const { kith, folder, service, takeRequests } = await createExport(
    ['a', 'b', 'c', 'd'].map((id) => createMeeting(id, 'One')),
  );
  await kith('events export --out DIR');
  takeRequests();
  const cleanStatus =
    '4 exported, 0 pending, 0 late, 0 failed, 0 deleted upstream, 0 edited, 0 missing, 0 changed, 0 new, 0 unlisted';
  expect(await kith('events export verify DIR')).toEqual({
    code: 0,
    out: formatStatus(folder, cleanStatus),
    err: '',
  });
  writeFileSync(join(folder, '2026-10-01-one-a.md'), 'mine');
  rmSync(join(folder, '2026-10-01-one-b.md'));
  service.meetings = [
    createMeeting('b', 'One'),
    createMeeting('c', 'Moved', 'done', { updated_at: '2026-11-20T10:00:00.000Z' }),
    createMeeting('d', 'One'),
    createMeeting('e', 'New'),
  ];
  expect(await kith('events export verify DIR')).toEqual({
    code: 6,
    out: formatStatus(
      folder,
      '4 exported, 0 pending, 0 late, 0 failed, 0 deleted upstream, 1 edited, 1 missing, 1 changed, 1 new, 1 unlisted',
      'edited: 2026-10-01-one-a.md',
      'missing: 2026-10-01-one-b.md',
      'changed: c "Moved"',
      'new: e "New"',
      'unlisted: a "One"',
    ),
    err: 'kith: Found 5 differences.\n',
  });
  expect(takeRequests().filter((url) => url.includes('recordings'))).toEqual([]);
  await kith('events export --out DIR --full');
  rmSync(join(folder, '2026-10-01-one-a.md'));
  expect((await kith('events export verify DIR')).out).toBe(
    formatStatus(
      folder,
      '4 exported, 0 pending, 0 late, 0 failed, 1 deleted upstream, 0 edited, 0 missing, 0 changed, 0 new, 0 unlisted',
    ),
  );
});

test('compares a folder with the meetings of a contact only with those', async () => {
  const { kith, service, takeRequests } = await createExport([
    createMeeting('a', 'One', 'done', { attendees: [{ email: 'x' }] }),
    createMeeting('b', 'Two', 'done', { attendees: [{ email: 'y' }] }),
    createMeeting('c', 'Three', 'done', { attendees: [{ email: 'z' }] }),
  ]);
  for (const contact of ['x', 'y']) {
    service.responses.set(`/v1/contacts/${contact}`, [200, { id: contact }]);
    await kith(`events export --out DIR --contact ${contact}`);
  }
  takeRequests();
  const { code, out } = await kith('events export verify DIR --json');
  expect([code, JSON.parse(out).exported]).toEqual([0, 2]);
  expect(takeRequests()).toEqual(
    ['x', 'y'].map((id) => `/v1/calendar_events?contact_id=${id}&first=100&after=0`),
  );
});

test('reports a restored meeting as changed until it is exported again', async () => {
  const { kith, service } = await createExport([createMeeting('a', 'One')]);
  await kith('events export --out DIR');
  service.meetings = [];
  await kith('events export --out DIR --full');
  service.meetings = [createMeeting('a', 'One')];
  expect(await kith('events export verify DIR')).toMatchObject({
    code: 6,
    out: expect.stringContaining('1 changed'),
  });
  await kith('events export --out DIR --full');
  expect((await kith('events export verify DIR')).code).toBe(0);
});

test.each(['status', 'verify'])('%s exits with 3 if nothing was exported to the folder', async (verb) => {
  const { kith, takeRequests } = await createExport([]);
  const folder = createTemporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  for (const path of [folder, file]) {
    const message = `Nothing was exported to ${path}.\nhint: kith meetings export --out ${path}\n`;
    expect(await kith(`events export ${verb} "${path}"`)).toEqual({
      code: 3,
      out: '',
      err: `kith: ${message}`,
    });
  }
  expect(takeRequests()).toEqual([]);
});
