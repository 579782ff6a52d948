import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readReport } from '../commands/import/import-machine.ts';
import { createEnv, runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { startControlledService } from './controlled-service.ts';

const rows = 40;
const files = {
  contacts: { header: 'email', cells: (index: number) => `p${index}@x.example` },
  notes: { header: 'Company,Notes', cells: (index: number) => `Acme,Call ${index}` },
};

test.each([
  ['SIGINT', 'contacts', 130],
  ['SIGKILL', 'contacts', -2],
  ['SIGKILL', 'notes', -2],
] as const)(
  'after %s there is a readable report, and the next run of %s import resumes',
  async (signal, noun, expected) => {
    const service = await startControlledService();
    await service.sendOk('POST /v1/organizations', { name: 'Acme' });
    const { header, cells } = files[noun];
    const text = [header, ...Array.from({ length: rows }, (_, index) => cells(index)), ''].join('\r\n');
    const folder = createTemporaryFolder();
    const csv = join(folder, 'people.csv');
    const report = join(folder, 'people.report.csv');
    writeFileSync(csv, text);
    const env = createEnv(folder, service.env);
    let kill = () => {};
    let writeCount = 0;
    let stop = () => {};
    const isStopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    service.control.before = async ({ method }, response) => {
      if (method === 'POST') writeCount += 1;
      if (writeCount === rows / 2) kill();
      if (writeCount <= rows / 2) return false;
      // A busy machine delivers the signal late: no later request is answered.
      await isStopped;
      response.destroy();
      return true;
    };
    const result = await runKith([noun, 'import', csv, '--concurrency', '1', '--retries', '0'], {
      env,
      onStart: (child) => {
        kill = () => child.kill(signal);
      },
    });
    stop();
    expect(result.code).toBe(expected);
    const actions = readReport(report).map(({ action }) => action);
    expect(actions).toHaveLength(rows);
    const created = actions.filter((action) => action === 'create').length;
    expect(new Set(actions)).toEqual(new Set(signal === 'SIGINT' ? ['create', 'pending'] : ['pending']));
    // The request under way may be answered before the signal arrives.
    expect(signal === 'SIGINT' ? [rows / 2 - 1, rows / 2] : [0]).toContain(created);
    service.control.before = () => false;
    const nextResult = await runKith([noun, 'import', csv], { env });
    expect([nextResult.code, nextResult.err]).toEqual([
      0,
      expect.stringContaining('Continuing the interrupted'),
    ]);
    expect(readReport(report).every(({ action }) => action === 'create' || action === 'update')).toBe(true);
    expect(readFileSync(report, 'utf8')).toContain(`${cells(39)},create`);
    const { data } = await service.sendOk<{ data: unknown[] }>(`GET /v1/${noun}?first=100`);
    expect(data).toHaveLength(rows);
  },
);
