import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createSignedInHome, startKithServe } from '../support/binary.ts';
import { createTemporaryFolder, writeStoredSettings } from '../support/kith.ts';
import {
  afterDelay,
  createSignalListener,
  endDeadline,
  retrySlowRun,
  runWithSignal,
  type SignalTime,
} from './signals.ts';

const ends = { SIGINT: [130, 'Interrupted'], SIGTERM: [143, 'Terminated'] } as const;

/** A command to stop and the moment; `look` returns leftover files. */
interface Work {
  readonly args: readonly string[];
  readonly sendAt: SignalTime;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly isUnread?: boolean;
  readonly look?: () => unknown;
}

/** Creates a profile for a test service. */
async function service(behave: Parameters<typeof startTestService>[0]) {
  const { url, requests } = await startTestService(behave);
  const { env: own, home } = createSignedInHome();
  const env = { ...own, KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  return { env, home, seen: requests, asked: () => requests.length > 0 };
}

const page = (data: readonly unknown[]) => ({
  data,
  pagination: { end_cursor: data.length, has_next_page: false, total_count: data.length },
});

/** Creates a machine whose program is stopped soon after it listens for signals. */
function begun() {
  const { env, home } = createSignedInHome();
  const { env: hook, isListening: listeningFile } = createSignalListener();
  return { home, env: { ...env, ...hook }, sendAt: afterDelay(250, listeningFile) };
}

/** Searches with a regular expression that backtracks for years. */
async function catastrophe(): Promise<Work> {
  const words = [{ text: 'a'.repeat(60), start_timestamp: { relative: 1 } }];
  const id = 'e';
  const event = {
    id,
    title: 'T',
    start_at: '2026-05-01T09:00:00Z',
    recordings: [{ id: 'r', status: 'done' }],
  };
  const recording = { id: 'r', status: 'done', transcript: [{ participant: { name: 'Ada' }, words }] };
  const { env, seen } = await service(({ url }, response) =>
    sendJson(response, 200, url.includes('/recordings/') ? { data: recording } : page([event])),
  );
  return {
    args: ['events', 'grep', '(a+)+$b', '--regex'],
    env,
    sendAt: afterDelay(150, () => seen.length > 1),
  };
}

/** Imports many events that repeat a thousand times each. */
function calendar(): Work {
  const { home, ...rest } = begun();
  const events = Array.from(
    { length: 4000 },
    (_, at) =>
      `BEGIN:VEVENT\r\nUID:u${at}\r\nDTSTART:20200101T0${at % 10}0000Z\r\nDTEND:20200101T103000Z\r\nRRULE:FREQ=DAILY;COUNT=900\r\nSUMMARY:Event ${at}\r\nEND:VEVENT\r\n`,
  );
  const file = join(home, 'big.ics');
  writeFileSync(file, `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events.join('')}END:VCALENDAR\r\n`);
  return { ...rest, args: ['workspace', 'import-events', file] };
}

async function exported(): Promise<Work> {
  const cwd = createTemporaryFolder();
  const recordings = (id: string) => [{ id: `r${id}`, status: 'done' }];
  const { env, seen } = await service(({ url }, response) => {
    if (url.includes('/recordings/r1')) {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":{"id":"r1","summ');
    } else if (url.includes('/recordings/')) {
      sendJson(response, 200, {
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
      sendJson(response, 200, page([event('0'), event('1')]));
    }
  });
  return {
    args: ['events', 'export', '--out', 'meetings'],
    env,
    cwd,
    sendAt: () => seen.some(({ url }) => url.includes('r1')) && readdirSync(join(cwd, 'meetings')).length > 0,
    look: () => readdirSync(join(cwd, 'meetings')).filter((name) => name.includes('tmp')),
  };
}

const works: Readonly<Record<string, () => Work | Promise<Work>>> = {
  'it waits for a response': async () => {
    const { env, asked } = await service(() => {});
    return { args: ['contacts', 'list'], env, sendAt: asked };
  },
  'a response has stopped in the middle': async () => {
    const { env, asked } = await service((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":[');
    });
    return { args: ['contacts', 'list'], env, sendAt: asked };
  },
  'it waits between two retries': async () => {
    const { env, asked } = await service((_, response) => sendJson(response, 503, {}));
    return { args: ['contacts', 'list'], env, sendAt: asked };
  },
  'it waits as long as Retry-After says': async () => {
    const { env, asked } = await service((_, response) =>
      sendJson(response, 429, {}, { 'retry-after': '30' }),
    );
    return { args: ['contacts', 'list'], env, sendAt: asked };
  },
  'it reads a response of many megabytes': async () => {
    const rows = Array.from({ length: 60_000 }, (_, at) => ({ id: `${at}`, name: 'x'.repeat(150) }));
    const body = JSON.stringify(page(rows));
    let isSent = false;
    const { env } = await service((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body, () => {
        isSent = true;
      });
    });
    return { args: ['contacts', 'list', '--all', '--format', 'csv'], env, sendAt: () => isSent };
  },
  'nobody reads its output': async () => {
    const rows = Array.from({ length: 2000 }, (_, at) => ({ id: `${at}`, name: 'x'.repeat(2000) }));
    const { env, asked } = await service((_, response) => sendJson(response, 200, page(rows)));
    return {
      args: ['contacts', 'list', '--all', '--format', 'ndjson'],
      env,
      sendAt: afterDelay(200, asked),
      isUnread: true,
    };
  },
  'jq runs': async () => {
    const { env, asked } = await service((_, response) => sendJson(response, 200, page([{ id: 'a' }])));
    return { args: ['contacts', 'list', '--jq', 'def f: f; f'], env, sendAt: afterDelay(150, asked) };
  },
  'a regular expression runs': catastrophe,
  'it exports meetings, leaving no half-written file': exported,
  'it reads a big calendar': calendar,
  'it opens a pipe that nobody writes to': () => {
    const { home: cwd, ...rest } = begun();
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    return { ...rest, cwd, args: ['contacts', 'create', '--data', '@pipe'] };
  },
  'it waits for a key on stdin': () => {
    const { env, sendAt } = begun();
    return { env, sendAt, args: ['auth', 'login', '--base-url', 'http://127.0.0.1:9', '--key-stdin'] };
  },
  'it tests a scheduled command': async () => {
    const { env, home, seen } = await service(() => {});
    const { KITH_BASE_URL: base_url = '', KITH_API_KEY: api_key = '', ...bare } = env;
    writeStoredSettings(join(home, '.config/kith'), {
      active: 'hosted',
      profiles: { hosted: { base_url, api_key } },
    });
    const args = ['schedule', 'test', '--quiet', '--', 'contacts', 'list'];
    return { args, env: bare, sendAt: () => seen.length > 0 };
  },
};

test.each(Object.keys(works))(
  'exits with 130 after Ctrl-C and 143 after SIGTERM, within a second: while %s',
  async (name) => {
    const stopped = Object.entries(ends).map(async ([signal, [code, said]]) => {
      const {
        milliseconds,
        left: attemptsLeft,
        ...result
      } = await retrySlowRun(async () => {
        const work = await works[name]?.();
        if (!work) throw new Error(name);
        const { look, args, ...rest } = work;
        const stopped = await runWithSignal(args, {
          ...rest,
          signal: signal as NodeJS.Signals, // a key of `ends`
        });
        return { ...stopped, left: (await look?.()) ?? [] };
      });
      expect({ ...result, out: '', left: attemptsLeft }).toEqual({
        code,
        out: '',
        err: expect.stringMatching(new RegExp(`^(.*\n)*kith: ${said}\\.\n(hint: .*\n)?$`)),
        left: [],
      });
      expect(milliseconds).toBeLessThan(endDeadline);
    });
    await Promise.all(stopped);
  },
);

test('ends at once after a second Ctrl-C', async () => {
  const args = ['auth', 'login', '--profile', 'x', '--base-url', 'http://127.0.0.1:9', '--key-stdin'];
  const stopped = async (times: number) => {
    const { env, isListening: listeningFile, hasReceivedSigint: receivedFile } = createSignalListener();
    const sendAgainAt = times > 1 && { sendAgainAt: receivedFile };
    return runWithSignal(args, {
      env: { ...createSignedInHome().env, ...env },
      sendAt: listeningFile,
      signal: 'SIGINT',
      ...sendAgainAt,
    });
  };
  const [first, twice] = await Promise.all([stopped(1), stopped(2)]);
  expect([first.code, twice.code]).toEqual([130, 130]);
  // The first Ctrl-C waits for work that never ends, and says so.
  expect([first.err, twice.err]).toEqual(['kith: Interrupted.\n', '']);
});

test('ends kith serve within a second after Ctrl-C or SIGTERM while a request is still arriving (exit code 0)', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const { code, milliseconds } = await retrySlowRun(async () => {
      const { env, database } = createSignedInHome();
      const { url, stop } = await startKithServe(database, env);
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {}); // the server closes it
      await once(socket, 'connect');
      socket.write('POST /v1/contacts HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{');
      await wait(50);
      const sentAt = performance.now();
      const code = await stop(signal);
      socket.destroy();
      return { code, milliseconds: performance.now() - sentAt };
    });
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(endDeadline);
  }
});
