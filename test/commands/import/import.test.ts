import { expect, test } from 'vitest';
import { createSampleWorkspace } from '../../import/workspace.ts';
import {
  createImportMachine,
  createWatchedImport,
  formatReportRows,
  stripGenerated,
} from './import-machine.ts';

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

test('writes the values of all rows about a record at once, also of rows far apart', async () => {
  const { importRows, takeWrites, readReport } = await createSampleWorkspace();
  const others = Array.from({ length: 60 }, (_, at) => `p${at}@x.example,,,`).join('\n');
  const csv =
    'email,phone,first_name,Title\n' +
    `new@x.example,,Grace,\n,010-5550-1234,,Countess\nb@x.example,,Bob,\n${others}\n` +
    'NEW@x.example;n@x.example,,,Admiral\nNew@x.example,+821055507777,,\nn@x.example,,Grace,\n';
  expect((await importRows('contacts', csv)).code).toBe(0);
  const writes = takeWrites().filter((line) => !/"p\d/.test(line));
  expect(writes.toSorted()).toEqual([
    expect.stringMatching(/^PATCH .*Countess/),
    expect.stringMatching(/^POST .*"Grace".*"new@x.example","n@x.example".*"\+821055507777"/),
  ]);
  const lines = formatReportRows(readReport());
  const own = [...lines.slice(0, 3), ...lines.slice(-3)];
  expect(own).toEqual(['2 create', '3 update', '4 same', '65 update', '66 update', '67 same']);
});

test('--strict refuses conflicting rows; otherwise the report has the id of their record', async () => {
  const { importRows, takeWrites, readReport, json } = await createWatchedImport();
  const csv = 'email,first_name\na@x.example,Ada\na@x.example,Eva\n';
  expect((await importRows('contacts', csv, '--strict')).code).toBe(2);
  expect(takeWrites()).toEqual([]);
  expect((await importRows('contacts', csv)).code).toBe(6);
  const [contact] = await json('contacts list');
  expect(readReport().map(({ action, id }) => [action, id])).toEqual(Array(2).fill(['refused', contact?.id]));
});

const unstorable = 'The value must not contain U+0000 or unpaired surrogates.';
const longText = 'x'.repeat(1024 * 1024);

test('refuses invalid contacts in a dry run, and before their organizations are created', async () => {
  const { importRows, json, readReport } = await createImportMachine();
  const rows: readonly (readonly [cells: Readonly<Record<string, string>>, error: string])[] = [
    // The workspace is in the region US.
    [{ phone: '555-0100' }, 'phone: "555-0100" is not a phone number.'],
    [{ phone: '02-123-4567' }, 'phone: "02-123-4567" is not a phone number.'],
    [{ phone: '+1 555' }, 'phone: "+1 555" is not a phone number.'],
    [{ first_name: '' }, 'first_name, or at least one valid address in emails, is required.'],
    [{ organization: '', organization_id: 'auto' }, '"auto" requires an email address.'],
    [
      { first_name: 'A\0' },
      `first_name: ${unstorable} first_name, or at least one valid address in emails, is required.`,
    ],
    [{ Notes: longText }, 'The body must have at most 1048576 bytes.'],
  ];
  const file = rows
    .map(([cells], index) =>
      JSON.stringify({ phone: `+1415555267${index}`, first_name: 'A', organization: 'Acme', ...cells }),
    )
    .join('\n');
  const plan = await importRows('contacts', file, '--create-fields --dry-run --json', 'sheet.ndjson');
  expect(JSON.parse(plan.out)).toEqual(
    rows.map(([, error], index) => ({ row: index + 1, action: 'refused', error })),
  );
  await importRows('contacts', file, '--create-fields', 'sheet.ndjson');
  expect(readReport()).toMatchObject(rows.map(([, error]) => ({ action: 'refused', id: '', error })));
  expect([await json('organizations list'), await json('contacts list')]).toEqual([[], []]);
});

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
