import { readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson } from '../client/loopback.ts';
import {
  createWatchedImport,
  findLastLog,
  parseError,
  readReport,
} from '../commands/import/import-machine.ts';
import { serveLocation } from '../service/serve.ts';
import { openTestWorkspace } from '../service/service.ts';
import { createEnv, createKey, runShell } from '../support/binary.ts';
import {
  createEmptyWorkspace,
  createMachine,
  createTemporaryFolder,
  writeStoredSettings,
} from '../support/kith.ts';

const toImportTable = (rows: number) =>
  `email,first_name\n${Array.from({ length: rows }, (_, index) => `p${index}@x.example,${'x'.repeat(20)}`).join('\n')}\n`;

/** Enough rows to reach a limit on the size of a file. */
const limitedRows = 100;

const actions = (report: readonly Readonly<Record<string, string>>[]) => report.map(({ action }) => action);

type Stop = (response: ServerResponse) => void;
const refuse =
  (status: number, body?: object, headers = {}): Stop =>
  (response) =>
    sendJson(response, status, body, headers);

/** What would be the same for every row. The contacts with odd numbers exist. */
test.each<[string, number, Stop, number, string]>([
  ['a full disk', 3, refuse(507, { title: 'Insufficient Storage' }), 1, 'storage'],
  ['an invalid key', 3, refuse(401, { message: 'No such key.' }), 4, 'unauthorized'],
  ['a key that may no longer write', 3, refuse(403, { message: 'Read-only.' }), 4, 'forbidden'],
  ['a redirect to another host', 3, refuse(307, {}, { location: 'https://x.example/' }), 1, 'failed'],
  ['no connection at an update', 3, (response) => response.destroy(), 75, 'network'],
  ['no connection at a create', 4, (response) => response.destroy(), 75, 'network'],
])(
  '%s after %i writes stops the import with one error and leaves the rows for the next run',
  async (_, done, stop, exit, code) => {
    const { sendOk, importRows, control, readReport, json } = await createWatchedImport();
    for (const index of [1, 3, 5, 7]) await sendOk('POST /v1/contacts', { emails: [`p${index}@x.example`] });
    let writes = 0;
    control.before = ({ method }, response) => {
      if (method !== 'GET') writes += 1;
      if (writes <= done) return false;
      stop(response);
      return true;
    };
    const result = await importRows('contacts', toImportTable(8), '--concurrency 1 --retries 0 --json');
    const { code: shown } = parseError(result.err.slice(result.err.indexOf('{')));
    expect([result.code, shown]).toEqual([exit, code]);
    expect(result.err).toContain(`Stopped after ${done} of 8 rows. Run the same command again`);
    const finished = ['create', 'update', 'create', 'update'].slice(0, done);
    expect(actions(readReport())).toEqual([...finished, ...Array(8 - done).fill('pending')]);
    control.before = () => false;
    expect((await importRows('contacts', toImportTable(8))).code).toBe(0);
    expect(await json('contacts list --all')).toHaveLength(8);
  },
);

test('continues after a 503, stops after five in succession, and the next run completes the rows', async () => {
  const { importRows, control, readReport, json } = await createWatchedImport();
  let writes = 0;
  control.before = ({ method }, response) => {
    if (method !== 'GET') writes += 1;
    const isDown = method !== 'GET' && (writes === 2 || writes > 3);
    if (isDown) sendJson(response, 503, { message: 'Busy.' });
    return isDown;
  };
  const { code, err } = await importRows('contacts', toImportTable(12), '--concurrency 1 --retries 0');
  expect([code, err]).toEqual([75, expect.stringContaining('Busy.')]);
  const unknown = Array(4).fill('unknown');
  expect(actions(readReport())).toEqual([
    ...['create', 'unknown', 'create', ...unknown],
    ...Array(5).fill('pending'),
  ]);
  control.before = () => false;
  expect((await importRows('contacts', toImportTable(12))).code).toBe(0);
  expect(await json('contacts list --all')).toHaveLength(12);
});

/**
 * Writes a file to a home folder. `runLimited` imports it in a shell that limits the size of files in KiB, `run` in this
 * process.
 */
function limited(env: Readonly<Record<string, string>>, folder = createTemporaryFolder()) {
  const csv = join(folder, 'people.csv');
  writeFileSync(csv, toImportTable(limitedRows));
  const line = `contacts import ${csv} --concurrency 4`;
  const runLimited = (limit: number) =>
    runShell(`ulimit -f ${limit}; trap '' XFSZ; kith ${line}`, {
      env: createEnv(folder, { TMPDIR: folder, KITH_CONFIG_DIR: configFolder, ...env }),
    });
  const configFolder = join(folder, '.config/kith');
  const run = () => createMachine(configFolder)(line, { env });
  return { runLimited, run, report: () => readReport(join(folder, 'people.report.csv')) };
}

async function countContacts(database: string): Promise<number> {
  const { sendOk } = await openTestWorkspace(database);
  const { pagination } = await sendOk<{ pagination: { total_count: number } }>('GET /v1/contacts');
  return pagination.total_count;
}

test('stops when a workspace file cannot grow, and the next run completes the import', async () => {
  const folder = createTemporaryFolder();
  const database = createEmptyWorkspace(folder);
  writeStoredSettings(join(folder, '.config/kith'), { active: 'local', profiles: { local: { database } } });
  const { runLimited, run, report } = limited({}, folder);
  const stopped = await runLimited(280);
  expect([stopped.code, stopped.err]).toEqual([
    1,
    expect.stringContaining(`Cannot use the workspace file ${database}`),
  ]);
  expect(new Set(actions(report()))).toEqual(new Set(['create', 'pending']));
  expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining(`${limitedRows} created`) });
  expect(await countContacts(database)).toBe(limitedRows);
});

test('stops when the log cannot grow, and the next run completes the import', async () => {
  const folder = createTemporaryFolder();
  const database = createEmptyWorkspace(folder);
  const KITH_API_KEY = await createKey(database);
  const { url: KITH_BASE_URL } = await serveLocation(database, KITH_API_KEY);
  const { runLimited, run, report } = limited({ KITH_BASE_URL, KITH_API_KEY }, folder);
  const stopped = await runLimited(25);
  expect([stopped.code, stopped.err]).toEqual([1, expect.stringContaining('file size limit exceeded')]);
  expect(actions(report())).not.toContain('refused');
  expect(readFileSync(findLastLog(join(folder, '.config/kith')), 'utf8')).toMatch(/\n$/);
  expect((await run()).code).toBe(0);
  expect(new Set(actions(report()))).not.toContain('refused');
  expect(await countContacts(database)).toBe(limitedRows);
});
