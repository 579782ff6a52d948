import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { hostileText, startHostileService } from '../../reliability/hostile.ts';
import { createSignedInHome } from '../../support/binary.ts';
import {
  createDemoMachine,
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
} from '../../support/kith.ts';
import { connectInProcess, connectToProcess } from './agent.ts';

/** Starts `kith mcp` in this process for a service. */
const connectTo = (KITH_BASE_URL: string, KITH_API_KEY = 'a-key') =>
  connectInProcess(createMachine(), { KITH_BASE_URL, KITH_API_KEY });

test('commands that read are tools; commands that write need --allow-write', async () => {
  const kith = createMachine();
  const { client } = await connectInProcess(kith, {});
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toContain('contacts_find');
  expect(names).toContain('recordings_transcript');
  expect(names.filter((name) => /create|update|delete|remove|add|import|export/.test(name))).toEqual([]);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);

  const allTools = (await (await connectInProcess(kith, {}, '--allow-write')).client.listTools()).tools;
  const writingTools = allTools.filter(({ name }) => !names.includes(name));
  expect(writingTools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['contacts_create', 'contacts_remove_emails', 'entries_add', 'lists_delete']),
  );
  expect(writingTools.some(({ annotations }) => annotations?.readOnlyHint)).toBe(false);
  const adding = writingTools
    .filter(({ annotations }) => !annotations?.destructiveHint)
    .map(({ name }) => name);
  expect(adding.sort()).toEqual(
    writingTools
      .map(({ name }) => name)
      .filter((name) => /_(create|add)$/.test(name))
      .sort(),
  );
  expect(allTools.filter(({ name }) => /import|export/.test(name))).toEqual([]);
  const ajv = new Ajv({ strict: true });
  for (const { inputSchema } of allTools) ajv.compile(inputSchema);
  const update = allTools.find(({ name }) => name === 'contacts_update')?.inputSchema;
  expect(update).toMatchObject({
    required: ['id'],
    additionalProperties: false,
    properties: {
      first_name: { type: 'string' },
      email: { type: 'array', items: { type: 'string' } },
      data: { type: 'object' },
      dry_run: { type: 'boolean' },
    },
  });
  const create = allTools.find(({ name }) => name === 'custom_fields_create')?.inputSchema;
  expect(JSON.stringify(create)).toContain('"enum":["organization","contact","deal"]');
});

test('a tool returns what its command prints', async () => {
  const { call } = await connectToProcess(createSignedInHome().env);
  const contact = await call('contacts_find', { phone: '010-5550-1234' });
  expect(JSON.parse(contact.text)).toMatchObject({ id: '0rlnky', first_name: '지우' });
  expect(contact).toMatchObject({ notes: [], isError: false });
  const selected = await call('contacts_list', { limit: 2, fields: 'id,first_name' });
  expect(selected.text).toBe('{"id":"0rlnky","first_name":"지우"}\n{"id":"v49o47","first_name":"도현"}');
  expect(selected.notes).toEqual(['TRUNCATED: 148 more records; continue at offset 2.']);
  const page = await call('contacts_list', { limit: 1, fields: 'NAME' });
  expect(page.text).toBe('{"first_name":"지우","last_name":"김"}');
  const unknown = await call('contacts_list', { fields: 'nmae' });
  expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('Unknown field "nmae".') });
  const next = await call('contacts_list', { limit: 2, offset: 2, fields: 'id' });
  const [, , third, fourth] = (await call('contacts_list', { limit: 4, fields: 'id' })).text.split('\n');
  expect(next.text).toBe(`${third}\n${fourth}`);
  expect(next.notes).toEqual(['TRUNCATED: 146 more records; continue at offset 4.']);
  expect(await call('contacts_list', { offset: 149, fields: 'id' })).toMatchObject({ notes: [] });
  expect(await call('contacts_list', { offset: 150 })).toMatchObject({ text: 'No records.', notes: [] });
  expect((await call('events_grep', { pattern: 'cold room', max: 1 })).text).toMatch(/^\{.*\}$/);
  const none = await call('contacts_find', { email: 'nobody@x.example' });
  expect(none).toMatchObject({
    isError: true,
    text: 'not_found: No contact has the email address "nobody@x.example".',
  });
  const readAll = await Promise.all(Array.from({ length: 20 }, () => call('contacts_get', { id: '0rlnky' })));
  expect(new Set(readAll.map(({ text }) => text)).size).toBe(1);
});

test('a result that is too long is truncated, and its note tells how to continue', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => ({ id: `${index}`, first_name: 'x'.repeat(2000) }));
  const { url } = await startTestService(({ url }, response) => {
    const pagination = { end_cursor: 40, has_next_page: false, total_count: 40 };
    if (url.includes('/recordings/')) {
      const words = [{ text: '👋'.repeat(30_000) }];
      return sendJson(response, 200, {
        data: { id: 'r', status: 'done', transcript: [{ participant: { name: 'Ada' }, words }] },
      });
    }
    return sendJson(response, 200, { data: rows, pagination });
  });
  const { call } = await connectTo(url);
  const list = await call('contacts_list', { limit: 40 });
  expect(list.text.split('\n')).toHaveLength(24);
  expect(list.notes).toEqual([
    'TRUNCATED: 16 more records; results are limited to 50000 characters; continue at offset 24.',
  ]);
  expect((await call('contacts_list', { limit: 40, fields: 'id' })).notes).toEqual([]);
  const transcript = await call('recordings_transcript', { id: 'r' });
  expect(transcript.text).toMatch(/^Ada: (👋)+$/u);
  expect(transcript.notes).toEqual([
    expect.stringMatching(
      /^TRUNCATED: the last 100\d\d of 600\d\d characters; use from and to to request a part; continue at offset \d+\.$/,
    ),
  ]);
});

test('text from the workspace stays inside the fence, and keys are redacted', async () => {
  const key = 'sk_live_0123456789abcdef';
  const { call } = await connectTo(await startHostileService(), key);
  const one = await call('contacts_get', { id: 'r1' });
  expect(JSON.parse(one.text)).toMatchObject({ title: hostileText });
  const other = await call('contacts_get', { id: 'bad' });
  expect(other.isError).toBe(true);
  expect(other.marker).not.toBe(one.marker);
  const { url } = await startTestService((_, response) => sendJson(response, 422, { error: `no, ${key}` }));
  const echoAgent = await connectTo(url, key);
  expect((await echoAgent.call('contacts_get', { id: 'x' })).text).toBe('invalid: no, [key]');
});

test('writes need --allow-write, and dry_run previews them', async () => {
  const { env } = createSignedInHome();
  const readingAgent = await connectToProcess(env);
  const refused = await readingAgent.client.callTool({
    name: 'contacts_create',
    arguments: { first_name: 'Ada' },
  });
  expect(refused).toMatchObject({
    isError: true,
    content: [{ text: 'Unknown tool "contacts_create".' }],
  });

  const { call } = await connectToProcess(env, '--allow-write');
  const values = { first_name: '--yes', email: ['ada@new.example'], data: { last_name: '@home' } };
  const expected = await call('contacts_create', { ...values, dry_run: true });
  expect(expected.text).toContain('"first_name": "--yes"');
  expect((await call('contacts_find', { email: 'ada@new.example' })).isError).toBe(true);
  const created = JSON.parse((await call('contacts_create', values)).text);
  expect(created).toMatchObject({ first_name: '--yes', last_name: '@home', emails: ['ada@new.example'] });
  expect(JSON.parse((await call('contacts_delete', { id: [created.id] })).text)).toEqual({
    id: created.id,
    deleted: true,
  });
  const partialResult = await call('contacts_delete', { id: ['0rlnky', 'nobody'] });
  expect(partialResult.isError).toBe(true);
  expect(partialResult.text).toContain('{"id":"0rlnky","deleted":true}');
  expect(partialResult.text).toContain('nobody');
});

const invalidCalls: readonly (readonly [tool: string, values: Record<string, unknown>, message: string])[] = [
  [
    'contacts_get',
    {},
    'usage: Missing required argument: ID|EMAIL|PHONE|NAME\nhint: contacts_get accepts: id, fields, offset.',
  ],
  [
    'contacts_get',
    { id: 5.5, x: 1 },
    'usage: Unknown parameter "x". contacts_get accepts: id, fields, offset.',
  ],
  ['contacts_get', { id: ['a'] }, 'usage: id: unexpected value ["a"].'],
  ['contacts_list', { limit: 0 }, 'usage: `limit`: "0" is not an integer of 1 or more.'],
  ['contacts_list', { offset: -1 }, 'usage: offset: -1 is not a whole number of 0 or more.'],
  [
    'contacts_delete',
    { id: ['a'], offset: 1 },
    'usage: Unknown parameter "offset". contacts_delete accepts: id, dry_run',
  ],
  ['contacts_find', { email: 'a', phone: 'b' }, 'usage: `email` and `phone` cannot be used together.'],
  ['contacts_create', { email: 'a@x.example' }, 'usage: email: expected an array.'],
  ['contacts_create', { first_name: 'A', dry_run: 'yes' }, 'usage: dry_run: expected true or false.'],
  ['contacts_create', { data: '@/etc/passwd' }, 'usage: data: MCP tools cannot read local files.'],
  [
    'notes_create',
    { organization: 'x', body: '@/etc/passwd' },
    'usage: body: MCP tools cannot read local files.',
  ],
  ['notes_create', { organization: 'x', body: '-' }, 'usage: body: MCP tools cannot read local files.'],
  [
    'events_grep',
    { pattern: 'x', out: '/' },
    'usage: Unknown parameter "out". events_grep accepts: pattern, ',
  ],
  ['events_grep', { pattern: '--help' }, 'not_found: '],
];

test('an invalid call returns a usage error, and the next call works', async () => {
  const { call } = await connectInProcess(createDemoMachine(), {}, '--allow-write');
  for (const [name, values, message] of invalidCalls) {
    const { text, marker, isError } = await call(name, values);
    expect.soft([name, text.slice(0, message.length), isError]).toEqual([name, message, true]);
    // Usage errors come from kith and are not fenced; other messages may quote the service.
    expect.soft([name, marker === undefined]).toEqual([name, message.startsWith('usage:')]);
    expect.soft(text).not.toContain('See kith');
  }
});

test('signing in while the server runs takes effect without a restart', async () => {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const { call } = await connectInProcess(kith, {});
  const before = await call('contacts_get', { id: '0rlnky' });
  expect(before).toMatchObject({ isError: true, text: expect.stringContaining('You are not signed in') });
  await kith(['auth', 'login', '--local', '--demo', '--database', createSampleWorkspace(folder)]);
  expect((await call('contacts_get', { id: '0rlnky' })).isError).toBe(false);
});

test('a single record that is too long is truncated, and the remaining ones are counted', async () => {
  const data = [{ id: 'a', name: 'x'.repeat(60_000) }, { id: 'b' }, { id: 'c' }];
  const { url } = await startTestService((_, response) => sendJson(response, 200, { data }));
  const { call } = await connectTo(url);
  const { text, notes } = await call('organizations_list');
  expect([text.length, notes]).toEqual([
    50_000,
    [
      'TRUNCATED: the last 10020 of 60020 characters; request fewer fields, or request this record alone.',
      'TRUNCATED: More records follow; results are limited to 50000 characters; continue at offset 1.',
    ],
  ]);
  expect((await call('organizations_list', { offset: 1 })).text).toBe('{"id":"b"}\n{"id":"c"}');
});

/** Reads a result to its end, following the offsets of its notes. */
async function readWhole(
  call: (values: object) => Promise<{ text: string; notes: string[] }>,
  offset = 0,
): Promise<string> {
  const { text, notes } = await call({ offset });
  const [, next] = /continue at offset (\d+)\.$/.exec(notes.join('\n')) ?? [];
  return next === undefined ? text : text + (await readWhole(call, Number(next)));
}

test('every tool that reads can return the rest of a truncated result', async () => {
  const record = { id: 'r', title: '👋'.repeat(60_000) };
  const words = [{ text: 'x'.repeat(120_000) }];
  const transcript = [{ participant: { name: 'Ada' }, words }];
  const { url } = await startTestService(({ url }, response) => {
    const recording = { data: { ...record, status: 'done', summary: { summary: record.title }, transcript } };
    sendJson(response, 200, url.includes('/recordings/') ? recording : record);
  });
  const { call } = await connectTo(url);
  const readAll = (tool: string) => readWhole((values) => call(tool, { id: 'r', ...values }));
  expect(JSON.parse(await readAll('notes_get'))).toEqual(record);
  expect(await readAll('recordings_transcript')).toBe(`Ada: ${words[0]?.text}\n`);
  expect(await readAll('recordings_summary')).toContain(record.title);
  expect(await call('notes_get', { id: 'r', offset: 1_000_000 })).toMatchObject({
    text: expect.stringMatching(/^No more text: its length is \d+ characters\.$/),
    notes: [],
  });
});
