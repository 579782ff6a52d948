import { expect, test } from 'vitest';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { connectInProcess, removeFence } from './agent.ts';

test('the lists are resources, and the latest meetings follow on a second page', async () => {
  const { client } = await connectInProcess(createDemoMachine(), {});
  const { resources, nextCursor } = await client.request({ method: 'resources/list' }); // `listResources` reads all pages
  expect(resources).toContainEqual(
    expect.objectContaining({ uri: expect.stringMatching(/^kith:\/\/lists\/\w+$/), name: 'Sales pipeline' }),
  );
  const next = await client.listResources({ cursor: nextCursor });
  expect(next).not.toHaveProperty('nextCursor');
  expect(next.resources[0]).toMatchObject({
    uri: 'kith://meetings/20dz7n/summary',
    name: expect.stringMatching(/^2026-11-18 /),
    mimeType: 'text/markdown',
  });
  await expect(client.listResources({ cursor: 'x' })).rejects.toMatchObject({ code: -32602 });
});

const readable: readonly (readonly [uri: string, part: string])[] = [
  ['kith://contacts/0rlnky', '"first_name":"지우"'],
  [`kith://contacts/${encodeURIComponent('김지우')}`, '"first_name":"지우"'],
  ['kith://organizations/rl16pk', '"name":"한빛물류"'],
  ['kith://lists/Sales%20pipeline', '"name":"Sales pipeline"'],
  ['kith://lists/Sales%20pipeline/entries', '"key":"DEAL-1"'],
  ['kith://meetings/latest/summary', '# '],
  ['kith://meetings/latest/transcript', ': '],
];
const unreadable = [
  'kith://contacts/nobody',
  'kith://contacts/',
  'kith://contacts/a/b',
  'kith://contacts/%',
  'file:///etc/passwd',
];

test('reads resources by ids and names as fenced text', async () => {
  const { client } = await connectInProcess(createDemoMachine(), {});
  for (const [uri, part] of readable) {
    const { contents } = await client.readResource({ uri });
    const [content = { uri: '' }] = contents;
    const text = 'text' in content ? content.text : '';
    expect.soft(content.uri).toBe(uri);
    expect.soft(removeFence(text.replace(/^TRUNCATED: .*\n/, '')).text).toContain(part);
  }
  for (const uri of unreadable)
    await expect
      .soft(client.readResource({ uri }), uri)
      .rejects.toMatchObject({ code: -32602, data: { code: 'not_found', uri } });
});

test('a resource without a workspace is an error that says why', async () => {
  const { client } = await connectInProcess(createMachine(), {});
  await expect(client.listResources()).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining('You are not signed in to a workspace.'),
    data: { code: 'unauthorized' },
  });
});

test('the names of records in the error of a resource are fenced', async () => {
  const { client } = await connectInProcess(createDemoMachine(), {});
  const error = await client.readResource({ uri: 'kith://organizations/a' }).catch((error: unknown) => error);
  if (!(error instanceof Error)) throw new Error('the read has succeeded');
  const message = error.message.slice(error.message.indexOf('The text between'));
  expect(removeFence(message).text).toMatch(
    /^usage: 8 organizations match "a": .*\nhint: Use the id, such as /,
  );
});

test('names complete the variables of templates', async () => {
  const { client, call } = await connectInProcess(createDemoMachine(), {});
  const complete = async (ref: object, name: string, value: string) =>
    (await client.complete({ ref: ref as { type: 'ref/prompt'; name: string }, argument: { name, value } }))
      .completion.values;
  const toTemplate = (uri: string) => ({ type: 'ref/resource', uri });
  expect(await complete(toTemplate('kith://lists/{id}'), 'id', 'sales')).toEqual(['Sales pipeline']);
  const meetings = await complete(toTemplate('kith://meetings/{id}/summary'), 'id', '');
  expect(meetings.length).toBeGreaterThan(5);
  // Contacts come from the names that kith has seen.
  await call('records_list', { noun: 'contacts', limit: 150 });
  expect(await complete(toTemplate('kith://contacts/{id}'), 'id', 'jiwoo')).not.toEqual([]);
  expect(await complete(toTemplate('kith://contacts/{id}'), 'id', '김지')).toContain('김지우');
  expect(await complete({ type: 'ref/prompt', name: 'prepare_meeting' }, 'with', '김지')).toEqual([]);
  expect(await complete(toTemplate('kith://other/{id}'), 'id', 'x')).toEqual([]);
});

test('--tools limits the tools, and the resources that need them', async () => {
  const kith = createDemoMachine();
  const { client } = await connectInProcess(kith, {}, '--tools', 'search,records_*');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'search',
    'records_find',
    'records_list',
    'records_get',
    'records_show',
  ]);
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ name }) => name)).toEqual(['contact', 'organization', 'list']);
  await expect(client.callTool({ name: 'today' })).rejects.toMatchObject({ code: -32602 });
  await expect(client.readResource({ uri: 'kith://meetings/latest/summary' })).rejects.toMatchObject({
    code: -32602,
  });
});

test.each([
  [
    'mcp --tools nope',
    'kith: --tools: no tool or set is named "nope".\nhint: Tools: search, workspace_info, ',
  ],
  [
    'mcp --tools search,records_delete',
    'kith: --tools: "records_delete" writes.\nhint: Add --allow-write.\n',
  ],
  ['mcp --tools "search,,x"', 'kith: --tools: no tool or set is named "".'],
  ['mcp --port 1', 'kith: --port'],
  ['mcp --max-chars 10', 'kith: --max-chars: "10" is not an integer from 1000 to'],
])('`kith %s` is a usage error', async (line, message) => {
  const { code, err } = await createMachine()(line);
  expect([code, err.slice(0, message.length)]).toEqual([2, message]);
});
