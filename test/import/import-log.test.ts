import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ImportLog } from '../../src/import/import-log.ts';
import { createTemporaryFolder } from '../support/kith.ts';

test('an import is not certain while the outcome of a row is unknown, even one that wrote nothing', () => {
  const report = join(createTemporaryFolder(), 'people.report.csv');
  const log = ImportLog.create(report, {
    kith_import: 2,
    at: '2026-11-24T12:00:00Z',
    workspace: '/work.sqlite',
    identity: { id: 'w1' },
    input: 'people',
  });
  const isCertain = () => ImportLog.read(report)?.isCertain;
  log.recordOutcome(2, { action: 'same', id: 'c1' });
  expect(isCertain()).toBe(true);
  log.recordOutcome(3, { action: 'unknown', id: 'c2' });
  expect(isCertain()).toBe(false);
  log.recordOutcome(3, { action: 'update', id: 'c2' });
  expect(isCertain()).toBe(true);
  log.close();
});
