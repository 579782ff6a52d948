import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findLastLog, readReport } from '../commands/import/import-machine.ts';
import { createEnv, runKith } from '../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { countRounds, createRandom } from '../support/rounds.ts';
import { funnel, startControlledService } from './controlled-service.ts';
import { createPeopleFile } from './people.ts';
import { readState } from './state.ts';

const isLong = process.env.KITH_LONG === '1';
const killCount = isLong ? 40 : 2;
const rows = isLong ? 240 : 130;
const { text } = createPeopleFile(rows, 7);

/** Creates a service with a process, fields, an organization and contacts that the CSV file changes, and its importer. */
async function createKilledImport() {
  const service = await startControlledService();
  const { env: serviceEnv, sendOk } = service;
  await sendOk('POST /v1/custom_fields', { model: 'contact', name: 'Rooms', data_type: 'number' });
  await sendOk('POST /v1/lists', funnel);
  await sendOk('POST /v1/organizations', { name: 'Company 3', domains: ['c3.example'] });
  for (const index of [1, 12, 33, 60]) {
    await sendOk('POST /v1/contacts', { first_name: 'Old', emails: [`p${index}@x.example`] });
  }
  const folder = createTemporaryFolder();
  const csv = join(folder, 'people.csv');
  writeFileSync(csv, text);
  const env = createEnv(folder, { ...serviceEnv, KITH_CONFIG_DIR: folder });
  const kith = createMachine(folder);
  const run = (flags: readonly string[]) => kith(['contacts', 'import', ...flags], { env: serviceEnv });
  const runAsProcess = (flags: readonly string[], onStart: Parameters<typeof runKith>[1]['onStart']) =>
    runKith(['contacts', 'import', ...flags], { env, ...(onStart && { onStart }) });
  return { ...service, run, runAsProcess, csv, folder, report: join(folder, 'people.report.csv') };
}

/** Whether the log of the import in a folder says that it has finished. */
const isFinished = (folder: string) =>
  readFileSync(findLastLog(folder), 'utf8').endsWith('{"finished":true}\n');

/** Returns a delay before the kill in which some responses arrive and others do not. */
const random = createRandom(0);
const pickDelay = () => random() * 12;

test(`killed with -9 at up to ${killCount} random moments and run again, an import has the result of one run and can be undone`, async () => {
  const [baseline, killed] = [await createKilledImport(), await createKilledImport()];
  const flags = ['--list', 'Funnel', '--status', 'Lead', '--concurrency', '4', '--retries', '0'];
  const before = await readState(killed.sendOk);
  const baselineResult = await baseline.run([baseline.csv, ...flags]);
  expect([baselineResult.code, isFinished(baseline.folder)]).toEqual([6, true]);

  let remaining = 0;
  let kill = () => {};
  killed.control.before = ({ method }) => {
    remaining -= method === 'GET' ? 0.2 : 1;
    if (remaining <= 0) setTimeout(kill, pickDelay());
    return false;
  };
  const rounds = countRounds(killCount, 40);
  const hits = { killed: 0, wanted: 0 };
  // Half of the writes are reserved for those during the delays; otherwise none would remain for the last kills.
  const share = baseline.takeWrites().length / killCount;
  for (;;) {
    if (hits.killed === hits.wanted && !rounds.next().done) hits.wanted += 1;
    remaining = hits.killed < hits.wanted ? random() * share : Number.POSITIVE_INFINITY;
    const { code, err } = await killed.runAsProcess([killed.csv, ...flags], (child) => {
      kill = () => child.kill('SIGKILL');
    });
    if (code === 6) break;
    expect([code, err]).toEqual([-2, expect.anything()]);
    hits.killed += 1;
    // The run was killed after its last write, before it exited: the next run would be a new import.
    if (isFinished(killed.folder)) break;
  }
  expect(hits.killed).toBeGreaterThan(hits.wanted / 2);
  killed.control.before = () => false;
  expect(await readState(killed.sendOk)).toEqual(await readState(baseline.sendOk));
  expect(readReport(killed.report).map(({ row, action }) => [row, action])).toEqual(
    readReport(baseline.report).map(({ row, action }) => [row, action]),
  );

  const undoResult = await killed.run(['--undo', '--yes', killed.report, '--json']);
  expect([undoResult.code, undoResult.err]).toEqual([0, '']);
  expect(await readState(killed.sendOk)).toEqual(before);
}, 300_000);
