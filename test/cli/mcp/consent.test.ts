import { expect, test } from 'vitest';
import { createDemoMachine } from '../../support/kith.ts';
import { connectInProcess, connectPerson, type Person } from './agent.ts';

const env = { KITH_UNDO: 'on' };

/** Connects a client whose user gives the same answer to each question. */
async function connectWithAnswer(answer: Awaited<ReturnType<Person>>) {
  const kith = createDemoMachine();
  const questions: { message: string; fields: object }[] = [];
  const person: Person = (message, fields) => {
    questions.push({ message, fields });
    return answer;
  };
  return { kith, questions, ...(await connectPerson(kith, env, person, '--allow-write')) };
}

test('the user is asked before a deletion, with the name and the consequences', async () => {
  const answer = { action: 'accept', content: { confirm: true } } as const;
  const { call, questions } = await connectWithAnswer(answer);
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
  const { kith, call, questions } = await connectWithAnswer(answer);
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
  const wrong = await connectWithAnswer({ action: 'accept', content: { confirm: 'Sales' } });
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
  const right = await connectWithAnswer({ action: 'accept', content: { confirm: 'Sales pipeline' } });
  expect((await right.call('records_delete', values)).isError).toBe(false);
});

test('a client that cannot ask gets the question, and writes with confirm', async () => {
  const kith = createDemoMachine();
  const { call } = await connectInProcess(kith, env, '--allow-write');
  const values = { noun: 'contacts', id: ['0rlnky'] };
  const refused = await call('records_delete', values);
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringMatching(
      /^usage: This needs the user's consent: Delete contact "김지우" \(0rlnky\) and its \d+ entr.*\nhint: Ask the user this question\. If the answer is yes, call `records_delete` again with `confirm`: true\.$/s,
    ),
  });
  expect(refused.marker).toBeDefined();
  expect((await call('records_delete', { ...values, dry_run: true })).isError).toBe(false);
  expect((await kith('contacts get 0rlnky --jq .id')).out).toBe('0rlnky\n');
  expect((await call('records_delete', { ...values, confirm: true })).isError).toBe(false);
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
  const { structured } = await call('records_delete', { noun: 'contacts', id: ['0rlnky'] });
  expect(structured.error).toMatchObject({
    code: 'cancelled',
    message: expect.stringContaining('no window'),
  });
  expect((await kith('contacts get 0rlnky')).code).toBe(0);
});
