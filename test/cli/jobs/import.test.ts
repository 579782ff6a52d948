import { expect, test } from 'vitest';
import { createImportMachine, formatReportRows, stripGenerated } from './import-machine.ts';

const emptyContact = {
  first_name: null,
  last_name: null,
  emails: [],
  phone_numbers: [],
  organization_id: null,
  custom_fields: {},
};

test('creates contacts, finds them unchanged in a second run, and sends only a change', async () => {
  const { importRows, json, readReport, toPath } = await createImportMachine();
  const csv =
    'email,phone,first_name,last_name\r\nada@x.example,+82 10-5550-1234,Ada,Lovelace\r\nb@x.example,,B,\r\n';
  expect(await importRows('contacts', csv)).toEqual({
    code: 0,
    out: `${toPath('sheet.csv')}: 2 rows: 2 created, 0 updated, 0 same, 0 refused; see ${toPath('sheet.report.csv')}\n`,
    err: '',
  });
  const ada = {
    ...emptyContact,
    first_name: 'Ada',
    last_name: 'Lovelace',
    emails: ['ada@x.example'],
    phone_numbers: ['+821055501234'],
  };
  const b = { ...emptyContact, first_name: 'B', emails: ['b@x.example'] };
  expect((await json('contacts list --all')).map(stripGenerated)).toEqual([ada, b]);
  expect((await importRows('contacts', csv)).out).toContain('0 created, 0 updated, 2 same');
  expect(formatReportRows(readReport())).toEqual(['2 same', '3 same']);
  await importRows('contacts', csv.replace('B,', 'Bob,'));
  expect(formatReportRows(readReport())).toEqual(['2 same', '3 update']);
  expect((await json('contacts list --all')).map(stripGenerated)).toEqual([ada, { ...b, first_name: 'Bob' }]);
});

test('matches a phone number in a common format in every run', async () => {
  const { importRows } = await createImportMachine();
  const numbers = ['+44 (0)20 7946 0958', '+1 (415) 555-2671 x12', '+49 30 901820', '+49 (0) 30 901820'];
  const csv = `phone,first_name\n${numbers.map((number) => `${number},A\n`).join('')}`;
  expect((await importRows('contacts', csv)).out).toContain('3 created, 0 updated, 1 same');
  expect((await importRows('contacts', csv)).out).toContain('4 same');
});
