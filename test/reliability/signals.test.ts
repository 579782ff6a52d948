import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { expired, trusted } from '../client/certificates.ts';
import { createPage, sendJson, startTestService } from '../client/loopback.ts';
import { createSignedInHome, startKithServe } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import {
  afterDelay,
  createSignalListener,
  endDeadline,
  retrySlowRun,
  runWithSignal,
  type SignalTime,
} from './signals.ts';

const expectedEnds = { SIGINT: [130, 'Interrupted'], SIGTERM: [143, 'Terminated'] } as const;

/** A command to stop and the moment; `look` returns leftover files. */
interface SignalCase {
  readonly args: readonly string[];
  readonly sendAt: SignalTime;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly isUnread?: boolean;
  readonly readState?: () => unknown;
}

/** Creates a profile for a test service. */
async function createServiceCase(respond: Parameters<typeof startTestService>[0]) {
  const { env, requests } = await startTestService(respond);
  const { env: homeEnv, home } = createSignedInHome();
  return { env: { ...homeEnv, ...env }, home, requests, hasRequest: () => requests.length > 0 };
}

/** Creates a machine whose program is stopped soon after it listens for signals. */
function createStartedCase() {
  const { env, home } = createSignedInHome();
  const { env: hookFile, isListening: listeningFile } = createSignalListener();
  return { home, env: { ...env, ...hookFile }, sendAt: afterDelay(250, listeningFile) };
}

/** Searches with a regular expression that backtracks for years. */
async function createUndoCase(): Promise<SignalCase> {
  const words = [{ text: 'a'.repeat(60), start_timestamp: { relative: 1 } }];
  const id = 'e';
  const createEvent = {
    id,
    title: 'T',
    start_at: '2026-05-01T09:00:00Z',
    recordings: [{ id: 'r', status: 'done' }],
  };
  const recording = { id: 'r', status: 'done', transcript: [{ participant: { name: 'Ada' }, words }] };
  const { env, requests } = await createServiceCase(({ url }, response) =>
    sendJson(response, 200, url.includes('/recordings/') ? { data: recording } : createPage([createEvent])),
  );
  return {
    args: ['events', 'grep', '(a+)+$b', '--regex'],
    env,
    sendAt: afterDelay(150, () => requests.length > 1),
  };
}

/** Imports many events that repeat a thousand times each. */
function createCalendarCase(): SignalCase {
  const { home, ...rest } = createStartedCase();
  const events = Array.from(
    { length: 4000 },
    (_, index) =>
      `BEGIN:VEVENT\r\nUID:u${index}\r\nDTSTART:20200101T0${index % 10}0000Z\r\nDTEND:20200101T103000Z\r\nRRULE:FREQ=DAILY;COUNT=900\r\nSUMMARY:Event ${index}\r\nEND:VEVENT\r\n`,
  );
  const file = join(home, 'big.ics');
  writeFileSync(file, `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events.join('')}END:VCALENDAR\r\n`);
  return { ...rest, args: ['workspace', 'import-events', file] };
}

async function createExportCase(): Promise<SignalCase> {
  const cwd = createTemporaryFolder();
  const createRecordings = (id: string) => [{ id: `r${id}`, status: 'done' }];
  const { env, requests } = await createServiceCase(({ url }, response) => {
    if (url.includes('/recordings/r1')) {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":{"id":"r1","summ');
    } else if (url.includes('/recordings/')) {
      sendJson(response, 200, {
        data: { id: 'r0', status: 'done', summary: { summary: 'Of r0.' }, transcript: [] },
      });
    } else {
      const createEvent = (id: string) => ({
        id,
        title: id,
        start_at: '2026-05-01T09:00:00Z',
        updated_at: '2026-05-01T09:00:00Z',
        attendees: [],
        recordings: createRecordings(id),
      });
      sendJson(response, 200, createPage([createEvent('0'), createEvent('1')]));
    }
  });
  return {
    args: ['events', 'export', '--out', 'meetings'],
    env,
    cwd,
    sendAt: () =>
      requests.some(({ url }) => url.includes('r1')) && readdirSync(join(cwd, 'meetings')).length > 0,
    readState: () => readdirSync(join(cwd, 'meetings')).filter((name) => name.includes('tmp')),
  };
}

type CreateCase = () => SignalCase | Promise<SignalCase>;

const signalCases = {
  'it waits for a response': async () => {
    const { env, hasRequest } = await createServiceCase(() => {});
    return { args: ['contacts', 'list'], env, sendAt: hasRequest };
  },
  'a response has stopped in the middle': async () => {
    const { env, hasRequest } = await createServiceCase((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":[');
    });
    return { args: ['contacts', 'list'], env, sendAt: hasRequest };
  },
  'it waits between two retries': async () => {
    const { env, hasRequest } = await createServiceCase((_, response) => sendJson(response, 503, {}));
    return { args: ['contacts', 'list'], env, sendAt: hasRequest };
  },
  'it reads a response of many megabytes': async () => {
    const rows = Array.from({ length: 60_000 }, (_, index) => ({ id: `${index}`, name: 'x'.repeat(150) }));
    const body = JSON.stringify(createPage(rows));
    let isSent = false;
    const { env } = await createServiceCase((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body, () => {
        isSent = true;
      });
    });
    return { args: ['contacts', 'list', '--all', '--format', 'csv'], env, sendAt: () => isSent };
  },
  'nobody reads its output': async () => {
    const rows = Array.from({ length: 2000 }, (_, index) => ({ id: `${index}`, name: 'x'.repeat(2000) }));
    const { env, hasRequest } = await createServiceCase((_, response) =>
      sendJson(response, 200, createPage(rows)),
    );
    return {
      args: ['contacts', 'list', '--all', '--format', 'ndjson'],
      env,
      sendAt: afterDelay(200, hasRequest),
      isUnread: true,
    };
  },
  'jq runs': async () => {
    const { env, hasRequest } = await createServiceCase((_, response) =>
      sendJson(response, 200, createPage([{ id: 'a' }])),
    );
    return { args: ['contacts', 'list', '--jq', 'def f: f; f'], env, sendAt: afterDelay(150, hasRequest) };
  },
  'a regular expression runs': createUndoCase,
  'it exports meetings, leaving no half-written file': createExportCase,
  'it reads a big calendar': createCalendarCase,
  'it opens a pipe that nobody writes to': () => {
    const { home: cwd, ...rest } = createStartedCase();
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    return { ...rest, cwd, args: ['contacts', 'create', '--data', '@pipe'] };
  },
  'it waits for a key on stdin': () => {
    const { env, sendAt } = createStartedCase();
    return { env, sendAt, args: ['auth', 'login', '--base-url', 'http://127.0.0.1:9', '--key-stdin'] };
  },
} satisfies Readonly<Record<string, CreateCase>>;

/** The cases that also get SIGTERM, which differs from Ctrl-C only in the exit code and the message. */
const terminatedCases: ReadonlySet<string> = new Set<keyof typeof signalCases>([
  'it waits for a response',
  'nobody reads its output',
  'jq runs',
  'it exports meetings, leaving no half-written file',
]);

test.each(Object.entries<CreateCase>(signalCases))(
  'exits with 130 after Ctrl-C and 143 after SIGTERM, within a second: while %s',
  async (name, createCase) => {
    const ends = Object.entries(expectedEnds).slice(0, terminatedCases.has(name) ? 2 : 1);
    const signalResults = ends.map(async ([signal, [code, message]]) => {
      const { milliseconds, left, ...result } = await retrySlowRun(async () => {
        const { readState, args, ...rest } = await createCase();
        const result = await runWithSignal(args, {
          ...rest,
          signal: signal as NodeJS.Signals, // a key of `ends`
        });
        return { ...result, left: (await readState?.()) ?? [] };
      });
      expect({ ...result, out: '', left }).toEqual({
        code,
        out: '',
        err: expect.stringMatching(new RegExp(`^(.*\n)*kith: ${message}\\.\n(hint: .*\n)?$`)),
        left: [],
      });
      expect(milliseconds).toBeLessThan(endDeadline);
    });
    await Promise.all(signalResults);
  },
);

test('ends at once after a second Ctrl-C', async () => {
  const args = ['auth', 'login', '--profile', 'x', '--base-url', 'http://127.0.0.1:9', '--key-stdin'];
  const stopAfter = async (times: number) => {
    const { env, isListening: listeningFile, hasReceivedSigint: receivedFile } = createSignalListener();
    const sendAgainAt = times > 1 && { sendAgainAt: receivedFile };
    return runWithSignal(args, {
      env: { ...createSignedInHome().env, ...env },
      sendAt: listeningFile,
      signal: 'SIGINT',
      ...sendAgainAt,
    });
  };
  const [first, secondRun] = await Promise.all([stopAfter(1), stopAfter(2)]);
  expect([first.code, secondRun.code]).toEqual([130, 130]);
  // The first Ctrl-C waits for work that never ends, and says so.
  expect([first.err, secondRun.err]).toEqual(['kith: Interrupted.\n', '']);
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

test('reloads the certificate of kith serve after SIGHUP, and answers requests on open connections after SIGTERM', async () => {
  const { env, database, home } = createSignedInHome();
  const [cert, key] = [join(home, 'cert.pem'), join(home, 'key.pem')];
  const storeFiles = (files: typeof trusted) => {
    writeFileSync(cert, files.cert);
    writeFileSync(key, files.key);
  };
  storeFiles(trusted);
  const { url, pid, stop } = await startKithServe(database, env, ['--tls-cert', cert, '--tls-key', key]);
  const connectSecurely = async () => {
    const socket = connectTls({
      port: Number(new URL(url).port),
      host: '127.0.0.1',
      rejectUnauthorized: false,
    });
    await once(socket, 'secureConnect');
    return socket;
  };
  const socket = await connectSecurely();
  storeFiles(expired);
  process.kill(pid, 'SIGHUP');
  const readName = async () => (await connectSecurely()).end().getPeerCertificate().subject.CN;
  await expect.poll(readName).toBe('expired');
  const sentAt = performance.now();
  const code = stop('SIGTERM');
  await wait(700); // commands end within half a second
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*connection: close\r\n/i);
  expect([await code, performance.now() - sentAt < 4000]).toEqual([0, true]);
});
