import { spawn } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/service/db/sqlite/open-workspace.ts';
import { createService } from '../../src/service/dispatch.ts';
import {
  createDemoMachine,
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  writeStoredSettings,
} from '../support/kith.ts';

const header = 'id\tname\temails\tphone_numbers\torganization_id\n';
const jiwoo = '0rlnky\t김지우\tjiwoo.kim@hanbit-cold.example\t+821055501234\trl16pk\n';

test('a list prints 25 records and reports how many remain', async () => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith('contacts list --jq .');
  expect({ code, count: JSON.parse(out).length, err }).toEqual({
    code: 0,
    count: 25,
    err: 'kith: 125 more records. Use --all or --limit N to see them.\n',
  });
});

test.each([
  ['contacts list --all --json', 150],
  ['contacts list --limit 130 --page-size 50 --json', 130],
  ['orgs list --all --json --page-size 7', 40],
  ['entries list "Sales pipeline" --all --json', 80],
  ['events list --all --json', 36],
])('%s prints %i distinct records', async (line, count) => {
  const kith = createDemoMachine();
  const records: { id: string }[] = JSON.parse((await kith(line)).out);
  expect([records.length, new Set(records.map(({ id }) => id)).size]).toEqual([count, count]);
});

test('a list prints the same records in every format', async () => {
  const kith = createDemoMachine();
  const outputs = await Promise.all(
    ['tsv', 'csv', 'ndjson', 'json'].map(
      async (format) => (await kith(`contacts list --limit 1 -q --format ${format}`)).out,
    ),
  );
  const [tsv, csv, ndjson = '', json = ''] = outputs;
  expect(tsv).toBe(header + jiwoo);
  expect(csv).toMatch(
    /^id,first_name,[^\r]*\r\n0rlnky,지우,김,jiwoo\.kim@hanbit-cold\.example,\+821055501234,[^\r]*\r\n$/,
  );
  expect(JSON.parse(json)).toEqual([JSON.parse(ndjson)]);
  expect(ndjson.split('\n')).toHaveLength(2);
});

test('a record is shown with all its fields, custom fields by name', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('contacts get 0rlnky', { terminal: 100, env: { NO_COLOR: '1' } });
  expect(out).toMatch(
    /^ID +0rlnky\nName +김지우\nEmails +jiwoo\.kim@hanbit-cold\.example\nPhone numbers +\+/,
  );
  expect(out).toMatch(/\nRole +Head of operations\n/);
});

test('summary and transcript print text, or JSON with --json', async () => {
  const kith = createDemoMachine();
  const [event] = JSON.parse((await kith('events list --contact 0rlnky --json')).out);
  const { id } = event.recordings[0];
  const recording = JSON.parse((await kith(`recordings get ${id} --json`)).out);
  const { out: summary } = await kith(`recordings summary ${id}`);
  expect(summary.startsWith(`## Summary\n\n${recording.summary.summary}`)).toBe(true);
  expect(summary).toContain(`- [ ] ${recording.summary.action_items[0]}\n`);
  expect(JSON.parse((await kith(`recordings summary ${id} --json`)).out)).toEqual(recording.summary);
  const { out: transcript } = await kith(`recordings transcript ${id}`);
  const lines = recording.transcript.map(
    ({ participant, words }: { participant: { name: string }; words: { text: string }[] }) =>
      `${participant.name}: ${words.map(({ text }) => text).join(' ')}\n`,
  );
  expect(transcript).toBe(lines.join('\n'));
  expect((await kith(`recordings transcript ${id} --timestamps`)).out).toMatch(/^\[00:01\] /);
  expect(JSON.parse((await kith(`recordings transcript ${id} --json`)).out)).toEqual(recording.transcript);
});

test('keys and serve reject an unknown profile and do not create a missing workspace file', async () => {
  const kith = createDemoMachine();
  const results = [
    await kith('keys create x --profile nope'),
    await kith('keys create x --database /nowhere/typo.sqlite'),
    await kith('serve --database /nowhere/typo.sqlite'),
  ];
  const missing = 'kith: Workspace file not found: /nowhere/typo.sqlite\n';
  expect(results.map(({ code, err }) => [code, err.split('hint:')[0]])).toEqual([
    [4, 'kith: Profile "nope" not found.\n'],
    [1, missing],
    [1, missing],
  ]);
});

test.each([
  'contacts list',
  'contacts create --first-name Ada',
  'workspace backup @archive',
  'workspace copy @empty.sqlite @copy.sqlite',
  'workspace copy demo @empty.sqlite',
  'workspace import-events @my.ics --database @empty.sqlite',
  'keys list --database @empty.sqlite',
  'migrate --database @empty.sqlite',
  'migrate --dry-run --database @empty.sqlite',
  'serve --database @empty.sqlite --port 0',
  'auth login --local --profile other --database @empty.sqlite',
])('refuses a workspace file of 0 bytes and creates nothing: kith %s', async (line) => {
  const folder = createTemporaryFolder();
  const file = join(folder, 'empty.sqlite');
  const config = join(folder, 'config');
  const profiles = { default: { database: file }, demo: { database: createSampleWorkspace() } };
  writeStoredSettings(config, { active: 'default', profiles });
  const kith = createMachine(config);
  writeFileSync(file, '');
  writeFileSync(join(folder, 'my.ics'), 'BEGIN:VCALENDAR\nEND:VCALENDAR\n');
  const { code, err } = await kith(line.replaceAll('@', `${folder}/`), { signal: AbortSignal.timeout(5000) });
  expect({ code, err: err.split('\n') }).toEqual({
    code: 1,
    err: [
      `kith: The workspace file ${file} is empty (0 bytes).`,
      'hint: Restore it from a backup. To create a new workspace there, remove the file first.',
      '',
    ],
  });
  expect(statSync(file).size).toBe(0);
  expect(readdirSync(folder).toSorted()).toEqual(['config', 'empty.sqlite', 'my.ics']);
});

test('waits for a workspace file that another process is creating', async () => {
  const folder = createTemporaryFolder();
  const file = join(folder, 'new.sqlite');
  writeStoredSettings(folder, { active: 'default', profiles: { default: { database: file } } });
  for (const name of [file, `${file}-journal`]) writeFileSync(name, '');
  spawn('sh', ['-c', 'sleep 0.5; cat "$0" > "$1"; rm "$1-journal"', createSampleWorkspace(), file]);
  expect(await createMachine(folder)('contacts list --limit 1 --jq length')).toMatchObject({
    code: 0,
    out: '1\n',
  });
});

test('JSON lists keep line separators in values', async () => {
  const folder = createTemporaryFolder();
  const file = join(folder, 'lines.sqlite');
  const db = openDatabase(file);
  const service = createService({ db, now: () => new Date(), log: () => {} });
  const name = 'a\u2028b\u2029c\u0085d\ne';
  await service({ method: 'POST', path: '/v1/contacts', query: [], body: { first_name: name } });
  db.close();
  const kith = createMachine(folder);
  await kith(['auth', 'login', '--local', '--database', file]);
  const [contact] = JSON.parse((await kith('contacts list --json')).out);
  expect(contact.first_name).toBe(name);
});
