import { expect, test } from 'vitest';
import { readState } from '../../import/state.ts';
import { createImportMachine, formatReportRows, stripGenerated } from './import-machine.ts';
import { createUndoMachine } from './undo-machine.ts';

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

const mentors = 'email,Mentor:contact\na@x.example,b@x.example\nb@x.example,A@x.example\nc@x.example,\n';

test('imports contacts that refer to each other in one run, and undoes it', async () => {
  const { importRows, undo, readReport, sendOk, json, takeWrites } = await createUndoMachine();
  const before = await readState(sendOk);
  takeWrites();
  const dry = await importRows('contacts', mentors, '--create-fields --dry-run');
  expect([dry.code, takeWrites()]).toEqual([0, []]);
  expect((await importRows('contacts', mentors, '--create-fields --strict --concurrency 1')).code).toBe(0);
  expect(formatReportRows(readReport())).toEqual(['2 create', '3 create', '4 create']);
  const contacts = await json<{ id: string; custom_fields: object }[]>('contacts list');
  const [a, b] = contacts.map(({ id }) => id);
  const mentorIds = contacts.map(
    ({ custom_fields }) => Object.values(custom_fields).find(({ name }) => name === 'Mentor')?.value,
  );
  expect(mentorIds).toEqual([b, a, null]);
  expect(await undo()).toMatchObject({ code: 0, err: '' });
  expect(await readState(sendOk)).toEqual(before);
});

test('imports a row without a reference that was not found, and refuses it', async () => {
  const { importRows, readReport, json, undo } = await createUndoMachine();
  const { code } = await importRows(
    'contacts',
    'email,Mentor:contact\na@x.example,x@x.example\n',
    '--create-fields',
  );
  expect([code, formatReportRows(readReport())]).toEqual([
    6,
    ['2 refused Mentor: contact "x@x.example" not found. Everything else was imported.'],
  ]);
  const [contact] = await json<{ id: string }[]>('contacts list');
  expect(readReport()[0]?.id).toBe(contact?.id);
  expect((await undo()).code).toBe(0);
  expect(await json('contacts list')).toEqual([]);
});

test('imports organizations that refer to existing contacts', async () => {
  const { importRows, readReport, sendOk, json } = await createUndoMachine();
  const { id } = await sendOk<{ id: string }>('POST /v1/contacts', { emails: ['a@x.example'] });
  const rows = 'name,By:contact\nAcme,A@x.example\nOther,x@x.example\n';
  expect((await importRows('organizations', rows, '--create-fields')).code).toBe(6);
  expect(formatReportRows(readReport())).toEqual([
    '2 create',
    '3 refused By: contact "x@x.example" not found.',
  ]);
  expect(JSON.stringify(await json('organizations list'))).toContain(`"value":"${id}"`);
});
