import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isWrite } from '../../../src/cli/command/effects.ts';
import { toolTable } from '../../../src/commands/mcp/tool-table.ts';
import { listCommandNames, loadToolCommands } from '../../../src/commands/mcp/tools.ts';
import { commandTree } from '../../../src/commands/tree.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { connectInProcess } from './agent.ts';

/** What an MCP client cannot do: type commands and flags, answer questions, read exit codes. */
const shellWords =
  /\bkith [a-z]|--[a-z]|\bflags?\b|\bjq\b|terminal|prompt|editor|stdin|exit code|exits with/i;

test('each command about records belongs to exactly one tool', async () => {
  const covered = toolTable.flatMap((tool) => listCommandNames(tool).map(([, words]) => words));
  // `meetings summary` and `recordings summary` are the same command.
  const names = new Map(
    Array.from(await loadToolCommands(commandTree), ([name, command]) => [command, name]),
  );
  expect(covered.toSorted()).toEqual([...names.values()].toSorted());
});

test('each tool only reads or only writes, and each renamed parameter exists', async () => {
  const commands = await loadToolCommands(commandTree);
  for (const tool of toolTable) {
    const all = listCommandNames(tool).map(([, words]) => words);
    expect
      .soft([tool.name, new Set(all.map((words) => isWrite(commands.get(words) ?? {}))).size])
      .toEqual([tool.name, 1]);
    for (const path of Object.keys(tool.renamed ?? {})) {
      const words = all.find((words) => path.startsWith(`${words} `)) ?? '';
      expect.soft(Object.keys(commands.get(words)?.args ?? {})).toContain(path.slice(words.length + 1));
    }
  }
});

test('has at most 25 tools, and at most 16 KB of descriptions and schemas of the tools that read', async () => {
  const { client } = await connectInProcess(createMachine(), {});
  expect(Buffer.byteLength(JSON.stringify(await client.listTools()))).toBeLessThanOrEqual(16 * 1024);
  const writing = await (await connectInProcess(createMachine(), {}, '--allow-write')).client.listTools();
  expect(writing.tools.length).toBeLessThanOrEqual(25);
  expect(Buffer.byteLength(JSON.stringify(writing))).toBeLessThanOrEqual(32 * 1024);
});

test.each([[[]], [['--allow-write']]])('no text names a command or a flag: %j', async (flags) => {
  const { client } = await connectInProcess(createMachine(), {}, ...flags);
  const { tools } = await client.listTools();
  const { resourceTemplates } = await client.listResourceTemplates();
  const names = tools.map(({ name }) => name);
  for (const { name, description = '', inputSchema } of tools) {
    const properties = Object.entries(inputSchema.properties ?? {}) as [string, { description?: string }][];
    const texts = [
      description,
      ...properties.map(([property, { description = '' }]) => `${property}: ${description}`),
    ];
    for (const text of texts) {
      expect.soft(`${name}: ${text}`).not.toMatch(shellWords);
      // Only tools that are offered, and parameters of this tool.
      const named = [...text.matchAll(/`(\w+)`/g)].map(([, word]) => word);
      const known = [...names, ...properties.map(([property]) => property)];
      expect.soft(known).toEqual(expect.arrayContaining(named));
    }
    const hasWhere = properties.some(([property]) => property === 'where');
    expect.soft([name, description.includes(' where: ')]).toEqual([name, hasWhere]);
  }
  const others = [client.getInstructions(), resourceTemplates].map((texts) => JSON.stringify(texts));
  for (const text of others) expect.soft(text).not.toMatch(shellWords);
});

test.each([
  ['records_get', { noun: 'organizations', id: 'nobody' }, '\nhint: `records_list` with noun organizations'],
  ['contacts_write', { action: 'update', id: '0rlnky', field: ['Nope=1'] }, '\nhint: Available fields: '],
  ['today', { user: 'me' }, '\nhint: Use an email address instead; `workspace_info` lists the assignees.'],
  [
    'contacts_write',
    { action: 'update', id: '0rlnky', field: ['Role=A'], add_field: ['Role=B'] },
    '\nhint: `field` replaces all',
  ],
])('the hint of %s %j names tools and parameters', async (name, values, hint) => {
  const { call } = await connectInProcess(createDemoMachine(), {}, '--allow-write');
  const { text, isError, structured } = await call(name, values);
  expect(isError).toBe(true);
  expect(text).toContain(hint);
  expect(text.slice(text.indexOf('\nhint:'))).not.toMatch(shellWords);
  expect(`\nhint: ${structured.error?.hint}`).toContain(hint);
});

test('omits a hint that only a person can follow', async () => {
  const { call } = await connectInProcess(createMachine(), {});
  expect(await call('records_list', { noun: 'contacts' })).toMatchObject({
    isError: true,
    text: 'unauthorized: You are not signed in to a workspace.',
  });
});

test('the guide names each tool and kind of resource', async () => {
  const guide = readFileSync('docs/agents.md', 'utf8');
  const { client } = await connectInProcess(createMachine(), {}, '--allow-write');
  const names = (await client.listTools()).tools.map(({ name }) => name);
  const { resourceTemplates } = await client.listResourceTemplates();
  const uris = resourceTemplates.map(({ uriTemplate }) => uriTemplate.replace('{id}', 'ID'));
  for (const name of [...names, ...uris]) expect.soft(guide).toContain(`\`${name}\``);
});

test('the guide, the instructions and the results use the same word for a truncated result', async () => {
  const { call, client } = await connectInProcess(createDemoMachine(), {});
  const [note = ''] = (await call('records_list', { noun: 'contacts', limit: 1 })).notes;
  const [word = 'missing'] = note.split(' ');
  expect(word).toMatch(/^[A-Z]+:$/);
  expect(readFileSync('docs/agents.md', 'utf8')).toContain(`\`${word}\``);
  expect(client.getInstructions()).toContain(`begins with ${word.slice(0, -1)} `);
});
