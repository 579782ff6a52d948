import { expect, test } from 'vitest';
import { createImportMachine, createWatchedImport } from '../commands/import/import-machine.ts';

/** Colleagues with an email address each, and one switchboard. */
const colleagues = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `p${from + index}@x.example,+8225550100,First${from + index}`);

/** Rows of one person that match only by phone. */
const visits = (count: number) => Array.from({ length: count }, () => ',+821055501234,Ada');

const toImportTable = (rows: readonly string[]) => `email,phone,first_name\n${rows.join('\n')}\n`;

/** Seconds of processor time that an import takes. */
async function processorTime(rows: readonly string[], flags = ''): Promise<number> {
  const { importRows } = await createImportMachine();
  const start = process.cpuUsage();
  const { code, err } = await importRows('contacts', toImportTable(rows), flags);
  expect([code, err]).toEqual([0, '']);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

test.each([
  ['colleagues with one phone number', colleagues, ''],
  ['rows of one person with one phone number', visits, ''],
  ['colleagues with one phone number, as a dry run', colleagues, '--dry-run'],
])('ten times as many %s take about ten times as long', async (_, rowsOf, flags) => {
  await processorTime(rowsOf(20), flags);
  const few = await processorTime(rowsOf(25), flags);
  // The shorter of two times: other processes and garbage collection only lengthen them.
  const many = Math.min(await processorTime(rowsOf(250), flags), await processorTime(rowsOf(250), flags));
  // Measured: 5 to 10. If each row read all colleagues, it would be 30 or more.
  expect(many / few).toBeLessThan(20);
});

test('distinguishes colleagues with one phone number without a request for each', async () => {
  const { importRows, takeRequests } = await createWatchedImport();
  await importRows('contacts', toImportTable(colleagues(60)));
  takeRequests();
  const { out } = await importRows('contacts', toImportTable([...colleagues(60), ...colleagues(5, 60)]));
  expect(out).toContain('65 rows: 5 created, 0 updated, 60 same');
  expect(takeRequests().filter((line) => line.includes('phone_number='))).toEqual([]);
});

test('does not merge organizations with the same name and different domains, however many there are', async () => {
  const { importRows, json } = await createImportMachine();
  const lines = Array.from({ length: 100 }, (_, index) => `Acme,a${index}.example`);
  const csv = `name,domain\n${lines.join('\n')}\n`;
  expect((await importRows('organizations', csv)).out).toContain('100 rows: 100 created');
  expect((await importRows('organizations', csv)).out).toContain('100 rows: 0 created, 0 updated, 100 same');
  const domains = (await json('organizations list --all')).map(({ domains }) => String(domains));
  expect(new Set(domains).size).toBe(100);
});
