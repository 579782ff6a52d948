import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendPage, startTestService } from '../client/loopback.ts';
import { serveLocation } from '../service/serve.ts';
import { createKey, createSignedInHome, runShell } from '../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';

test('exits with 0 and prints no message if the reader of a pipe stops early', async () => {
  const { env, home, database } = createSignedInHome();
  const key = await createKey(database);
  const { url } = await serveLocation(database, key);
  const kith = createMachine(join(home, '.config/kith'));
  const { out: id } = await kith('events list --limit 1 --jq .[0].recordings[0].id');
  const lines = [
    'contacts list --all --format ndjson',
    'contacts list --all --format table',
    `recordings transcript ${id.trim()}`,
    'api /v1/contacts --paginate',
  ];
  const formatPipeline = (line: string, reader: string) =>
    `kith ${line} 2>err | ${reader}; echo "${line}: \${PIPESTATUS[0]} $(cat err)"`;
  const formatScript = (reader: string, lines: readonly string[]) =>
    lines.map((line) => formatPipeline(line, reader)).join('\n');
  // The other formats are written in the same way, whatever the workspace.
  const remoteLines = lines.filter((line) => !line.includes('table'));
  const remote = { ...env, KITH_BASE_URL: url, KITH_API_KEY: key };
  const all = await Promise.all([
    runShell(formatScript('head -c 1 >/dev/null', lines), { env, cwd: home }),
    runShell(formatScript('true', remoteLines), { env: remote, cwd: createTemporaryFolder() }),
  ]);
  const createQuietResult = (lines: readonly string[]) => ({
    code: 0,
    out: lines.map((line) => `${line}: 0 \n`).join(''),
    err: '',
  });
  expect(all).toEqual([createQuietResult(lines), createQuietResult(remoteLines)]);
});

test('writes a short text to a file, a pipe or /dev/null without loading the streams of Node', async () => {
  const { env, home } = createSignedInHome();
  const hookFile = join(home, 'hook.cjs');
  writeFileSync(
    hookFile,
    `process.on('exit', () => require('fs').appendFileSync('loaded', process.moduleLoadList.includes('NativeModule stream') + '\\n'))`,
  );
  const commands = ['>out', '| cat', '>/dev/null']
    .map((redirection) => `kith contacts list --limit 1 2>err ${redirection}`)
    .join('\n');
  const hookedEnv = { ...env, NODE_OPTIONS: `--require ${hookFile}` };
  expect((await runShell(commands, { env: hookedEnv, cwd: home })).code).toBe(0);
  expect(readFileSync(join(home, 'loaded'), 'utf8')).toBe('false\nfalse\nfalse\n');
});

test('stops reading an endless list if the reader of the pipe stops', async () => {
  const service = await startTestService(({ url }, response) =>
    sendPage(response, url, { length: 1_000_000, at: (index) => ({ id: `${index}` }) }),
  );
  const env = { ...createSignedInHome().env, ...service.env };
  expect(await runShell('kith contacts list --all --format ndjson | head -n 3', { env })).toEqual({
    code: 0,
    out: '{"id":"0"}\n{"id":"1"}\n{"id":"2"}\n',
    err: '',
  });
  expect(service.requests.length).toBeLessThan(1000);
});

test.each([
  ['- </dev/zero', 'The input on stdin is'],
  ['@/dev/zero', 'Cannot read /dev/zero: it is'],
])('stops reading an endless body after 256 MB: --data %s', async (data, option) => {
  const { env } = createSignedInHome();
  expect(await runShell(`kith contacts create --data ${data}`, { env })).toEqual({
    code: 2,
    out: '',
    err: `kith: ${option} larger than 256 MB.\n`,
  });
});

test('writes all of a text to a pipe that has room for a part of it', async () => {
  const { env, home } = createSignedInHome();
  const name = '한'.repeat(3000);
  const kith = `kith contacts create --first-name ${name} --format tsv --fields first_name --no-header`;
  // A pipe holds 64 kB; one page of it is free.
  const line = `{ head -c 61440 /dev/zero; ${kith}; } | { sleep 0.3; tail -c +61441; }`;
  expect(await runShell(line, { env, cwd: home })).toEqual({ code: 0, out: `${name}\n`, err: '' });
});

/** A recording of more than 5 MB: many turns, one of very many words, and letters of one to four bytes. */
function createLongRecording() {
  const phrases = [
    'cold chain '.repeat(12).trim(),
    'émigré '.repeat(16).trim(),
    '회의록'.repeat(16),
    '🧊'.repeat(32),
  ];
  const transcript = Array.from({ length: 4001 }, (_, turn) => ({
    participant: { name: turn % 2 === 0 ? '김지우' : 'Ada' },
    words: Array.from({ length: turn === 4000 ? 60_000 : 10 }, (_, index) => ({
      text: turn === 4000 ? `word${index}` : `${phrases[(turn + index) % 4]}${turn}`,
      start_timestamp: { relative: turn * 5 },
    })),
    language_code: 'ko',
  }));
  const text = transcript
    .map(({ participant, words }) => `${participant.name}: ${words.map(({ text }) => text).join(' ')}\n`)
    .join('\n');
  return { text, record: { id: 'long', status: 'done', summary: null, transcript } };
}

test('writes all of a 5 MB transcript to a slow reader', async () => {
  const { text, record } = createLongRecording();
  const body = JSON.stringify({ data: record });
  const service = await startTestService((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  const { env, home } = createSignedInHome(service.env);
  const slowReader = '{ sleep 0.5; head -c 1000000; sleep 0.1; head -c 1; sleep 0.1; cat; }';
  const [fullResult, slowResult] = await Promise.all([
    runShell('kith recordings transcript long >file; sha256sum <file', { env, cwd: home }),
    runShell(`kith recordings transcript long | ${slowReader} | sha256sum`, { env, cwd: home }),
  ]);
  const hash = createHash('sha256').update(text).digest('hex');
  expect(Buffer.byteLength(text)).toBeGreaterThan(5_000_000);
  expect(fullResult).toEqual({ code: 0, out: `${hash}  -\n`, err: '' });
  expect(slowResult).toEqual(fullResult);
});
