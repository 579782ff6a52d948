import type { ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import type { CalendarEvent } from '../../src/contract/calendar-events.ts';
import type { Contact } from '../../src/contract/contacts.ts';
import type { Page } from '../../src/contract/grammar.ts';
import { binary, freshEnv } from '../binary.ts';
import { temporaryFolder } from '../kith.ts';
import { workspace } from './service.ts';

/** A workspace of the first version, with so many contacts, and events two of three of which are shown. */
function firstVersion({ contacts, events }: { contacts: number; events: number }) {
  const home = temporaryFolder();
  const file = join(home, 'kith.sqlite');
  const old = new DatabaseSync(file);
  old.exec(readFileSync('src/service/migrations/001.sql', 'utf8'));
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
