import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson } from '../../client/loopback.ts';
import { createDemoMachine, createTemporaryFolder } from '../../support/kith.ts';
import { createControlledContacts, createRecordedDemo } from '../bulk/bulk-machine.ts';

interface PrintedLine {
  readonly line: number;
  readonly command: string;
  readonly status: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: string; readonly message: string };
}

const toText = (lines: readonly object[]) => lines.map((line) => JSON.stringify(line)).join('\n');

const parse = (text: string): PrintedLine[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const farm = [
  { command: 'organizations create', name: '새벽농장', domain: 'dawn.example' },
  { command: 'contacts create', first_name: '하늘', email: 'haneul@dawn.example', organization: '$1.id' },
  { command: 'entries add', list: 'Newsletter', contact: '$2.id' },
  { command: 'notes create', organization: '새벽농장', body: '$$1.id is a text' },
  { command: 'contacts get', id: 'haneul@dawn.example' },
  { command: 'contacts update', id: '$5.id', field: ['Role=$1.id', 'Language=Korean'] },
];

test('runs lines in order with references to earlier results, and one undo reverts all', async () => {
  const kith = createRecordedDemo();
  const file = join(createTemporaryFolder(), '변경.ndjson');
  writeFileSync(file, `${toText(farm)}\n\n`);
  const { code, out, err } = await kith(['batch', file]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const results = parse(out);
  expect(results.map(({ line, command, status }) => [line, command, status])).toEqual(
    farm.map(({ command }, index) => [index + 1, command, 'done']),
  );
  const [organization, contact, entry, note] = results.map(({ data }) => data);
  expect(contact?.organization_id).toBe(organization?.id);
  expect(entry?.entryable_id).toBe(contact?.id);
  expect(note?.body).toBe('$1.id is a text');
  expect(await kith('undo --yes')).toMatchObject({ code: 0, out: 'Undid `kith batch`: 4 changes.\n' });
  expect((await kith('organizations get 새벽농장')).code).toBe(3);
});

test('the same batch continues with the lines that are not done', async () => {
  const { kith, control, takeRequests, takeWrites } = await createControlledContacts(0);
  const lines = ['가', '나', '다', '라'].map((name) => ({ command: 'contacts create', first_name: name }));
  const stdin = toText([...lines, { command: 'contacts update', id: '$2.id', last_name: 'Kim' }]);
  let writes = 0;
  control.before = ({ method }, response) => {
    if (method === 'POST') writes += 1;
    if (writes < 3) return false;
    sendJson(response, 401, { message: 'The key was revoked.' });
    return true;
  };
  const first = await kith('batch -', { stdin });
  expect(first.code).toBe(4);
  expect(first.err).toContain('The key was revoked. Done 2 of 5; 1 failed; 2 not done.');
  control.before = () => false;
  takeRequests();
  const second = await kith('batch -', { stdin });
  expect(second.code).toBe(0);
  expect(second.err).toBe('kith: Continuing the interrupted `kith batch`: 2 done before.\n');
  expect(takeWrites().map((line) => line.split(' ')[0])).toEqual(['POST', 'POST', 'PATCH']);
  expect(parse(second.out).map(({ data }) => data?.first_name)).toEqual(['가', '나', '다', '라', '나']);
  expect(await kith('undo --yes')).toMatchObject({ out: 'Undid `kith batch`: 4 changes.\n' });
});

test('a failed line skips the lines that refer to it, and the others run', async () => {
  const kith = createDemoMachine();
  const stdin = toText([
    { command: 'contacts get', id: 'nope' },
    { command: 'contacts update', id: '$1.id', last_name: 'X' },
    { command: 'contacts update', id: '0rlnky', last_name: 'X' },
    { command: 'contacts update', id: '$3.nothing', last_name: 'X' },
  ]);
  const { code, out, err } = await kith('batch -', { stdin });
  expect(code).toBe(6);
  expect(parse(out).map(({ status }) => status)).toEqual(['failed', 'skipped', 'done', 'failed']);
  expect(err).toContain(
    'Not done: line 1 (No contact has the id or name "nope"); line 2 (It refers to line 1, ',
  );
  expect(err).toContain('$3.nothing: the result of line 3 has no such value. It has: id, first_name');
  const stopped = await kith('batch - --stop-on-error', { stdin });
  expect(parse(stopped.out).map(({ status }) => status)).toEqual(['failed']);
  expect(stopped).toMatchObject({ code: 6, err: expect.stringContaining('Not done: line 1 (') });
});

test('--parallel runs lines concurrently, each after the lines that it refers to', async () => {
  const { kith, control } = await createControlledContacts(0);
  let running = 0;
  let most = 0;
  control.before = () => {
    running += 1;
    most = Math.max(most, running);
    return false;
  };
  control.after = () => {
    running -= 1;
    return false;
  };
  control.delay = 20;
  const creates = ['가', '나', '다'].map((name) => ({ command: 'contacts create', first_name: name }));
  const updates = [1, 2, 3].map((line) => ({
    command: 'contacts update',
    id: `$${line}.id`,
    last_name: 'Kim',
  }));
  const { code, out } = await kith('batch - --parallel 3', { stdin: toText([...creates, ...updates]) });
  expect({ code, most }).toEqual({ code: 0, most: 3 });
  expect(parse(out).map(({ line, data }) => [line, data?.first_name])).toEqual([
    [1, '가'],
    [2, '나'],
    [3, '다'],
    [4, '가'],
    [5, '나'],
    [6, '다'],
  ]);
});

test.each([
  ['{"command":"contacts crate"}', 'Unknown command: crate', 'create'],
  ['{"command":"contacts create","frist_name":"x"}', 'Unknown parameter "frist_name"', 'first_name'],
  [
    '{"command":"contacts create","first_name":5.5,"organization":true}',
    'organization: unexpected value true',
    '',
  ],
  ['{"command":"auth login"}', 'A batch cannot run `kith auth login`.', ''],
  ['{"command":"contacts import","file":"x"}', 'A batch cannot run `kith contacts import`.', ''],
  ['{"command":"batch","file":"x"}', 'A batch cannot run `kith batch`.', ''],
  [
    '{"command":"notes create","organization":"rl16pk"}',
    '`kith notes create` opens an editor; pass --body.',
    '',
  ],
  [
    '{"command":"notes create","organization":"rl16pk","body":"@/etc/passwd"}',
    'body: Lines of a batch cannot read local files',
    '',
  ],
  ['{"command":"contacts get","id":"-"}', 'id: Lines of a batch cannot read stdin.', ''],
  ['{"command":"contacts get","id":"$9.id"}', '$9 does not refer to an earlier line with a command.', ''],
  ['{"first_name":"Ada"}', '"command" is missing.', '{"command":"contacts create","first_name":"Ada"}'],
  ['[1]', '"[1]" is not a JSON object.', ''],
  ['contacts list', '"contacts list" is not valid JSON.', 'one JSON object'],
])('refuses %s by its line before anything is sent', async (text, message, hint) => {
  const kith = createDemoMachine();
  const stdin = `{"command":"contacts update","id":"0rlnky","last_name":"Changed"}\n\n${text}`;
  const { code, out, err } = await kith('batch -', { stdin });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(`kith: stdin, line 3: ${message}`);
  expect(err).toContain(hint);
  expect((await kith('contacts get 0rlnky --jq .last_name')).out).not.toContain('Changed');
});

test('a batch that deletes needs --yes, or asks in a terminal', async () => {
  const kith = createDemoMachine();
  const file = join(createTemporaryFolder(), 'delete.ndjson');
  writeFileSync(
    file,
    toText([
      { command: 'contacts delete', id: '0rlnky' },
      { command: 'contacts list', limit: 1 },
    ]),
  );
  expect(await kith(['batch', file])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Refusing to delete'),
  });
  const asked = await kith(['batch', file], { terminal: 100, answers: [true] });
  expect(asked.code).toBe(0);
  expect(asked.err).toContain('Run 2 commands, of which 1 deletes records?');
  expect(asked.out).toMatch(/1 +contacts delete +done +0rlnky/);
});

test('--dry-run prints the requests and sends nothing; an empty batch is a note', async () => {
  const kith = createDemoMachine();
  const { code, out } = await kith('batch - --dry-run', { stdin: toText(farm) });
  expect(code).toBe(0);
  expect(parse(out).map(({ status, data }) => [status, data?.method])).toEqual([
    ['planned', 'POST'],
    ['planned', undefined],
    ['planned', undefined],
    ['planned', undefined],
    ['planned', undefined],
    ['planned', undefined],
  ]);
  expect((await kith('organizations get 새벽농장')).code).toBe(3);
  expect(await kith('batch -', { stdin: '\n' })).toEqual({
    code: 0,
    out: '',
    err: 'kith: stdin has no lines.\n',
  });
});

test.each([
  ['$$1.id', '$1.id'],
  ['$$$1.id', '$$1.id'],
  ['$$$ money', '$$$ money'],
  ['$$', '$$'],
])('the text %s in a batch stands for %s', async (text, body) => {
  const kith = createDemoMachine();
  const stdin = toText([{ command: 'organizations create', name: text }]);
  expect(parse((await kith('batch -', { stdin })).out)[0]?.data).toMatchObject({ name: body });
});

test('--line runs lines without a file, and says which lines changed nothing', async () => {
  const kith = createRecordedDemo();
  const write = ['--line', '{"command":"contacts update","id":"0rlnky","last_name":"X"}'];
  expect(parse((await kith(['batch', ...write, ...write])).out)).toMatchObject([
    { line: 1, status: 'done' },
    { line: 2, status: 'unchanged' },
  ]);
  expect(await kith('batch --line {}')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^kith: line 1: "command" is missing/),
  });
  for (const words of [['batch'], ['batch', 'x', ...write]])
    expect(await kith(words)).toMatchObject({
      code: 2,
      err: expect.stringContaining('Pass either FILE or --line.'),
    });
});
