import { expect, test } from 'vitest';
import { createImportMachine } from './import-machine.ts';

test('a dry run predicts records as the service would store them, without ids for new ones', async () => {
  const { importRows } = await createImportMachine();
  const organizations = 'domain\nhttps://www.dr.example/a\nhttps://www.dr.example/b\n';
  expect((await importRows('organizations', organizations, '--dry-run')).out).toBe(
    '+ create organization.domains: https://www.dr.example/a  (row 2)\n= same  (row 3)\n',
  );
  const contacts = 'email\na@x.example\nA@X.example;c@x.example\nb@x.example\na@x.example;b@x.example\n';
  const plan = JSON.parse((await importRows('contacts', contacts, '--dry-run --json')).out);
  expect(plan[3]).toEqual({
    row: 5,
    action: 'refused',
    error: 'Several contacts have its emails: row 2, row 4.',
  });
});

test('a dry run prints a line for each row, also into a pipe', async () => {
  const { importRows, json, runSuccessfully } = await createImportMachine();
  await runSuccessfully('contacts create --email a@x.example --first-name A');
  await runSuccessfully('contacts create --email b@x.example --first-name B');
  const [a, b] = (await json('contacts list --all')).map(({ id }) => id);
  const csv =
    'email,first_name\na@x.example;c@x.example,Ada\nb@x.example,B\nn@x.example,N\na@x.example;b@x.example,\nnone,\n';
  const { code, out } = await importRows('contacts', csv, '--dry-run');
  expect([code, out]).toEqual([
    6,
    [
      `~ update first_name: A -> Ada, emails: + c@x.example  (row 2, ${a})`,
      `= same  (row 3, ${b})`,
      '+ create first_name: N, emails: n@x.example  (row 4)',
      `! refused Several contacts have its emails: ${a}, ${b}.  (row 5)`,
      '! refused email: "none" is not an email address.  (row 6)',
      '',
    ].join('\n'),
  ]);
  expect(JSON.parse((await importRows('contacts', csv, '--dry-run --json')).out)).toEqual([
    {
      row: 2,
      action: 'update',
      id: a,
      changes: [
        { field: 'first_name', from: 'A', to: 'Ada' },
        { field: 'emails', to: ['c@x.example'], added: true },
      ],
    },
    { row: 3, action: 'same', id: b },
    {
      row: 4,
      action: 'create',
      changes: [
        { field: 'first_name', to: 'N' },
        { field: 'emails', to: ['n@x.example'] },
      ],
    },
    { row: 5, action: 'refused', error: expect.any(String), candidates: [a, b] },
    { row: 6, action: 'refused', error: expect.any(String) },
  ]);
  expect(await json('contacts list --all')).toHaveLength(2);
});
