import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import type { CalendarEvent } from '../../../src/contract/calendar-events.ts';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import { binary, freshEnv } from '../../support/binary.ts';
import { temporaryFolder } from '../../support/kith.ts';
import { workspace } from '../service.ts';

/** Creates a workspace of version 1 with contacts and events. Two of three events have a completed recording. */
function firstVersion({ contacts, events }: { contacts: number; events: number }) {
  const home = temporaryFolder();
  const file = join(home, 'kith.sqlite');
  const old = new DatabaseSync(file);
  old.exec(readFileSync('src/service/db/migrations/001.sql', 'utf8'));
  old.exec('pragma user_version = 1');
  const rows = (count: number) =>
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  old.exec('begin');
  old.exec(`${rows(contacts)} insert into contact (first_name, created_at, updated_at)
    select 'n' || i, 0, 0 from n`);
  old.exec(`${rows(contacts)} insert into contact_email (folded, email, contact_id, position)
    select i || '@example.com', i || '@example.com', i, 0 from n`);
  old.exec(`${rows(events)} insert into calendar_event (title, start_at, end_at, starts_at, created_at, updated_at)
    select 'E' || i, '', '', 1777852800000 + i * 5000000, 0, 9000 from n`);
  old.exec(`insert into recording (calendar_event_id, status, started_at, created_at, updated_at)
    select id, iif(id % 3 = 0, 'processing', 'done'), 0, 0, 0 from calendar_event`);
  old.exec('delete from contact where id between 4000 and 4999');
  old.exec('commit');
  old.close();
  return { home, file };
}

test('a workspace of the first version is brought up to date with its counts', async () => {
  const { give } = workspace(firstVersion({ contacts: 9000, events: 40 }).file);
  const contacts = await give<Page<Contact>>('GET /v1/contacts?first=1&after=7999');
  expect([contacts.data[0]?.first_name, contacts.pagination.total_count]).toEqual(['n9000', 8000]);
  const events = await give<Page<CalendarEvent>>('GET /v1/calendar_events?first=100');
  const shown = Array.from({ length: 40 }, (_, index) => 40 - index).filter((id) => id % 3 !== 0);
  expect(events.data.map(({ title }) => title)).toEqual(shown.map((id) => `E${id}`));
  expect(events.pagination.total_count).toBe(shown.length);
});

test('before an update the workspace is copied, and a command says where the copy is', async () => {
  const { home, file } = firstVersion({ contacts: 5000, events: 3 });
  const copy = `${file}.v1.backup`;
  writeFileSync(copy, 'of an earlier attempt');
  expect(await binary(['keys', 'list', '--database', file, '--json'], { env: freshEnv(home) })).toEqual({
    code: 0,
    out: '[]\n',
    err: `kith: Updated the workspace file ${file} for this version of kith. A backup from before the update is ${copy}.\n`,
  });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  const kept = new DatabaseSync(copy, { readOnly: true });
  const rows = kept.prepare(
    'select (select user_version from pragma_user_version) as version, count(*) as contacts from contact',
  );
  expect(rows.all()).toEqual([{ version: 1, contacts: 4000 }]);
  expect(kept.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  kept.close();
  const names = readdirSync(home).filter(
    (name) => name.startsWith('kith.sqlite') || name.startsWith('.kith'),
  );
  expect(names.filter((name) => !/-(wal|shm)$/.test(name))).toEqual(['kith.sqlite', 'kith.sqlite.v1.backup']);
});

test('a workspace that cannot be copied is not updated', async () => {
  const { home, file } = firstVersion({ contacts: 50, events: 3 });
  const copy = `${file}.v1.backup`;
  mkdirSync(join(copy, 'in', 'the', 'way'), { recursive: true });
  expect(await binary(['keys', 'list', '--database', file], { env: freshEnv(home) })).toEqual({
    code: 1,
    out: '',
    err: [
      `kith: Cannot copy the workspace file ${file} to ${copy}: it is a folder, not a file.`,
      'hint: Before kith updates a workspace for a new version, it copies the file. The workspace is unchanged.',
      '',
    ].join('\n'),
  });
  const old = new DatabaseSync(file);
  expect(old.prepare('pragma user_version').all()).toEqual([{ user_version: 1 }]);
  old.close();
});

/** Ends a process that brings a file up to date in the middle of it: when pages of it are on disk. */
function killedWhileWriting(child: ChildProcess, file: string): void {
  const looking = setInterval(() => {
    if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) < 500_000) return;
    clearInterval(looking);
    child.kill('SIGKILL');
  }, 1);
  child.on('close', () => clearInterval(looking));
}

test('a kill in the middle leaves a workspace as it was, and the next kith brings it up to date', async () => {
  const { home, file } = firstVersion({ contacts: 60_000, events: 90_000 });
  const line = ['keys', 'list', '--database', file];
  const env = freshEnv(home);
  const killed = await binary(line, { env, onStart: (child) => killedWhileWriting(child, file) });
  expect(killed).toEqual({ code: -2, out: '', err: '' });
  const between = new DatabaseSync(file);
  expect(between.prepare('pragma user_version').all()).toEqual([{ user_version: 1 }]);
  between.close();
  expect((await binary(line, { env })).code).toBe(0);
  const { give } = workspace(file);
  const totals = [];
  for (const noun of ['contacts', 'calendar_events']) {
    totals.push((await give<Page<unknown>>(`GET /v1/${noun}?first=1`)).pagination.total_count);
  }
  expect(totals).toEqual([59_000, 60_000]);
});
