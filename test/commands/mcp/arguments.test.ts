import { expect, test } from 'vitest';
import { createDemoMachine } from '../../support/kith.ts';
import { connectInProcess } from './agent.ts';

type Values = Record<string, unknown>;

const preview = { dry_run: true };

test('a call accepts the forms in which hosts send values', async () => {
  const { call } = await connectInProcess(createDemoMachine(), {}, '--allow-write');
  const email = ['a@x.example', 'b@x.example'];
  const deals = { view: 'list', list: 'Sales pipeline', limit: 2 };
  const line = { tool: 'notes_write', action: 'update', id: 'j5ek5n', body: 'A' };
  const calls: readonly (readonly [tool: string, values: Values, lenient: Values])[] = [
    [
      'search',
      { query: 'cold room', limit: 2 },
      { query: ['cold', 'room'], limit: '2', in: '', since: null },
    ],
    ['search', { query: 'cold', in: 'notes,meetings' }, { query: 'cold', in: '["notes","meetings"]' }],
    [
      'entries_read',
      { ...deals, status: 'Lead,Trial', fields: 'key,status' },
      { ...deals, status: '["Lead","Trial"]', fields: ['key', 'status'] },
    ],
    ['entries_read', { ...deals, status: 'Lead' }, { ...deals, status: ['Lead', ''], fields: [] }],
    [
      'records_list',
      { noun: 'contacts', limit: 1 },
      { noun: 'contacts', limit: '1', where: '', fields: null },
    ],
    [
      'records_create',
      { noun: 'contacts', email: ['a@x.example'], ...preview },
      { noun: 'contacts', email: 'a@x.example', dry_run: 'true' },
    ],
    [
      'records_create',
      { noun: 'contacts', email, ...preview },
      { noun: 'contacts', email: JSON.stringify(email), phone: [''], ...preview },
    ],
    [
      'contacts_write',
      { action: 'update', id: '0rlnky', first_name: 'A', data: { organization_id: null }, ...preview },
      {
        ...{ action: 'update', id: '0rlnky', first_name: 'A', last_name: '', organization: '', email: [] },
        ...{ data: '{"organization_id":null}', dry_run: 'true' },
      },
    ],
    [
      'contacts_write',
      { action: 'update', id: '0rlnky', field: ['Role=Cook'], ...preview },
      { action: 'update', id: '0rlnky', data: { custom_fields: { Role: 'Cook' } }, ...preview },
    ],
    ['records_write_many', { line: [line], ...preview }, { line: [JSON.stringify(line)], ...preview }],
    [
      'records_delete',
      { noun: 'contacts', id: ['0rlnky'], ...preview },
      { noun: 'contacts', id: '["0rlnky"]', confirm: '', ...preview },
    ],
  ];
  for (const [tool, values, lenient] of calls) {
    const { text, isError } = await call(tool, values);
    expect.soft([tool, isError]).toEqual([tool, false]);
    expect.soft(await call(tool, lenient)).toMatchObject({ text, isError });
  }
});

test.each([
  ['search', { query: 'zzqq' }, 'No matches for "zzqq".'],
  ['events_grep', { pattern: 'Zzqq' }, 'No matches for "Zzqq". The search is case-sensitive'],
  [
    'records_find',
    { noun: 'contacts', email: 'a@x.example' },
    'No contact has the email address "a@x.example".',
  ],
  ['records_find', { noun: 'organizations', name: 'zzqq' }, 'No organization has the name "zzqq".'],
])('%s without a match is an empty result: %j', async (tool, values, note) => {
  const { call } = await connectInProcess(createDemoMachine(), {});
  const { text, isError, structured } = await call(tool, values);
  expect({ text, isError }).toEqual({ text: 'No records.', isError: false });
  expect(structured).toMatchObject({
    records: [],
    pagination: { returned: 0, total: 0, truncated: false, next: null },
    warnings: expect.arrayContaining([expect.stringContaining(note)]),
  });
});

test.each([
  [
    'contacts_write',
    { action: 'update', id: '0rlnky', last_name: '' },
    'to clear a field, pass null in `data`',
  ],
  ['today', { user: 'nobody' }, '; `workspace_info` lists the assignees.'],
  ['records_write_many', { confirm: 'a' }, 'Repeat all parameters of the call that returned the question'],
  ['records_delete', { confirm: 'a' }, 'Repeat all parameters of the call that returned the question'],
])('%s %j says what is missing', async (tool, values, hint) => {
  const { call } = await connectInProcess(createDemoMachine(), {}, '--allow-write');
  const { isError, structured } = await call(tool, values);
  expect(isError).toBe(true);
  expect(structured.error?.hint).toContain(hint);
});

test('a reference that matches nothing is an error', async () => {
  const { call } = await connectInProcess(createDemoMachine(), {});
  const values = { noun: 'contacts', organization: 'zzqq' };
  expect(await call('records_list', values)).toMatchObject({
    isError: true,
    structured: { error: { code: 'not_found' } },
  });
});

test('an update to the same values is unchanged, and leaves nothing to undo', async () => {
  const { call } = await connectInProcess(createDemoMachine(), {}, '--allow-write');
  const move = (status: string) => call('entries_write', { action: 'update', id: 'DEAL-73', status });
  const same = await move('proposal');
  expect(same.structured).toMatchObject({
    records: [{ key: 'DEAL-73', status: 'Proposal' }],
    unchanged: true,
    warnings: ['Unchanged: nothing was written.'],
  });
  expect((await call('undo', { action: 'undo', list: true })).structured.records).toEqual([]);
  expect((await move('Won')).structured).not.toHaveProperty('unchanged');
});

test('the tool with the user is named if no user is set', async () => {
  const { call } = await connectInProcess(createDemoMachine(), {});
  const day = await call('today', {});
  expect(day.structured.warnings).toContain(
    "No user is set, so this is everyone's day. `workspace_info` lists the assignees.",
  );
  const mine = { view: 'list', list: 'Sales pipeline', mine: true };
  for (const [tool, values] of [['entries_read', mine] as const, ['actions_list', { mine: true }] as const])
    expect((await call(tool, values)).text).toContain(
      'hint: Use an email address instead; `workspace_info` lists the assignees.',
    );
});

test.each([
  ['search', { query: 'cold' }, 'kind,id,title'],
  ['today', {}, 'kind,id,title'],
  ['records_find', { noun: 'organizations', domain: 'hanbit-cold.example' }, 'id,name'],
  ['records_list', { noun: 'contacts' }, 'id,organization.name'],
  ['records_get', { noun: 'notes', id: 'j5ek5n' }, 'id,organization.name'],
  ['entries_read', { view: 'list', list: 'Sales pipeline' }, 'key,organization.name,Rooms'],
  ['entries_read', { view: 'report', list: 'Sales pipeline' }, 'status,entries'],
  ['events_list', {}, 'id,title,start_at'],
  ['events_grep', { pattern: 'barometer' }, 'title,time,text'],
  ['records_find', { noun: 'duplicate_contacts', min_score: 5 }, 'id,name'],
  ['followup', {}, 'name,score,reasons'],
  ['actions_list', {}, 'id,text,organization.name'],
])('%s %j has the fields in its description: %s', async (tool, values, fields) => {
  const { client, call } = await connectInProcess(createDemoMachine(), {});
  const { inputSchema } = (await client.listTools()).tools.find(({ name }) => name === tool) ?? {};
  const description = JSON.stringify(inputSchema?.properties?.fields);
  for (const field of fields.split(',')) expect(description).toContain(field);
  expect((await call(tool, { ...values, fields })).structured.records?.[0]).toBeTypeOf('object');
});
