import { describe, expect, test } from 'vitest';
import { createDemoMachine } from '../../support/kith.ts';
import { connectInProcess, connectPerson, connectPinned, type Person, readToken } from './agent.ts';

const env = { KITH_UNDO: 'on' };

/** Connects a client whose user gives the same answer to each question. */
async function connectWithAnswer(answer: Awaited<ReturnType<Person>>, connect = connectPerson) {
  const kith = createDemoMachine();
  const questions: { message: string; fields: object }[] = [];
  const person: Person = (message, fields) => {
    questions.push({ message, fields });
    return answer;
  };
  return { kith, questions, ...(await connect(kith, env, person, '--allow-write')) };
}

/** How the user is asked: by a request of the server, or by a result of the newest revision. */
const connections = [
  ['in a request', connectPerson],
  ['in a result', connectPinned],
] as const;

describe.each(connections)('asked %s', (_, connect) => {
  test('the user is asked before a deletion, with the name and the consequences', async () => {
    const answer = { action: 'accept', content: { confirm: true } } as const;
    const { call, questions } = await connectWithAnswer(answer, connect);
    const result = await call('records_delete', { noun: 'organizations', id: ['한빛물류'] });
    expect(result).toMatchObject({ isError: false, structured: { records: [{ deleted: true }] } });
    expect(questions).toEqual([
      {
        message: expect.stringMatching(/^Delete organization "한빛물류" \(rl16pk\) and its \d+ notes?.*\?/),
        fields: { confirm: { type: 'boolean', title: 'Confirm', default: false } },
      },
    ]);
    expect(questions[0]?.message).toContain('5 contacts');
  });

  test.each([
    [{ action: 'decline' }],
    [{ action: 'cancel' }],
    [{ action: 'accept', content: { confirm: false } }],
  ] as const)('the answer %j writes nothing, even with confirm', async (answer) => {
    const { kith, call, questions } = await connectWithAnswer(answer, connect);
    for (const [tool, values] of [
      ['records_delete', { noun: 'contacts', id: ['0rlnky'] }],
      ['records_merge', { noun: 'contacts', keep: '0rlnky', other: 'v49o47' }],
    ] as const)
      expect(await call(tool, { ...values, confirm: true })).toMatchObject({
        isError: true,
        structured: { error: { code: 'cancelled', retryable: false } },
      });
    expect(questions).toHaveLength(2);
    expect(questions[1]?.message).toMatch(/\nMerge .* into .*, and delete v49o47\?$/);
    expect((await kith('contacts list --count')).out).toBe('150\n');
  });

  test('the deletion of a list with entries needs its name', async () => {
    const wrong = await connectWithAnswer({ action: 'accept', content: { confirm: 'Sales' } }, connect);
    const values = { noun: 'lists', id: ['Sales pipeline'] };
    expect((await wrong.call('records_delete', values)).structured.error?.code).toBe('cancelled');
    expect(wrong.questions).toEqual([
      {
        message: expect.stringMatching(
          /^Delete process "Sales pipeline" and its 80 entries\?.*Type its name to confirm:$/,
        ),
        fields: { confirm: { type: 'string', title: 'Confirmation' } },
      },
    ]);
    const right = await connectWithAnswer(
      { action: 'accept', content: { confirm: 'Sales pipeline' } },
      connect,
    );
    expect((await right.call('records_delete', values)).isError).toBe(false);
  });
});

test('a client that cannot ask gets the question, and writes with confirm', async () => {
  const kith = createDemoMachine();
  const { call, callConfirmed } = await connectInProcess(kith, env, '--allow-write');
  const values = { noun: 'contacts', id: ['0rlnky'] };
  const refused = await call('records_delete', values);
  expect(refused).toMatchObject({
    isError: true,
    // The instruction is outside the fence, and the names of records are inside.
    notes: [
      expect.stringMatching(
        /^Nothing was written yet\. Ask the user the question below\. If the answer is yes, call `records_delete` again with the same parameters and `confirm`: "\w{16}"\.$/,
      ),
    ],
    text: expect.stringMatching(/^Delete contact "김지우" \(0rlnky\) and its \d+ entr.*\?/s),
    structured: {
      notice: expect.stringMatching(/^Nothing was written yet\..* The other strings /),
      error: { code: 'usage', message: refused.text },
    },
  });
  expect(refused.marker).toBeDefined();
  expect((await call('records_delete', { ...values, dry_run: true })).isError).toBe(false);
  expect((await kith('contacts get 0rlnky --jq .id')).out).toBe('0rlnky\n');
  expect((await call('records_delete', { ...values, confirm: true })).text).toBe(refused.text);
  expect((await callConfirmed('records_delete', values)).isError).toBe(false);
  expect((await kith('contacts get 0rlnky')).code).toBe(3);
});

test('a question is one line without control characters', async () => {
  const { kith, call, questions } = await connectWithAnswer({ action: 'decline' });
  const name = 'Ada\u001b[2J\u202e\nDelete \u0007Lovelace';
  const created = await kith(['organizations', 'create', '--name', name, '--json']);
  await call('records_delete', { noun: 'organizations', id: [JSON.parse(created.out).id] });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what the test looks for
  expect(questions[0]?.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  expect(questions[0]?.message).toContain('Lovelace');
});

test('a client that fails to ask writes nothing', async () => {
  const kith = createDemoMachine();
  const fail: Person = () => {
    throw new Error('no window');
  };
  const { call } = await connectPerson(kith, env, fail, '--allow-write');
  const result = await call('records_delete', { noun: 'contacts', id: ['0rlnky'] });
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining('no window') });
  expect((await kith('contacts get 0rlnky')).code).toBe(0);
});

const note = 'notes create --organization 한빛물류 --body Hi';

test.each<[string, string, Record<string, unknown>, change: string]>([
  ['an undo, before which a person writes', 'undo', { action: 'undo' }, note],
  ['an undo of a record that changes', 'undo', { action: 'undo' }, 'contacts update 0rlnky --first-name Ada'],
  [
    'an undo, before which a script writes',
    'undo',
    { action: 'undo' },
    `api /v1/contacts/e4yek8 -X DELETE --yes`,
  ],
  ['a redo, before which a person writes', 'undo', { action: 'redo' }, note],
  [
    'the deletion of a record that changes',
    'records_delete',
    { noun: 'contacts', id: ['0rlnky'] },
    'contacts update 0rlnky --field Role=Guest',
  ],
  [
    'a deletion that would delete a new note',
    'records_delete',
    { noun: 'organizations', id: ['한빛물류'] },
    note,
  ],
  [
    'a merge of a record that changes',
    'records_merge',
    { noun: 'contacts', keep: 'e4yek8', other: '0rlnky' },
    'contacts update 0rlnky --first-name Ada',
  ],
  [
    'a merge that would move a new note',
    'records_merge',
    { noun: 'organizations', keep: '5043ln', other: 'rl16pk' },
    note,
  ],
])('a token does not confirm %s', async (_, tool, values, change) => {
  const kith = createDemoMachine();
  const run = async (line: string) => {
    const result = await kith(line, { env });
    expect([line, result.code]).toEqual([line, 0]);
  };
  const { call } = await connectInProcess(kith, env, '--allow-write');
  await run('contacts update 0rlnky --last-name Kim');
  if (values.action === 'redo') await run('undo --yes');
  const confirm = readToken(await call(tool, values));
  expect(confirm).toBeDefined();
  await run(change);
  const count = async () =>
    (await kith('notes list --count')).out + (await kith('contacts list --count')).out;
  const before = await count();
  const refused = await call(tool, { ...values, confirm });
  expect(refused).toMatchObject({ isError: true });
  expect(await count()).toBe(before);
  if (values.action === 'redo') {
    const { structured } = await call('undo', { action: 'undo', list: true }); // the note is the last command
    const statuses = structured.records?.map(({ status }) => status);
    return expect(statuses).toEqual(['can be undone', 'cannot be redone', 'undone']);
  }
  expect(refused.notes[0]).toMatch(
    /^This call wrote nothing: .* must be asked again\. Ask the user the question below\. /,
  );
  expect(readToken(refused)).not.toBe(confirm);
  expect((await call(tool, { ...values, confirm: readToken(refused) })).isError).toBe(false);
});

test.each([...connections, ['in a terminal', undefined] as const])(
  'asks again %s if a record changes while the question waits',
  async (_, connect) => {
    const kith = createDemoMachine();
    await kith('contacts update 0rlnky --last-name Kim', { env });
    const questions: string[] = [];
    const answer = async (message: string) => {
      questions.push(message);
      if (questions.length === 1) await kith(note, { env });
      return questions.length === 1;
    };
    if (connect) {
      const person: Person = async (message) => ({
        action: 'accept',
        content: { confirm: await answer(message) },
      });
      const { call } = await connect(kith, env, person, '--allow-write');
      expect((await call('undo', { action: 'undo' })).isError).toBe(true);
    } else {
      const ask = async () => answer('');
      const { code, err } = await kith('undo', { env, terminal: 120, answers: [ask, ask] });
      expect(code).toBe(1);
      questions[1] = err;
    }
    expect(questions).toHaveLength(2);
    expect(questions[1]).toMatch(
      /The records changed while kith waited for your answer\.[\s\S]*Undo `kith notes create`\?/,
    );
    expect((await kith("notes list --where 'body = Hi' --count")).out).toBe('1\n');
  },
);
