import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDemoMachine, createTemporaryFolder } from '../../support/kith.ts';

test.each([
  ['entries update DEAL-1 --status LOST -n', '"status": "Lost"'],
  ['entries add "Sales pipeline" --organization rl16pk --status lead -n', '"status": "Lead"'],
  ['entries update DEAL-1 --field SOURCE=website -n', '"name": "Source"', '"value": "Website"'],
  ['entries add "Sales pipeline" --organization rl16pk --field rooms=3 -n', '"name": "Rooms"'],
  [
    'entries update DEAL-1 --recurring-value 1 --recurring-period ANNUAL -n',
    '"recurring_value_period": "annual"',
  ],
  ['contacts create --first-name A --field language=korean -n', '"name": "Language"', '"value": "Korean"'],
  ['contacts update 0rlnky --field LANGUAGE=Korean -n', '"name": "Language"'],
  ['organizations update 2pqkp1 --add-field "keeps COLD=beer" -n', '"name": "Keeps cold"', '"Beer"'],
  [
    'contacts merge 0rlnky v49o47 --take ROLE --take FIRST_NAME -y -n',
    '"first_name": "도현"',
    '"name": "Role"',
  ],
  ['custom-fields create X --model CONTACT --type Date -n', '"model": "contact"', '"data_type": "date"'],
  ['contacts edit 0rlnky --file - -n', '"name": "Language"', '"value": "English"', '"last_name": "Kim"'],
])('%s', async (line, ...texts) => {
  const kith = createDemoMachine();
  const { code, out } = await kith(line, { stdin: 'LAST_NAME: Kim\ncustom_fields:\n  language: ENGLISH\n' });
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(texts[0] ?? '') });
  for (const text of texts) expect(out).toContain(text);
});

test('an exact match of a name or an option has precedence over a match in another case', async () => {
  const kith = createDemoMachine();
  await kith('custom-fields create role --model contact --type select --option a --option A');
  const read = async (assignment: string) =>
    (await kith(`contacts update 0rlnky --field ${assignment} -n --jq .body.custom_fields[]`)).out;
  expect(JSON.parse(await read('role=A'))).toEqual({ name: 'role', value: 'A' });
  expect(JSON.parse(await read('Role=A'))).toEqual({ name: 'Role', value: 'A' });
  expect(await kith('contacts update 0rlnky --field ROLE=A')).toMatchObject({
    code: 2,
    err: expect.stringContaining('unknown field "ROLE"'),
  });
});

test('matches an option of --remove-field in any case, and refuses two changes of a field in any case', async () => {
  const kith = createDemoMachine();
  const line = 'organizations update rl16pk --add-field "Keeps cold=Beer" --jq .id';
  expect((await kith(line)).code).toBe(0);
  const removed = await kith('organizations update rl16pk --remove-field "keeps cold=BEER" -n --json');
  expect(removed).toMatchObject({ code: 0, out: expect.not.stringContaining('Beer') });
  const both = await kith(
    'organizations update rl16pk --field "Keeps Cold=Beer" --add-field "keeps cold=Fish"',
  );
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining('both change "Keeps cold"') });
});

test('an import matches fields, statuses and options in any case', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  const file = join(folder, 'people.csv');
  writeFileSync(file, 'EMAIL,language,ROLE,Day off\na@x.example,korean,Buyer,friday\n');
  await kith(
    'lists create Rota --entry-type Contact --process --identifier R --no-duplicates --field "Day:select:Friday"',
  );
  const list = ['--list', 'rota', '--status', 'WON', '--list-field', 'Day off=day'];
  const report = join(folder, 'report.csv');
  expect((await kith(['contacts', 'import', file, '--report', report, ...list])).code).toBe(0);
  const contact = await kith('contacts get a@x.example --jq "[.custom_fields[].value]"');
  expect(JSON.parse(contact.out)).toEqual(expect.arrayContaining(['Korean', 'Buyer']));
  const entry = await kith('entries get R-1 --jq "[.status, .list_fields[].value]"');
  expect(JSON.parse(entry.out)).toEqual(['Won', 'Friday']);
});
