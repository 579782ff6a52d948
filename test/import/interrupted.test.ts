import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readReport } from '../cli/import/import-machine.ts';
import { createEnv, runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { startControlledService } from './controlled-service.ts';

const rows = 40;
const text = `email\r\n${Array.from({ length: rows }, (_, index) => `p${index}@x.example\r\n`).join('')}`;

test.each([
  ['SIGINT', 130],
  ['SIGKILL', -2],
] as const)('after %s there is a readable report, and the next run resumes', async (signal, expected) => {
  const service = await startControlledService();
  const folder = createTemporaryFolder();
  const csv = join(folder, 'people.csv');
  const report = join(folder, 'people.report.csv');
  writeFileSync(csv, text);
  const env = createEnv(folder, service.env);
  let kill = () => {};
  let writeCount = 0;
  service.control.before = ({ method }) => {
    if (method === 'POST') writeCount += 1;
    if (writeCount === rows / 2) kill();
    return false;
  };
  const result = await runKith(['contacts', 'import', csv, '--concurrency', '1', '--retries', '0'], {
    env,
    onStart: (child) => {
      kill = () => child.kill(signal);
    },
  });
  expect(result.code).toBe(expected);
  const actions = readReport(report).map(({ action }) => action);
  expect(actions).toHaveLength(rows);
  const created = actions.filter((action) => action === 'create').length;
  expect(new Set(actions)).toEqual(new Set(signal === 'SIGINT' ? ['create', 'pending'] : ['pending']));
  // The request under way may be answered before the signal arrives.
  expect(signal === 'SIGINT' ? [rows / 2 - 1, rows / 2] : [0]).toContain(created);
  expect(existsSync(join(folder, '.people.report.csv.kith-journal'))).toBe(true);
  service.control.before = () => false;
  const nextResult = await runKith(['contacts', 'import', csv], { env });
  expect([nextResult.code, nextResult.err]).toEqual([0, expect.stringContaining('Resuming')]);
  expect(readReport(report).every(({ action }) => action === 'create' || action === 'update')).toBe(true);
  expect(readFileSync(report, 'utf8')).toContain('p39@x.example,create');
});
