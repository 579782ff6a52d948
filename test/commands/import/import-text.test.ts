import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMachine, createTemporaryFolder, writeStoredSettings } from '../../support/kith.ts';
import { createOldFile } from '../../support/old-workspace.ts';
import { createImportMachine } from './import-machine.ts';

test('finds the same contacts with and without invisible characters, and sends clean texts', async () => {
  const { importRows, json } = await createImportMachine();
  const untidy = [
    'First Name,Email,Phone',
    '\u200eAda\u00ad,ada@a.example\u200b,tel:+1 (415) 555\u20112671',
    'Bob,"Bob <\u2060bob@a.example>",\u202a+1 415 555 2672\u202c',
    'Cy,"c\u00ady@a.example, #mailto:cy@b.example#",+1 415 555 2673 (mobile) or 442079460957.0',
  ].join('\n');
  const dry = await importRows('contacts', untidy, '--dry-run');
  expect(dry.out.split('\n')).toEqual([
    '+ create first_name: Ada, emails: ada@a.example, phone_numbers: +1 (415) 555-2671  (row 2)',
    '+ create first_name: Bob, emails: bob@a.example, phone_numbers: +1 415 555 2672  (row 3)',
    '+ create first_name: Cy, emails: cy@a.example; cy@b.example, phone_numbers: +1 415 555 2673; 442079460957  (row 4)',
    '',
  ]);
  await importRows('contacts', untidy);
  const contacts = await json('contacts list --all');
  expect(
    contacts.map(({ first_name, emails, phone_numbers }) => [first_name, emails, phone_numbers]),
  ).toEqual([
    ['Ada', ['ada@a.example'], ['+14155552671']],
    ['Bob', ['bob@a.example'], ['+14155552672']],
    ['Cy', ['cy@a.example', 'cy@b.example'], ['+14155552673', '+442079460957']],
  ]);
  const clean = 'First Name,Email\nAda,ada@a.example\nBob,bob@a.example\nCy,cy@a.example\n';
  for (const csv of [untidy, clean])
    expect((await importRows('contacts', csv)).out).toContain('0 created, 0 updated, 3 same');
});

test('splits domains at line breaks, and finds an organization by its name without invisible characters', async () => {
  const { importRows, json } = await createImportMachine();
  await importRows('organizations', 'Name,Website\nMüller\u200b GmbH,"acme.example\nacme-shop.example"\n');
  await importRows('organizations', 'Name\nMüller GmbH\n');
  expect(await json('organizations list')).toMatchObject([
    { name: 'Müller GmbH', domains: ['acme.example', 'acme-shop.example'] },
  ]);
});

test('matches the records of an older version, and lists them as duplicates', async () => {
  const emails = ['ada@a.example\u200b', 'b\u00adob@a.example', 'bob@a.example'];
  const rows = emails.map((email, index) => {
    const values = `('${'Ada Bob Bob\u200b'.split(' ')[index]}', 0, 0)`;
    return `insert into contact (first_name, created_at, updated_at) values ${values};
      insert into contact_email (folded, email, contact_id, position) values ('${email}', '${email}', ${index + 1}, 0)`;
  });
  const folder = createTemporaryFolder();
  writeStoredSettings(folder, {
    active: 'old',
    profiles: { old: { database: createOldFile(9, rows.join(';')) } },
  });
  const kith = createMachine(folder);
  const file = join(folder, 'rows.csv');
  expect((await kith('contacts find --email "Ada <ada@a.example>" --jq .[0].first_name')).out).toBe('Ada\n');
  const imported = await kith(['contacts', 'import', '-', '--report', join(folder, 'r.csv')], {
    stdin: 'First Name,Email\nAda,ada@a.example\n',
  });
  expect({ file, out: imported.out }).toMatchObject({ out: expect.stringContaining('1 same') });
  expect((await kith('contacts duplicates --format tsv --no-header')).out).toMatch(
    /^\d+\tsame email;same name\t/,
  );
});
