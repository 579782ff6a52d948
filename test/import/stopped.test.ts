import { readFileSync, writeFileSync } from 'node:fs';
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

/** Responses that would be the same for every row. */
test.each([
  ['a full disk', 507, { title: 'Insufficient Storage', detail: 'No space left on device.' }, 1, 'storage'],
  ['an invalid key', 401, { message: 'No such key.' }, 4, 'unauthorized'],
  ['a key that may no longer write', 403, { message: 'Read-only.' }, 4, 'forbidden'],
  ['a redirect to another host', 307, undefined, 1, 'failed'],
])(
  '%s stops the import with one error and leaves the rows for the next run',
  async (_, status, body, exit, code) => {
    const { importRows, control, readReport, json } = await createWatchedImport();
    let remaining = 3;
    control.before = ({ method }, response) => {
      if (method === 'GET' || remaining-- > 0) return false;
      sendJson(response, status, body, status === 307 ? { location: 'https://elsewhere.example/' } : {});
      return true;
    };
    const result = await importRows('contacts', toImportTable(8), '--concurrency 1 --json');
    expect(result.code).toBe(exit);
    expect(parseError(result.err.slice(result.err.indexOf('{')))).toMatchObject({ code });
    expect(actions(readReport())).toEqual(['create', 'create', 'create', ...Array(5).fill('pending')]);
    control.before = () => false;
    expect(await importRows('contacts', toImportTable(8))).toMatchObject({
      code: 0,
      out: expect.stringContaining('8 created'),
    });
    expect(await json('contacts list --all')).toHaveLength(8);
  },
);

test.each(['create', 'update'])(
  'stops the import if the service is down after the response to a %s was lost',
  async (action) => {
    const { sendOk, importRows, control, readReport, json } = await createWatchedImport();
    for (let at = 0; action === 'update' && at < 8; at += 1)
      await sendOk('POST /v1/contacts', { emails: [`p${at}@x.example`] });
    let writes = 0;
    control.before = ({ method }, response) => {
      if (method !== 'GET') writes += 1;
      if (writes > 3) response.destroy();
      return writes > 3;
    };
    const { code, err } = await importRows('contacts', toImportTable(8), '--concurrency 1 --retries 0');
    expect([code, err]).toEqual([
      75,
      expect.stringContaining('Stopped after 3 of 8 rows. Run the same command again'),
    ]);
    expect(actions(readReport())).toEqual([action, action, action, ...Array(5).fill('pending')]);
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
  const { total_count } = (
    await (
      await openTestWorkspace(database)
    ).sendOk<{ pagination: { total_count: number } }>('GET /v1/contacts')
  ).pagination;
  expect(total_count).toBe(limitedRows);
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
  const { total_count } = (
    await (
      await openTestWorkspace(database)
    ).sendOk<{ pagination: { total_count: number } }>('GET /v1/contacts')
  ).pagination;
  expect(total_count).toBe(limitedRows);
});
