import { expect, test } from 'vitest';
import { ImportLog } from '../../src/import/import-log.ts';
import { ChangeLog } from '../../src/writes/log.ts';
import { createTemporaryFolder } from '../support/kith.ts';

test('an import is not certain while the outcome of a row is unknown, even one that wrote nothing', () => {
  const { path } = ChangeLog.create(createTemporaryFolder(), {
    command: 'contacts import',
    at: '2026-11-24T12:00:00Z',
    many: 'people',
    report: '/people.report.csv',
  });
  const log = ImportLog.read(path).open();
  const isCertain = () => ImportLog.read(path).isCertain;
  log.recordOutcome(2, { action: 'same', id: 'c1' });
  expect(isCertain()).toBe(true);
  log.recordOutcome(3, { action: 'unknown', id: 'c2' });
  expect(isCertain()).toBe(false);
  log.recordOutcome(3, { action: 'update', id: 'c2' });
  expect(isCertain()).toBe(true);
  log.close();
});
