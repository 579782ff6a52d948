import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import { bin, engines, files } from '../package.json';
import { openDatabase } from '../src/service/db/sqlite/open-workspace.ts';
import { createEnv, createKey, launcher, runProgram } from './support/binary.ts';
import { createEmptyWorkspace } from './support/kith.ts';
import { createTestDatabase, requirePostgres } from './support/test-database.ts';

/** Returns the arguments of each use of an instruction of the Dockerfile. */
const readInstructions = (name: string) =>
  Array.from(
    readFileSync('Dockerfile', 'utf8').matchAll(new RegExp(`^${name} (.*)$`, 'gm')),
    ([, rest = '']) => rest,
  );

/** Returns the words of an instruction in the exec form. */
const readWords = (name: string): string[] =>
  JSON.parse(readInstructions(name)[0]?.replace(/^(?:--\S+ )*(?:CMD )?/, '') ?? '');

/** The names of the top folder that .dockerignore lets through. */
const buildFiles = Array.from(
  readFileSync('.dockerignore', 'utf8').matchAll(/^!(.*)$/gm),
  ([, name = '']) => name,
);

test('the image has a Node that package.json allows, and a user that is not root', () => {
  const [, oldest = ''] = /^>=(\d+)\./.exec(engines.node) ?? [];
  const images = readInstructions('FROM').map((image) => /^node:(\d+)-slim(?: AS build)?$/.exec(image)?.[1]);
  expect(images).toEqual([expect.any(String), images[0]]);
  expect(Number(images[0])).toBeGreaterThanOrEqual(Number(oldest));
  expect(readInstructions('USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
});

test('.dockerignore lets through only the files that the build needs', () => {
  expect(readFileSync('.dockerignore', 'utf8')).toMatch(/^\*$/m);
  expect(buildFiles.filter((name) => !existsSync(name))).toEqual([]);
  const copied = readInstructions('COPY').flatMap((words) =>
    words.startsWith('--from') ? [] : words.split(' ').slice(0, -1),
  );
  expect(buildFiles).toEqual(expect.arrayContaining(copied.filter((name) => name !== '.')));
  // The build writes these.
  const written = ['dist', '!dist', 'THIRD_PARTY_LICENSES'];
  const packed = files.map((name) => name.split('/')[0] ?? '').filter((name) => !written.includes(name));
  const needed = new Set([
    ...packed,
    'LICENSE',
    'README.md',
    'package-lock.json',
    'package.json',
    'src',
    'tsconfig.json',
  ]);
  needed.delete('.github'); // pictures of the README
  expect(buildFiles.sort()).toEqual([...needed].sort());
});

/** Starts the command of the image for a workspace on a free port, until the test ends. `before`: words before it. */
async function startImage(database: string, before: readonly string[] = []) {
  const [node = '', script = ''] = readWords('ENTRYPOINT');
  expect([node, script]).toEqual(['node', `/opt/kith/${bin.kith}`]);
  const words = [...before, process.execPath, launcher, ...readWords('CMD'), '--port', '0'];
  const env = createEnv('/nonexistent', { KITH_DATABASE_URL: database });
  const child = spawn(words[0] ?? '', words.slice(1), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  let log = '';
  for await (const text of child.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    log += text;
    const [, port] = /http:\/\/0\.0\.0\.0:(\d+)/.exec(log) ?? [];
    if (port !== undefined) return { child, port, closed };
  }
  throw new Error(`The image did not start:\n${log}`);
}

test('the health check of the image fails if the workspace is not ready or the service does not run', async () => {
  const database = createEmptyWorkspace();
  const { child, port, closed } = await startImage(database);
  const [node = '', ...args] = readWords('HEALTHCHECK').map((word) => word.replace(':4717', `:${port}`));
  expect([node, args.join(' ')]).toEqual(['node', expect.stringContaining(port)]);
  expect(readInstructions('EXPOSE')).toEqual(['4717']);
  const checkHealth = async () =>
    (await runProgram(process.execPath, args, { env: createEnv('/nonexistent') })).code;
  expect(await checkHealth()).toBe(0);
  const db = openDatabase(database);
  await db.run(sql`pragma user_version = 99`);
  await db.close();
  // A check is shared for half a second.
  await expect.poll(checkHealth).toBe(1);
  child.kill();
  expect(await closed).toEqual([0, null]);
  expect(await checkHealth()).toBe(1);
});

/** Makes a program process 1, as in a container. */
const asFirstProcess = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
if (process.getuid?.() !== 0) asFirstProcess.push('--map-root-user');

const canUnshare = spawnSync(asFirstProcess[0] ?? '', [...asFirstProcess.slice(1), 'true']).status === 0;

test('as process 1, it completes its responses after SIGTERM, and ends at once after a second one', async (context) => {
  requirePostgres(context);
  if (!canUnshare) context.skip('this machine has no namespaces for us');
  const database = await createTestDatabase();
  const key = await createKey(database);
  const { child, port, closed } = await startImage(database, asFirstProcess);
  const client = new pg.Client(database);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin; lock table contact');
  const lostResponse = fetch(`http://127.0.0.1:${port}/v1/contacts`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{"first_name":"Ada"}',
  }).catch((error: unknown) => error);
  const waiting = "select 1 from pg_locks where relation = 'contact'::regclass and not granted";
  await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1);
  const [pid] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').map(Number);
  process.kill(pid ?? 0, 'SIGTERM');
  await wait(700); // commands end within half a second, a service completes its responses
  expect(child.exitCode).toBeNull();
  const start = performance.now();
  process.kill(pid ?? 0, 'SIGTERM');
  expect(await closed).toEqual([143, null]);
  expect(performance.now() - start).toBeLessThan(5000);
  expect(await lostResponse).toBeInstanceOf(Error);
});
