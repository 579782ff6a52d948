import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { createMeeting, readTexts, startHost } from './export-host.ts';

/** Starts a service with meetings, and a machine that exports from it. */
async function startExport(meetings: readonly ReturnType<typeof createMeeting>[]) {
  const host = await startHost(meetings);
  host.service.clock = new Date();
  const env = { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: host.url };
  const kith = (line: string) => {
    const retries = line.includes('status') ? '' : ' --retries 0';
    return createMachine()(line.replace('DIR', `"${host.folder}"`) + retries, { env });
  };
  return {
    ...host,
    kith,
    toPath: (name: string) => join(host.folder, name),
    print: (...lines: string[]) => `${host.folder}: ${lines.join('\n')}\n`,
  };
}

test('prints rare counts only if they are not zero, and names edited files', async () => {
  const { kith, toPath, service, print } = await startExport(
    ['a', 'b', 'c'].map((id) => createMeeting(id, 'One', 'processing')),
  );
  await kith('events export --out DIR');
  appendFileSync(toPath('2026-10-01-one-a.md'), 'mine');
  service.meetings = [createMeeting('a', 'One'), createMeeting('b', 'One', 'processing')];
  const counts = '0 new, 1 updated, 1 unchanged, 0 pending, 1 late, 1 deleted upstream, 1 edited, 0 failed';
  const note =
    '2026-10-01-one-a.md was edited, so it is not overwritten; the new text is in a .new file next to it.';
  const result = await kith('events export --out DIR --full --settle 0');
  expect(result).toEqual({ code: 0, out: print(counts), err: `kith: ${note}\n` });
});

test('--prune deletes more than a tenth of the files only with --yes, and reports them', async () => {
  const { kith, folder, service, print } = await startExport([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two'),
  ]);
  await kith('events export --out DIR --with json');
  await kith('events export --out DIR');
  service.meetings = [createMeeting('b', 'Two')];
  const texts = readTexts(folder);
  expect(await kith('events export --out DIR --prune')).toEqual({
    code: 1,
    out: '',
    err:
      'kith: --prune would delete 3 of 4 files; nothing was deleted.\n' +
      'hint: To delete them anyway, also pass --yes.\n',
  });
  expect(readTexts(folder)).toEqual(texts);
  expect(await kith('events export --out DIR --prune --yes')).toEqual({
    code: 0,
    out: print('0 new, 0 updated, 1 unchanged, 0 pending, 0 failed'),
    err:
      'kith: Deleted 2 files of 1 meeting no longer on the service.\n' +
      'kith: Deleted 1 unused file of earlier export options.\n',
  });
  expect(Object.keys(readTexts(folder))).toEqual(['2026-10-01-two-b.md']);
});

test('shows the status of a folder without the service', async () => {
  const { kith, toPath, service, takeRequests, print } = await startExport(
    ['One a', 'Three c', 'Four d', 'Five e'].map((title) => createMeeting(title.slice(-1), title)),
  );
  await kith('events export --out DIR');
  const clean = '4 exported, 0 pending, 0 late, 0 failed, 0 deleted upstream, 0 edited, 0 missing';
  expect(await kith('events export status DIR')).toEqual({ code: 0, out: print(clean), err: '' });
  service.meetings = [
    createMeeting('b', 'Two', 'processing'),
    createMeeting('c', 'Three c'),
    createMeeting('d', 'Four d'),
    createMeeting('f', 'Six'),
  ];
  service.responses.set('/v1/recordings/r-f', [500, { error: 'Oh no.' }]);
  await kith('events export --out DIR --full');
  appendFileSync(toPath('2026-10-01-three-c-c.md'), 'mine');
  rmSync(toPath('2026-10-01-four-d-d.md'));
  rmSync(toPath('2026-10-01-one-a-a.md'));
  takeRequests();
  const { code, out, err } = await kith('events export status DIR');
  expect([code, takeRequests(), err]).toEqual([6, [], 'kith: 1 recording or meeting is late or failed.\n']);
  expect(out.replace(/since \d[^)]*/, 'since then')).toBe(
    print(
      '3 exported, 1 pending, 0 late, 1 failed, 2 deleted upstream, 1 edited, 1 missing',
      'pending: r-b "Two" (not done since then)',
      'failed: f "Six" (Oh no.)',
      'edited: 2026-10-01-three-c-c.md',
      'missing: 2026-10-01-four-d-d.md',
    ),
  );
  expect(out).toContain(`not done since ${new Date().toISOString().slice(0, 10)}`);
  const late = await kith('events export status DIR --settle 0 --json');
  const counts = { exported: 3, pending: [], late: [{ id: 'r-b' }] };
  expect([late.code, JSON.parse(late.out)]).toMatchObject([6, counts]);
});

test('no longer counts a file as edited once its .new file was moved over it', async () => {
  const { kith, folder, toPath, service } = await startExport([createMeeting('a', 'One')]);
  await kith('events export --out DIR');
  writeFileSync(toPath('2026-10-01-one-a.md'), 'mine');
  service.meetings = [createMeeting('a', 'ONE', 'done', { updated_at: new Date().toISOString() })];
  await kith('events export --out DIR');
  expect((await kith('events export status DIR')).out).toContain('1 edited');
  writeFileSync(toPath('2026-10-01-one-a.md'), readTexts(folder)['2026-10-01-one-a.new.md'] ?? '');
  expect((await kith('events export status DIR')).out).toContain('0 edited');
});

test('verify compares a folder with the service without downloading recordings', async () => {
  const { kith, toPath, service, takeRequests, print } = await startExport(
    ['a', 'b', 'c', 'd'].map((id) => createMeeting(id, 'One')),
  );
  await kith('events export --out DIR');
  takeRequests();
  const differences = (counts: string) => `4 exported, 0 pending, 0 late, 0 failed, ${counts}`;
  const none = '0 deleted upstream, 0 edited, 0 missing, 0 changed, 0 new, 0 unlisted';
  expect(await kith('events export verify DIR')).toEqual({ code: 0, out: print(differences(none)), err: '' });
  writeFileSync(toPath('2026-10-01-one-a.md'), 'mine');
  rmSync(toPath('2026-10-01-one-b.md'));
  service.meetings = [
    createMeeting('b', 'One'),
    createMeeting('c', 'Moved', 'done', { updated_at: '2026-11-20T10:00:00.000Z' }),
    createMeeting('d', 'One'),
    createMeeting('e', 'New'),
  ];
  expect(await kith('events export verify DIR')).toEqual({
    code: 6,
    out: print(
      differences('0 deleted upstream, 1 edited, 1 missing, 1 changed, 1 new, 1 unlisted'),
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
  rmSync(toPath('2026-10-01-one-a.md'));
  const deleted = '1 deleted upstream, 0 edited, 0 missing, 0 changed, 0 new, 0 unlisted';
  expect((await kith('events export verify DIR')).out).toBe(print(differences(deleted)));
  // A restored meeting is changed until it is exported again.
  service.meetings.unshift(createMeeting('a', 'One'));
  expect(await kith('events export verify DIR')).toMatchObject({
    code: 6,
    out: expect.stringContaining('changed: a "One"'),
  });
  await kith('events export --out DIR --full');
  expect((await kith('events export verify DIR')).code).toBe(0);
});

test('verify compares a folder with the meetings of contacts only with those', async () => {
  const { kith, service, takeRequests } = await startExport(
    ['x', 'y', 'z'].map((email) => createMeeting(email, 'One', 'done', { attendees: [{ email }] })),
  );
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

test.each(['status', 'verify'])('%s exits with 3 if nothing was exported to the folder', async (verb) => {
  const { kith, takeRequests } = await startExport([]);
  const folder = createTemporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  for (const path of [folder, file]) {
    const err = `kith: Nothing was exported to ${path}.\nhint: kith meetings export --out ${path}\n`;
    expect(await kith(`events export ${verb} "${path}"`)).toEqual({ code: 3, out: '', err });
  }
  expect(takeRequests()).toEqual([]);
});
