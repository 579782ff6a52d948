import { expect, test } from 'vitest';
import { createSchemaCheck } from '../../commands/describe/json-schema.ts';
import { createDemoMachine } from '../../support/kith.ts';

/** Runs a command and returns the rows that it prints. */
async function readRows(line: string) {
  const { code, out } = await createDemoMachine()(`${line} -q --format compact`);
  expect(code).toBe(0);
  const rows = out
    .trimEnd()
    .split('\n')
    .map((row) => JSON.parse(row));
  expect(rows.flatMap(createSchemaCheck('compact'))).toEqual([]);
  return rows;
}

test('a compact row has names and the values of fields by name, and no empty values', async () => {
  const [deal] = await readRows('entries list "Sales pipeline" --limit 1');
  expect(deal).toEqual({
    ...{ id: 'm7lwpy', key: 'DEAL-1', list_id: 'vy7gy3', status: 'Won' },
    ...{ entryable_id: 'rl16pk', entryable_type: 'Organization', contact_id: '0rlnky' },
    list_fields: {
      'Next step': 'Hang the framed first alarm log in the loading-bay office',
      'Expected close': '2026-05-31',
      Rooms: 14,
      Source: 'Cold call',
      Champion: 'nkw0rz',
    },
    assignee: { email: 'mina@tidewater.example' },
    ...{ one_time_value_cents: 1_092_000, recurring_value_cents: 42_000, recurring_value_period: 'monthly' },
    ...{ closed_at: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String) },
    organization: { name: '한빛물류' },
    contact: { name: '김지우' },
    list: { name: 'Sales pipeline' },
    Champion: { name: '문태식' },
  });
});

test.each([
  ['entries list Newsletter --limit 1', { contact: { name: '김지우' }, list: { name: 'Newsletter' } }],
  ['deals get DEAL-1', { organization: { name: '한빛물류' }, list: { name: 'Sales pipeline' } }],
  ['notes list --limit 1', { deal_id: 'DEAL-1', organization: { name: '한빛물류' } }],
  ['contacts get v49o47', { organization: { name: '한빛물류' }, custom_fields: { Role: 'Chief executive' } }],
  ['actions list --limit 1', { organization: { name: '潮見総合病院' } }],
  ['meetings list --limit 1', { attendees: expect.arrayContaining([{ email: 'kenji@tidewater.example' }]) }],
])('%s has the names of its records in a compact row', async (line, expected) => {
  const [row] = await readRows(line);
  expect(row).toMatchObject(expected);
  expect(row.custom_fields ?? {}).not.toHaveProperty('Birthday');
});

test('--fields and --jq apply to each compact row', async () => {
  const fields = '--fields key,organization.name,Rooms,next_entry_id';
  expect(await readRows(`entries list "Sales pipeline" --limit 1 ${fields}`)).toEqual([
    {
      key: 'DEAL-1',
      organization: { name: '한빛물류' },
      list_fields: { Rooms: 14 },
      next_entry_id: null,
    },
  ]);
  const filter = '.organization.name + " " + (.list_fields.Rooms | tostring)';
  const line = [
    'entries',
    'list',
    'Sales pipeline',
    '--limit',
    '2',
    '-q',
    '--format',
    'compact',
    '--jq',
    filter,
  ];
  expect((await createDemoMachine()(line)).out).toBe('한빛물류 14\nQueijaria São Brás 5\n');
});

test('a write prints a compact row without requests for names', async () => {
  const [row] = await readRows('deals update DEAL-2 --field Rooms=6');
  expect(row).toMatchObject({ key: 'DEAL-2', list_fields: { Rooms: 6 } });
  expect(row).not.toHaveProperty('organization');
});
