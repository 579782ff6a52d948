import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalPath } from '../../src/import/import-report.ts';
import { readReport } from '../cli/jobs/importing.ts';
import { createEnv, runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { createPeopleFile } from './people.ts';
import { startControlledService } from './service-in-front.ts';
import { readState } from './state.ts';

const isLong = process.env.KITH_LONG === '1';
const kills = isLong ? 40 : 4;
const rows = isLong ? 240 : 130;
const { text } = createPeopleFile(rows, 7);

/** A service with a process, fields, an organization and people whom the sheet changes; and what imports into it. */
async function prepared() {
  const front = await startControlledService();
  const { env: at, sendOk } = front;
  await sendOk('POST /v1/custom_fields', { model: 'contact', name: 'Rooms', data_type: 'number' });
  const statuses = [
    { name: 'Lead', type: 'active' },
    { name: 'Won', type: 'won' },
  ];
  await sendOk('POST /v1/lists', {
    name: 'Funnel',
    process: true,
    entry_type: 'Contact',
    identifier: 'FUN',
    duplicates_allowed: true,
    statuses,
    fields: [],
  });
  await sendOk('POST /v1/organizations', { name: 'Company 3', domains: ['c3.example'] });
  for (const index of [1, 12, 33, 60]) {
    await sendOk('POST /v1/contacts', { first_name: 'Old', emails: [`p${index}@x.example`] });
  }
  const folder = createTemporaryFolder();
  const sheet = join(folder, 'people.csv');
  writeFileSync(sheet, text);
  const env = createEnv(folder, at);
  const run = (flags: readonly string[], onStart?: Parameters<typeof runKith>[1]['onStart']) =>
    runKith(['contacts', 'import', ...flags], { env, ...(onStart && { onStart }) });
  return { ...front, run, sheet, report: join(folder, 'people.report.csv') };
}

/** Whether the journal of a report says that its run has finished. */
const isFinished = (report: string) =>
  existsSync(journalPath(report)) &&
  readFileSync(journalPath(report), 'utf8').endsWith('{"finished":true}\n');

/** A pause before the process is ended, in which some answers arrive and others do not. */
const soon = () => Math.random() * 12;

test(`killed with -9 at ${kills} random moments and run again, an import has the result of one run and can be undone`, async () => {
  const [baseline, wild] = [await prepared(), await prepared()];
  const flags = ['--list', 'Funnel', '--status', 'Lead', '--concurrency', '4', '--retries', '0'];
  const before = await readState(wild.sendOk);
  const undisturbed = await baseline.run([baseline.sheet, ...flags]);
  expect([undisturbed.code, isFinished(baseline.report)]).toEqual([6, true]);

  let left = 0;
  let kill = () => {};
  wild.control.before = ({ method }) => {
    left -= method === 'GET' ? 0.2 : 1;
    if (left <= 0) setTimeout(kill, soon());
    return false;
  };
  const hits = { killed: 0 };
  // Half of the writes are left for those that arrive in the pauses, or nothing would remain for the last kills.
  const share = baseline.takeWrites().length / kills;
  for (;;) {
    left = hits.killed < kills ? Math.random() * share : Number.POSITIVE_INFINITY;
    const { code, err } = await wild.run([wild.sheet, ...flags], (child) => {
      kill = () => child.kill('SIGKILL');
    });
    if (code === 6) break;
    expect([code, err]).toEqual([-2, expect.anything()]);
    hits.killed += 1;
    // Killed when all was done, and only the goodbye was missing: the next run would be another one.
    if (isFinished(wild.report)) break;
  }
  expect(hits.killed).toBeGreaterThan(kills / 2);
  wild.control.before = () => false;
  expect(await readState(wild.sendOk)).toEqual(await readState(baseline.sendOk));
  expect(readReport(wild.report).map(({ row, action }) => [row, action])).toEqual(
    readReport(baseline.report).map(({ row, action }) => [row, action]),
  );

  for (const { run, report, sendOk } of [baseline, wild]) {
    const undone = await run(['--undo', '--yes', report, '--json']);
    expect([undone.code, undone.err]).toEqual([0, '']);
    expect(await readState(sendOk)).toEqual(before);
  }
}, 300_000);
