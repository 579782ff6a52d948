import { expect, test } from 'vitest';
import { funnel } from '../../import/controlled-service.ts';
import { readState } from '../../import/state.ts';
import {
  createImportMachine,
  createWatchedImport,
  formatReportRows,
  stripGenerated,
} from './import-machine.ts';
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

const unstorable = 'The value must not contain U+0000 or unpaired surrogates.';
const longText = 'x'.repeat(1024 * 1024);

test.each<[string, Record<string, string>, string]>([
  ['a number too short for the region', { phone: '555-0100' }, 'phone: "555-0100" is not a phone number.'],
  ['a number of another region', { phone: '02-123-4567' }, 'phone: "02-123-4567" is not a phone number.'],
  ['a whole number that is too short', { phone: '+1 555' }, 'phone: "+1 555" is not a phone number.'],
  [
    'no name and no email',
    { first_name: '' },
    'first_name, or at least one valid address in emails, is required.',
  ],
  [
    'organization_id auto without email',
    { organization: '', organization_id: 'auto' },
    '"auto" requires an email address.',
  ],
  [
    'a NUL in its only name',
    { first_name: 'A\0' },
    `first_name: ${unstorable} first_name, or at least one valid address in emails, is required.`,
  ],
  ['a text that is too long', { Notes: longText }, 'The body must have at most 1048576 bytes.'],
])(
  'refuses a contact with %s in a dry run, and before its organization is created',
  async (_, cells, error) => {
    const { importRows, json, readReport } = await createImportMachine();
    const row = JSON.stringify({ phone: '+14155552671', first_name: 'A', organization: 'Acme', ...cells });
    const { out } = await importRows('contacts', row, '--create-fields --dry-run --json', 'sheet.ndjson');
    expect(JSON.parse(out)).toEqual([{ row: 1, action: 'refused', error }]);
    await importRows('contacts', row, '--create-fields', 'sheet.ndjson');
    expect(readReport()).toMatchObject([{ action: 'refused', id: '', error }]);
    expect([await json('organizations list'), await json('contacts list')]).toEqual([[], []]);
  },
);

const tooMany = Array.from({ length: 1001 }, (_, at) => `a${at}@x.example`).join(';');

test.each<[string, Record<string, string>, string, string?]>([
  ['contacts import FILE', { phone: '+14155552671', first_name: 'A', email: 'a\0@x.example' }, 'email'],
  ['contacts import FILE', { email: 'b@x.example', organization: 'A\ud800' }, 'organization'],
  ['contacts import FILE --create-fields', { email: 'b@x.example', Notes: 'A\0' }, 'Notes'],
  [
    'contacts import FILE',
    { phone: '+14155552671', first_name: 'A', email: tooMany },
    'email',
    'The value must have at most 1000 items.',
  ],
  ['organizations import FILE', { domain: 'acme.example', name: 'A\0' }, 'name'],
  ['organizations import FILE --create-fields', { domain: 'acme.example', Notes: 'A\0' }, 'Notes'],
  ['entries import Readers FILE', { email: 'a@x.example', Tier: 'A\0' }, 'Tier'],
  ['contacts import FILE --list Readers --list-field T=Tier', { email: 'b@x.example', T: 'A\0' }, 'T'],
])('%s --dry-run leaves out the invalid cell of %j', async (line, cells, column, error = unstorable) => {
  const { kith, writeTestFile, runSuccessfully } = await createImportMachine();
  await runSuccessfully('contacts create --email a@x.example');
  await runSuccessfully('lists create Readers --entry-type Contact --field Tier:text');
  const path = writeTestFile('sheet.ndjson', JSON.stringify(cells));
  const { out } = await kith(`${line.replace('FILE', path)} --dry-run --json`);
  expect(JSON.parse(out)).toMatchObject([{ action: 'create', left_out: `${column}: ${error}` }]);
});

test('names the organization that was created for a contact that the service then refuses', async () => {
  const { importRows, readReport, sendOk } = await createWatchedImport();
  const csv = 'phone,first_name,organization\n02-123-4567,A,Acme\n+1 555,B,Other\n';
  const { out } = await importRows('contacts', csv, '--dry-run --json');
  // kith does not know the region of a hosted workspace.
  expect(JSON.parse(out)).toMatchObject([{ action: 'create' }, { action: 'refused' }]);
  await importRows('contacts', csv);
  const { data } = await sendOk<{ data: { id: string; name: string }[] }>('GET /v1/organizations');
  expect(data.map(({ name }) => name)).toEqual(['Acme']);
  expect(readReport()).toMatchObject([
    {
      action: 'refused',
      id: '',
      error: `"02-123-4567" is not a phone number. The organization ${data[0]?.id} was created.`,
    },
    { action: 'refused', id: '', error: 'phone: "+1 555" is not a phone number.' },
  ]);
});

test('refuses a row whose list contains the contact several times before the contact is updated', async () => {
  const { importRows, readReport, sendOk, takeWrites } = await createWatchedImport();
  const { id } = await sendOk<{ id: string }>('POST /v1/contacts', { emails: ['a@x.example'] });
  const list = await sendOk<{ id: string }>('POST /v1/lists', funnel);
  const entry = { entryable_id: id, entryable_type: 'Contact' };
  for (let count = 0; count < 2; count += 1) await sendOk(`POST /v1/lists/${list.id}/entries`, entry);
  takeWrites();
  await importRows('contacts', 'email,first_name\na@x.example,New\n', '--list Funnel');
  expect([takeWrites(), readReport()[0]?.error]).toEqual([
    [],
    expect.stringContaining('The list contains it several times'),
  ]);
});
