import { expect, test } from 'vitest';
import { createRecordedDemo } from '../bulk/bulk-machine.ts';
import { connectInProcess, connectPerson, readToken } from './agent.ts';

const assignee = 'hannah@tidewater.example';
const reassign = (id: unknown) => ({ tool: 'entries_write', action: 'update', id, assignee });
const list = { view: 'list', list: 'Sales pipeline', limit: 25, fields: 'key,assignee.email' };

interface Row {
  readonly key: string;
  readonly assignee?: { readonly email: string };
}

test('25 reassignments are one call, one question with each change, and one undo', async () => {
  const kith = createRecordedDemo();
  const { call } = await connectInProcess(kith, {}, '--allow-write');
  const read = async () => (await call('entries_read', list)).structured.records as unknown as Row[];
  const rows = await read();
  const line = rows.map(({ key }) => reassign(key));
  const asked = await call('records_write_many', { line });
  expect(asked.text).toContain(
    `1. update entry DEAL-1 (m7lwpy): assignee_email: mina@tidewater.example -> ${assignee}\n`,
  );
  expect(asked.text).toContain('\n25. update entry ');
  expect(asked.text).toContain('\nWrite 25 records?');
  expect(await read()).toEqual(rows);
  const done = await call('records_write_many', { line, confirm: readToken(asked) });
  const isUnchanged = (row: Row) => row.assignee?.email === assignee;
  const statuses = rows.map((row) => (isUnchanged(row) ? 'unchanged' : 'done'));
  expect(done.structured.records?.map(({ status }) => status)).toEqual(statuses);
  expect(new Set(statuses).size).toBe(2);
  expect(done.text.length).toBeLessThan(3000);
  expect((await read()).every(isUnchanged)).toBe(true);
  const undoing = await call('undo', { action: 'undo' });
  expect(undoing.text.match(/^ {2}update entry /gm)).toHaveLength(
    statuses.filter((status) => status === 'done').length,
  );
  expect((await call('undo', { action: 'undo', confirm: readToken(undoing) })).isError).toBe(false);
  expect(await read()).toEqual(rows);
});

test('a user confirms in a form, later lines refer to earlier ones, and a refused line has its own error', async () => {
  const questions: string[] = [];
  const person = (message: string) => {
    questions.push(message);
    return { action: 'accept' as const, content: { confirm: true } };
  };
  const { call } = await connectPerson(createRecordedDemo(), {}, person, '--allow-write');
  const result = await call('records_write_many', {
    line: [
      { tool: 'records_create', noun: 'organizations', name: 'Dawn', domain: 'dawn.example', field: null },
      { tool: 'records_create', noun: 'notes', organization: '$1.id', body: 'Two\nlines' },
      reassign('DEAL-9999'),
      { tool: 'workspace_write', action: 'update_list', id: 'Newsletter', name: 'News' },
      {
        tool: 'contacts_write',
        action: 'update',
        id: '0rlnky',
        email: 'new@hanbit-cold.example',
        phone: '+821055500000',
      },
      {
        tool: 'records_create',
        noun: 'contacts',
        email: 'jiwoo.kim@hanbit-cold.example',
        if_absent: 'email',
      },
    ],
  });
  expect(questions).toEqual([
    [
      '1. create organization: name: Dawn, domains: dawn.example',
      '2. notes create: organization: $1.id, body: Two lines',
      '3. entries update: No entry of "Sales pipeline" has the key "DEAL-9999".',
      '4. update list Newsletter (4y3m1d): name: Newsletter -> News',
      '5. update contact 김지우 (0rlnky): emails: + new@hanbit-cold.example, phone_numbers: +821055501234 -> +821055500000',
      '6. contacts create: email: jiwoo.kim@hanbit-cold.example, if_absent: email',
      'Write 6 records?',
    ].join('\n'),
  ]);
  expect(result.structured.records).toMatchObject([
    { line: 1, status: 'done', data: { id: expect.any(String) } },
    { line: 2, status: 'done' },
    { line: 3, status: 'failed', error: { code: 'not_found' } },
    { line: 4, status: 'done' },
    { line: 5, status: 'done' },
    { line: 6, status: 'unchanged', data: { id: '0rlnky' } },
  ]);
  expect(result.structured.error).toMatchObject({ code: 'partial' });
});

test('a truncated result does not stop the writes', async () => {
  const { call, callConfirmed } = await connectInProcess(
    createRecordedDemo(),
    {},
    '--allow-write',
    '--max-chars',
    '1000',
  );
  const line = Array.from({ length: 20 }, (_, index) => ({
    tool: 'records_create',
    noun: 'contacts',
    first_name: `Many ${index}`,
  }));
  const { structured, notes } = await callConfirmed('records_write_many', { line });
  expect(structured.pagination).toMatchObject({ truncated: true });
  expect(notes.join()).toContain('; do not repeat the write to see them.');
  const count = await call('records_list', { noun: 'contacts', where: 'first_name ~ Many', count: true });
  expect(count.text.trim()).toBe('20');
});

test('an answer allows one run, and the calls may be JSON texts', async () => {
  const { call } = await connectInProcess(createRecordedDemo(), {}, '--allow-write');
  const line = [JSON.stringify({ tool: 'records_create', noun: 'contacts', first_name: 'Once' })];
  const confirm = readToken(await call('records_write_many', { line }));
  expect((await call('records_write_many', { line, confirm })).isError).toBe(false);
  expect((await call('records_write_many', { line, confirm })).notes[0]).toContain('must be asked again');
  expect((await call('records_list', { noun: 'contacts', where: 'name = Once', count: true })).text).toBe(
    '1\n',
  );
});

test.each([
  [
    [reassign('DEAL-1'), { ...reassign('DEAL-2'), field: 'Rooms=many' }],
    'line 2: `field` "Rooms": "many" is not a number.',
  ],
  [
    [reassign('DEAL-1'), { tool: 'records_delete', noun: 'contacts', id: ['x'] }],
    'line 2: tool: "records_delete" is not one of',
  ],
  [
    [{ tool: 'contacts_write', action: 'update', id: '0rlnky', last_name: 'X' }],
    'line 1: tool: "contacts_write" is not one of',
  ],
  [[{ ...reassign('DEAL-1'), x: 1 }], 'line 1: Unknown parameter "x"'],
  [[], 'line is required.'],
  [[{ tool: 'actions_mark', action: 'done', id: ['x'] }], 'line 1: tool: "actions_mark" is not one of'],
])('offers only the tools of the server: %j', async (line, message) => {
  const tools = ['--tools', 'read,notes,deals,records_delete,actions_mark'];
  const { call } = await connectInProcess(createRecordedDemo(), {}, '--allow-write', ...tools);
  expect((await call('records_write_many', { line })).text).toContain(`usage: ${message}`);
});
