import { expect, test } from 'vitest';
import { createWorkbookParts, createZip } from '../../import/workbook-file.ts';
import { createImportMachine, type JsonRecord, stripGenerated } from './import-machine.ts';

/** Imports a file, and returns the outcome with the contacts and the names of organizations. */
async function importExport(text: string) {
  const machine = await createImportMachine();
  await machine.runSuccessfully('fields create Anniversary --model contact --type date');
  const { code, err } = await machine.importRows('contacts', text);
  const organizations = await machine.json('organizations list');
  const contacts = (await machine.json('contacts list --all')).map((contact): JsonRecord => {
    const { organization_id, ...values } = stripGenerated(contact);
    return { ...values, organization: organizations.find(({ id }) => id === organization_id)?.name };
  });
  return { code, err, contacts };
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
  const { code, contacts, err } = await importExport(text);
  expect([code, contacts]).toMatchObject([
    0,
    [{ ...ada, emails: ['ada@a.example', 'ada@b.example'], phone_numbers: numbers, custom_fields: {} }],
  ]);
  expect(err).toMatch(/Skipped \d columns? without a field: /);
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
