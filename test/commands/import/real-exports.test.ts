import { expect, test } from 'vitest';
import { createWorkbookParts, createZip } from '../../import/workbook-file.ts';
import { createImportMachine, formatReportRows, type JsonRecord, stripGenerated } from './import-machine.ts';

/** Imports a file, and returns the outcome with the contacts and the names of organizations. */
async function importExport(text: string, flags = '', prepare: readonly string[] = []) {
  const machine = await createImportMachine();
  for (const line of prepare) await machine.runSuccessfully(line);
  const { code, err } = await machine.importRows('contacts', text, flags);
  const organizations = await machine.json('organizations list');
  const contacts = (await machine.json('contacts list --all')).map((contact): JsonRecord => {
    const { organization_id, ...values } = stripGenerated(contact);
    return { ...values, organization: organizations.find(({ id }) => id === organization_id)?.name };
  });
  return { code, err, contacts, machine };
}

const ada = { first_name: 'Ada', last_name: 'Lovelace', organization: 'Analytical' };
const numbers = ['+14155552671', '+14155552672'];

test.each([
  [
    'Google Contacts, first form',
    'Name,Given Name,Family Name,Group Membership,E-mail 1 - Type,E-mail 1 - Value,E-mail 2 - Value,Phone 1 - Value,Phone 2 - Value,Organization 1 - Name\n' +
      'Ada Lovelace,Ada,Lovelace,* myContacts,* Work,ada@a.example,ada@b.example,+1 415-555-2671,+1 415-555-2672,Analytical\n',
  ],
  [
    'Outlook',
    'Title,First Name,Last Name,Company,Business Fax,Business Phone,Home Phone 2,Account,Anniversary,E-mail Address,E-mail Type,E-mail 2 Address\n' +
      ',Ada,Lovelace,Analytical,+1 415 555 2679,+1 415 555 2671,+1 415 555 2672,,0/0/00,ada@a.example,SMTP,ada@b.example\n',
  ],
  [
    'Outlook in German',
    'Anrede;Vorname;Nachname;Firma;Telefon geschäftlich;Weiteres Telefon;E-Mail-Adresse;E-Mail: Angezeigter Name;E-Mail 2: Adresse;Geburtstag;Konto\n' +
      'Frau;Ada;Lovelace;Analytical;+1 415 555 2671;+1 415 555 2672;ada@a.example;Ada;ada@b.example;0.0.00;\n',
  ],
  [
    'Pipedrive',
    'Person - Name,Person - First name,Person - Last name,Person - Organization,Person - Email - Work,Person - Email - Home,Person - Phone - Work,Person - Phone - Mobile,Person - Owner\n' +
      'Ada Lovelace,Ada,Lovelace,Analytical,ada@a.example,ada@b.example,+14155552671,+14155552672,Mina\n',
  ],
  [
    'a Salesforce report with a column twice',
    '"All contacts"\n\n"First Name","Last Name","Account Name","Email","Email","Phone","Mobile","Account Owner"\n' +
      '"Ada","Lovelace","Analytical","ada@a.example","ada@b.example","(415) 555-2671","(415) 555-2672","Mina"\n',
  ],
])('imports %s without flags', async (_, text) => {
  const { code, contacts, err } = await importExport(text, '', [
    'fields create Anniversary --model contact --type date',
  ]);
  expect([code, contacts]).toMatchObject([
    0,
    [{ ...ada, emails: ['ada@a.example', 'ada@b.example'], phone_numbers: numbers, custom_fields: {} }],
  ]);
  expect(err).toMatch(/Skipped \d columns? without a field: /);
});

const hubSpot = 'Record ID,First Name,Last Name,Email,Primary Associated Company ID';

test('prefers the company of HubSpot to its associated companies, and takes none of several', async () => {
  const line = '00101,Ada,Lovelace,ada@a.example,123456789012345678';
  const both = `${hubSpot},Associated Company,Company name\n${line},Analytical;Acme,Analytical\n`;
  expect(await importExport(both)).toMatchObject({ code: 0, contacts: [ada] });
  expect(await importExport(`${hubSpot},Associated Company\n${line},Analytical\n`)).toMatchObject({
    contacts: [ada],
  });
  const { code, err, contacts } = await importExport(
    `${hubSpot},Associated Company\n${line},Analytical;Acme\n`,
  );
  expect([code, contacts]).toMatchObject([6, [{ ...ada, organization: undefined }]]);
  expect(err).toContain('row 2: Associated Company: "Analytical;Acme" names several organizations.');
});

test('finds the header of a workbook below a title', async () => {
  const cells = [['Readers of 2026'], ['Name', 'Email'], ['Ada Lovelace', 'ada@a.example']];
  const toCell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const rows = cells.map((row) => `<row>${row.map(toCell).join('')}</row>`).join('');
  const { importRows } = await createImportMachine();
  const file = createZip(createWorkbookParts({ rows }));
  const { err, out } = await importRows('contacts', file, '--dry-run', 'people.xlsx');
  expect(err).toContain('Skipped 1 row above the header: "Readers of 2026".');
  expect(out).toBe('+ create first_name: Ada, last_name: Lovelace, emails: ada@a.example  (row 3)\n');
});

const linkedIn = `Notes:
"When exporting, some addresses may be missing."

First Name,Last Name,URL,Email Address,Company,Position,Connected On
Ada,Lovelace,https://s.example/ada,,Analytical,Countess,12 Nov 2025
Bob,B,https://s.example/bob,,Bobs,Boss,01 Jan 2024
Bob,B,https://s.example/bob2,,Others,Boss,01 Jan 2024
Bob,,https://s.example/b,,Bobs,Boss,01 Jan 2024
Bob,B,https://s.example/bob,,Bobs,Boss,01 Jan 2024
`;

test('matches rows without email by full name and company', async () => {
  const { code, contacts, err, machine } = await importExport(linkedIn, '', [
    'organizations create --name Analytical',
    'contacts create --first-name Lovelace --last-name Ada --email ada@a.example --organization Analytical',
  ]);
  expect(err).toContain(
    'Skipped 2 rows above the header: "Notes:", "When exporting, some addresses may be missing.".',
  );
  expect([code, contacts.map(({ organization }) => organization)]).toEqual([
    6,
    ['Analytical', 'Bobs', 'Others'],
  ]);
  const expected = (action: string) => [
    expect.stringMatching(/^2 (same|update)$/),
    `3 ${action}`,
    `4 ${action}`,
    expect.stringMatching(/^5 refused No email or phone/),
    '6 same',
  ];
  expect(formatReportRows(machine.readReport())).toEqual(expected('create'));
  await machine.importRows('contacts', linkedIn);
  expect(formatReportRows(machine.readReport())).toEqual(expected('same'));
});

test('refuses a row without email if two contacts have its name and company', async () => {
  const create = 'contacts create --first-name Bob --last-name B --organization Bobs --email';
  const { machine } = await importExport(linkedIn, '', [
    'organizations create --name Bobs',
    `${create} b1@x.example`,
    `${create} b2@x.example`,
  ]);
  expect(machine.readReport()[1]?.error).toMatch(/^Several contacts have its name and organization: /);
});

test('leaves out dates that it does not understand, and imports their rows', async () => {
  const dates = ['1815-12-10', '12/10/1815', '0000-00-00', '2026-02-30'];
  const rows = dates.map((date, at) => `D${at},d${at}@x.example,${date},many`);
  const { code, contacts, err } = await importExport(
    `First Name,Email,Birthday,Rooms\n${rows.join('\n')}\n`,
    '',
    [
      'fields create Birthday --model contact --type date',
      'fields create Rooms --model contact --type number',
    ],
  );
  expect([code, contacts.map((contact) => contact.custom_fields)]).toEqual([
    6,
    [{ Birthday: '1815-12-10' }, {}, {}, {}],
  ]);
  expect(err).toContain('kith: 4 rows with cells left out:\n');
  expect(err).toContain('row 3: Birthday: "12/10/1815" is not a date such as 2026-05-01.');
});
