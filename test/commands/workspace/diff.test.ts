import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createMeeting, startArchiveMachine } from '../../archive/archive-service.ts';
import { createDemoMachine, createSampleWorkspace, createTemporaryFolder } from '../../support/kith.ts';

/** Returns a machine in the sample workspace, the path of an untouched copy, and the ids of some records. */
async function createComparedMachine() {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  const copy = join(folder, 'before.sqlite');
  copyFileSync(createSampleWorkspace(createTemporaryFolder()), copy);
  const firstId = async (noun: string) => (await kith(`${noun} list --limit 1 --ids-only`)).out.trim();
  const ids = { contact: await firstId('contacts'), note: await firstId('notes') };
  return { kith, copy, ids };
}

test('lists added, removed and changed records with the changed fields, and exits with 1', async () => {
  const { kith, copy, ids } = await createComparedMachine();
  await kith(`contacts update ${ids.contact} --last-name "أحمد علي" --phone "+82 10 5555 0100"`);
  await kith('contacts create --first-name 새사람');
  await kith(`notes delete ${ids.note} --yes`);
  const { code, out, err } = await kith(['workspace', 'diff', copy, '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(err).error).toMatchObject({
    code: 'different',
    message: '3 records differ: 1 added, 1 removed, 1 changed.',
  });
  const rows = JSON.parse(out);
  expect(rows).toMatchObject([
    {
      change: 'changed',
      noun: 'contacts',
      id: ids.contact,
      fields: expect.arrayContaining([
        { field: 'last_name', before: expect.any(String), after: 'أحمد علي' },
        expect.objectContaining({ field: 'phone_numbers', after: ['+821055550100'] }),
      ]),
    },
    { change: 'added', noun: 'contacts', name: '새사람', fields: [] },
    { change: 'removed', noun: 'notes', id: ids.note, fields: [] },
  ]);
  expect(rows[0].fields).toHaveLength(2);
});

test('exits with 0 if two workspaces are equal, and removes its temporary folders', async () => {
  const { kith, copy } = await createComparedMachine();
  const temporary = createTemporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  expect(await kith(['workspace', 'diff', copy, 'demo'])).toMatchObject({
    code: 0,
    err: 'kith: No differences.\n',
  });
  expect(await kith(['workspace', 'diff', copy, 'demo', '--json'])).toEqual({
    code: 0,
    out: '[]\n',
    err: '',
  });
  vi.unstubAllEnvs();
  expect(readdirSync(temporary)).toEqual([]);
});

test('shows the changed fields of a record in a terminal', async () => {
  const { kith, copy, ids } = await createComparedMachine();
  await kith(`contacts update ${ids.contact} --last-name Lee`);
  const { out } = await kith(['workspace', 'diff', copy], { terminal: 80, env: { NO_COLOR: '1' } });
  expect(out).toMatch(new RegExp(`^changed contact .*\\(${ids.contact}\\)\\n  last_name: .+ -> Lee\\n$`));
});

test('a record that was changed and changed back differs in updated_at', async () => {
  const { kith, copy, ids } = await createComparedMachine();
  const { last_name } = JSON.parse((await kith(`contacts get ${ids.contact} --json`)).out);
  await kith(`contacts update ${ids.contact} --last-name Lee`);
  await kith(['contacts', 'update', ids.contact, '--last-name', last_name]);
  const { out } = await kith(['workspace', 'diff', copy, '--jq', '.[].fields[].field']);
  expect(out).toBe('updated_at\n');
});

test('does not report line endings as a difference', async () => {
  const { kith, copy, ids } = await createComparedMachine();
  await kith(['notes', 'update', ids.note, '--body', 'one\ntwo']);
  const first = join(createTemporaryFolder(), 'first');
  await kith(['workspace', 'backup', first]);
  await kith(['notes', 'update', ids.note, '--body', 'one\r\ntwo']);
  const fields = ['--jq', '.[].fields[].field'];
  expect((await kith(['workspace', 'diff', first, ...fields])).out).toBe('updated_at\n');
  expect((await kith(['workspace', 'diff', copy, ...fields])).out).toBe('body\n');
});

test('refuses a word that names neither a profile nor a file', async () => {
  const { kith } = await createComparedMachine();
  const { code, out, err } = await kith('workspace diff nothing-here');
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('"nothing-here" is neither a profile nor an existing file or folder');
});

test('does not report records as removed that the service did not return, names them, and exits with 6', async () => {
  const { kith, archive, records, responses } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  records.entries.get('l1')?.pop();
  records.meetings.push(createMeeting(9));
  responses.set('/v1/contacts', 403);
  responses.set('/v1/lists/l2/', 500);
  responses.set('/v1/recordings/', 404);
  const { code, out, err } = await kith(`workspace diff ${archive} --jq .[].id`);
  expect({ code, out }).toEqual({ code: 6, out: 'e1\nm9\n' });
  expect(err).toContain('contacts; the entries of 1 list (l2); 4 recordings (r0, r1, r2, r9)');
  expect(err).toContain('All other records: 2 records differ: 1 added, 1 removed.');
  responses.set('/v1/calendar_events', 403);
  expect((await kith(`workspace diff ${archive} --jq .[].id`)).out).toBe('e1\n');
});

test('refuses a damaged archive, although its manifest says that it is equal', async () => {
  const { kith, archive } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  writeFileSync(join(archive, 'contacts.ndjson'), '');
  for (const line of [`workspace diff ${archive}`, `workspace diff ${archive} ${archive}`]) {
    const { code, out, err } = await kith(line);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('is damaged: contacts.ndjson has another SHA-256 sum.');
  }
});

test('compares entries of two lists with the same id', async () => {
  const { kith, archive, records } = await startArchiveMachine();
  const entry = { id: 'e1', entryable_id: 'c1', entryable_type: 'Contact', status: 'Open' };
  const [first, second] = [records.entries.get('l1'), records.entries.get('l2')];
  first?.splice(0, 1, { ...entry, list_id: 'l1' });
  second?.splice(0, 1, { ...entry, list_id: 'l2' });
  await kith(`workspace backup ${archive}`);
  first?.pop();
  second?.push({ id: 'e3', list_id: 'l2', entryable_id: 'c2', entryable_type: 'Contact' });
  const { out } = await kith(`workspace diff ${archive} --jq`.split(' ').concat('.[] | [.change, .id]'));
  expect(out).toBe('["removed","e1"]\n["added","e3"]\n');
});
