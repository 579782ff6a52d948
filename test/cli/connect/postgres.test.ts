import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sql, { raw } from 'sql-template-tag';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { formatRow, listTablesToCopy } from '../../../src/service/copy/copy-tables.ts';
import { openWorkspace } from '../../../src/service/db/open.ts';
import { createMachine, createSampleWorkspace, createTemporaryFolder } from '../../support/kith.ts';
import { createTestDatabase, requirePostgres } from '../../support/test-database.ts';

beforeEach(requirePostgres);

const withPassword = (url: string) => url.replace('postgres@', 'postgres:secret12@');

test('all commands work with the profile of a PostgreSQL database, which stores no password', async () => {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const url = await createTestDatabase();
  expect(await kith(`auth login --local --database ${withPassword(url)}`)).toEqual({
    code: 0,
    out: `Signed in to a workspace in PostgreSQL: profile local, database ${url}\nNext: kith contacts list\n`,
    err: [
      'kith: Other users of this machine can read the password in --database, for example with ps. Put it in ~/.pgpass, or set PGPASSWORD.',
      'kith: The password was not stored.',
      '',
    ].join('\n'),
  });
  expect(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')).profiles).toEqual({
    local: { database: url },
  });
  const { out: id } = await kith('contacts create --first-name Ada --email ada@example.com -q --jq .id');
  expect((await kith('contacts find --email ADA@example.com --jq .[].id')).out).toBe(id);
  expect((await kith('search ada --jq .[].id')).out).toBe(id);
  expect((await kith('keys list --json')).out).toBe('[]\n');
  expect(JSON.parse((await kith('auth status --json')).out)).toMatchObject({
    profile: 'local',
    workspace: url,
    workspace_from: 'profile local',
    works: true,
  });
  const findChecks = ['doctor', '--jq', '.[] | select(.check == ("profile", "SQLite", "service")).found'];
  expect((await kith(findChecks)).out).toMatch(/^local, database postgres:.*\nresponded in \d+ ms\n$/);
  expect((await kith(findChecks)).out).toContain(`local, database ${url}\n`);
  expect((await kith('auth logout')).out).toBe(`Removed profile local. Its database was kept: ${url}\n`);
});

test('KITH_DATABASE_URL needs no profile, and its password appears nowhere', async () => {
  const kith = createMachine();
  const url = await createTestDatabase();
  const env = { KITH_DATABASE_URL: withPassword(url) };
  const lines = [
    'contacts create --first-name Ada --debug',
    'contacts list --json --debug',
    'auth status --debug',
    'doctor --json',
    'keys create cron',
    'schedule install x --dry-run --hourly 0 --for systemd -- contacts list',
    'serve --port 0',
  ];
  for (const line of lines) {
    const { code, out, err } = await kith(line, { env, interruptAt: ' on http://127.0.0.1:' });
    expect({ line, code }).toEqual({ line, code: 0 });
    expect(out + err).not.toContain('secret12');
  }
  expect(JSON.parse((await kith('contacts list --json', { env })).out)).toMatchObject([
    { first_name: 'Ada' },
  ]);
});

/** Reads all rows except that of the workspace itself, with JSON as values. */
async function readRows(location: string) {
  const db = await openWorkspace(location);
  onTestFinished(() => db.close());
  const rows: Record<string, unknown> = {};
  for (const { name, key } of listTablesToCopy()) {
    const read = await db.all<object>(sql`select * from ${raw(name)} order by ${raw(key.join(', '))}`);
    rows[name] = read.map(formatRow);
  }
  return { ...rows, workspace: undefined };
}

test('fills a PostgreSQL database with the same sample as a file, for another region too', async () => {
  const kith = createMachine();
  const url = await createTestDatabase();
  const { code, out } = await kith(`auth login --local --demo --region KR --database ${url} --profile team`);
  expect({ code, out }).toEqual({
    code: 0,
    out: `Signed in to the sample workspace as mina@tidewater.example: profile team, database ${url}\nNext: kith contacts list\n`,
  });
  expect((await kith('contacts list --all --jq length')).out).toBe('150\n');
  expect(await readRows(url)).toEqual(await readRows(createSampleWorkspace()));
  expect((await kith(`keys create cron --demo --database ${url} -q --jq .name`)).out).toBe('cron\n');
});

test('imports rows, meetings and recordings into a PostgreSQL database', async () => {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const url = await createTestDatabase();
  const env = { KITH_DATABASE_URL: url };
  const files = {
    'people.csv': 'First name,Email\nAda,ada@example.com\nAlan,alan@example.com\n',
    'calendar.ics': [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'UID:one@example.com',
      'DTSTART:20240501T100000Z',
      'DTEND:20240501T103000Z',
      'SUMMARY:Weekly',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ].join('\r\n'),
    'call.vtt': 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ada>Good morning.\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const at = (name: string) => join(folder, name);
  expect(await kith(`contacts import ${at('people.csv')} -q`, { env })).toMatchObject({ code: 0, err: '' });
  expect((await kith('contacts list --jq length', { env })).out).toBe('2\n');
  expect((await kith(`contacts import --undo ${at('people.report.csv')} --yes`, { env })).code).toBe(0);
  expect((await kith('contacts list --jq length', { env })).out).toBe('0\n');
  const event = (
    await kith(`workspace import-events ${at('calendar.ics')} -q --jq .[].id`, { env })
  ).out.trim();
  const recording = await kith(`workspace import-recording ${event} ${at('call.vtt')} --jq .id`, { env });
  expect(recording.code).toBe(0);
  const transcript = await kith(`recordings transcript ${recording.out.trim()}`, { env });
  expect(transcript.out).toContain('Good morning.');
  expect((await kith(`workspace remove-recording ${recording.out.trim()} --yes`, { env })).code).toBe(0);
});
