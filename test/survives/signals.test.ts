import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSettings } from '../../src/settings/settings.ts';
import { signedIn } from '../binary.ts';
import { answer, loopback } from '../client/loopback.ts';
import { temporaryFolder } from '../kith.ts';
import { type Moment, signalled, soon } from './signalled.ts';

const ends = { SIGINT: [130, 'Interrupted'], SIGTERM: [143, 'Terminated'] } as const;

/** A command line to be stopped, and when; `look` is given the folder after it. */
interface Work {
  readonly args: readonly string[];
  readonly when: Moment;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly unread?: boolean;
  readonly look?: () => unknown;
}

/** A profile on a service that does with each request what is said here. */
async function service(behave: Parameters<typeof loopback>[0]) {
  const { url, seen } = await loopback(behave);
  const { env: own, home } = signedIn();
  const env = { ...own, KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  return { env, home, seen, asked: () => seen.length > 0 };
}

const page = (data: readonly unknown[]) => ({
  data,
  pagination: { end_cursor: data.length, has_next_page: false, total_count: data.length },
});

/** Runs for years by backtracking, and has a folder to do it in. */
function catastrophe(): Work {
  const cwd = temporaryFolder();
  const words = [{ text: 'a'.repeat(60), start_timestamp: { relative: 1 } }];
  const event = {
    id: 'e',
    title: 'T',
    start_at: '2026-05-01T09:00:00Z',
    recordings: [{ id: 'r', status: 'done' }],
  };
  writeFileSync(
    join(cwd, '2026-05-01-t.json'),
    JSON.stringify({
      calendar_event: event,
      recordings: [{ id: 'r', transcript: [{ participant: { name: 'Ada' }, words }] }],
    }),
  );
  return { args: ['events', 'grep', '(a+)+$b', '--regex', '--out', cwd], when: 300 };
}

/** Many events that repeat a thousand times each. */
function calendar(): Work {
  const { env, home } = signedIn();
  const events = Array.from(
    { length: 4000 },
    (_, at) =>
      `BEGIN:VEVENT\r\nUID:u${at}\r\nDTSTART:20200101T0${at % 10}0000Z\r\nDTEND:20200101T103000Z\r\nRRULE:FREQ=DAILY;COUNT=900\r\nSUMMARY:Event ${at}\r\nEND:VEVENT\r\n`,
  );
  const file = join(home, 'big.ics');
  writeFileSync(file, `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events.join('')}END:VCALENDAR\r\n`);
  return { args: ['workspace', 'import-events', file], env, when: 500 };
}

async function exported(): Promise<Work> {
  const cwd = temporaryFolder();
  const recordings = (id: string) => [{ id: `r${id}`, status: 'done' }];
  const { env, seen } = await service(({ url }, response) => {
    if (url.includes('/recordings/r1')) {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":{"id":"r1","summ');
    } else if (url.includes('/recordings/')) {
      answer(response, 200, {
        data: { id: 'r0', status: 'done', summary: { summary: 'Of r0.' }, transcript: [] },
      });
    } else {
      const event = (id: string) => ({
        id,
        title: id,
        start_at: '2026-05-01T09:00:00Z',
        updated_at: '2026-05-01T09:00:00Z',
        attendees: [],
        recordings: recordings(id),
      });
      answer(response, 200, page([event('0'), event('1')]));
    }
  });
  return {
    args: ['events', 'export', '--out', 'meetings'],
    env,
    cwd,
    when: () => seen.some(({ url }) => url.includes('r1')) && readdirSync(join(cwd, 'meetings')).length > 0,
    look: () => readdirSync(join(cwd, 'meetings')).filter((name) => name.includes('tmp')),
  };
}

const works: Readonly<Record<string, () => Work | Promise<Work>>> = {
  'the service gives no answer': async () => {
    const { env, asked } = await service(() => {});
    return { args: ['contacts', 'list'], env, when: asked };
  },
  'an answer stands still in its middle': async () => {
    const { env, asked } = await service((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":[');
    });
    return { args: ['contacts', 'list'], env, when: asked };
  },
  'it waits between two tries': async () => {
    const { env, asked } = await service((_, response) => answer(response, 503, {}));
    return { args: ['contacts', 'list'], env, when: asked };
  },
  'it waits as Retry-After says': async () => {
    const { env, asked } = await service((_, response) => answer(response, 429, {}, { 'retry-after': '30' }));
    return { args: ['contacts', 'list'], env, when: asked };
  },
  'nobody reads its list': async () => {
    const rows = Array.from({ length: 2000 }, (_, at) => ({ id: `${at}`, name: 'x'.repeat(2000) }));
    const { env } = await service((_, response) => answer(response, 200, page(rows)));
    return { args: ['contacts', 'list', '--all', '--format', 'ndjson'], env, when: 400, unread: true };
  },
  'jq runs': () => ({ args: ['contacts', 'list', '--jq', 'def f: f; f'], when: 300 }),
  'a regular expression runs': catastrophe,
  'meetings are exported: no file is half written': exported,
  'a big calendar is read': calendar,
  'it waits for a key on stdin': () => ({
    args: ['auth', 'login', '--base-url', 'http://127.0.0.1:9', '--key-stdin'],
    when: 250,
  }),
  'a job is tried as cron runs it': async () => {
    const { env, home, seen } = await service(() => {});
    const { KITH_BASE_URL: base_url = '', KITH_API_KEY: api_key = '', ...bare } = env;
    openSettings({ KITH_CONFIG_DIR: join(home, '.config/kith') }).change((stored) => {
      stored.profiles.hosted = { base_url, api_key };
      stored.active = 'hosted';
    });
    const args = ['schedule', 'test', '--quiet', '--', 'contacts', 'list'];
    return { args, env: bare, when: () => seen.length > 0 };
  },
};

test.each(Object.keys(works))('Ctrl-C and SIGTERM while %s', async (name) => {
  const stopped = Object.entries(ends).map(async ([signal, [code, said]]) => {
    const work = await works[name]?.();
    if (!work) throw new Error(name);
    const { env = signedIn().env, look, args, ...rest } = work;
    const { milliseconds, ...ended } = await signalled(args, {
      ...rest,
      env,
      signal: signal as NodeJS.Signals, // a key of `ends`
    });
    expect({ ...ended, out: '', left: (await look?.()) ?? [] }).toEqual({
      code,
      out: '',
      err: expect.stringMatching(new RegExp(`^(.*\n)*kith: ${said}\\.\n(hint: .*\n)?$`)),
      left: [],
    });
    expect(milliseconds).toBeLessThan(soon);
  });
  await Promise.all(stopped);
});
