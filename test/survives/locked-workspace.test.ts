import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { binary, signedIn } from '../binary.ts';
import { words } from '../kith.ts';
import { held } from './held.ts';
import { endedSoon, later, listener, signalled, soon } from './signalled.ts';

const calendar = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//kith//test//EN',
  'BEGIN:VEVENT',
  'UID:one@kith.example',
  'DTSTAMP:20260101T000000Z',
  'DTSTART:20260101T090000Z',
  'DTEND:20260101T100000Z',
  'SUMMARY:Review',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

test('a workspace file that another program writes', async () => {
  const { env, home, database } = signedIn();
  writeFileSync(join(home, 'calendar.ics'), calendar);
  held(database);
  const lines = [
    'keys create nightly --database FILE',
    'workspace import-events calendar.ics --database FILE',
    'serve --port 0 --region KR --database FILE',
    'auth login --local --database FILE --region KR',
    'contacts create --first-name Ada --retries 0',
  ];
  const started = performance.now();
  const all = lines.map((line) => binary(words(line.replace('FILE', database)), { env, cwd: home }));
  const said = expect.stringMatching(/^kith: The workspace\b.* is being written by another process\.\n$/);
  expect(await Promise.all(all)).toEqual(lines.map(() => ({ code: 75, out: '', err: said })));
  expect(performance.now() - started).toBeLessThan(20_000);
});

test('a workspace file that another program writes for a second: the write waits for it', async () => {
  const { env, database } = signedIn();
  const letGo = held(database);
  const over = binary(['keys', 'create', 'nightly'], { env });
  await wait(1000);
  letGo();
  expect(await over).toMatchObject({ code: 0, err: expect.not.stringContaining('locked') });
});

test('Ctrl-C while another program writes the workspace file', async () => {
  const { code, err, milliseconds } = await endedSoon(() => {
    const { env, database } = signedIn();
    const { env: hook, listens } = listener();
    held(database);
    return signalled(['contacts', 'create', '--first-name', 'Ada'], {
      env: { ...env, ...hook },
      when: later(300, listens),
      signal: 'SIGINT',
    });
  });
  expect({ code, err }).toEqual({ code: 130, err: 'kith: Interrupted.\n' });
  expect(milliseconds).toBeLessThan(soon);
});
