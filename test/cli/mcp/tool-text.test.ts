import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { connectInProcess } from './agent.ts';

/** What an MCP client cannot do: type commands and flags, answer questions, read exit codes. */
const shellWords =
  /\bkith [a-z]|--[a-z]|\bflags?\b|terminal|prompt|editor|stdin|exit code|exits with|confirm/i;

test.each([[[]], [['--allow-write']]])('no description names a command or a flag: %j', async (flags) => {
  const { client } = await connectInProcess(createMachine(), {}, ...flags);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  for (const { name, description = '', inputSchema, annotations } of tools) {
    expect.soft([name, description.split(' ')[0]]).toEqual([name, annotations?.title?.split(' ')[0]]);
    const properties = Object.entries(inputSchema.properties ?? {}) as [string, { description: string }][];
    const texts = [
      description,
      ...properties.map(([property, { description }]) => `${property}: ${description}`),
    ];
    for (const text of texts) {
      expect.soft(`${name}: ${text}`).not.toMatch(shellWords);
      expect.soft(`${name}: ${text}`).toMatch(/[\w)"'`]\.?$/);
      // Only tools that are offered, and parameters of this tool.
      const named = [...text.matchAll(/`(\w+)`/g)].map(([, word]) => word);
      const known = [...names, ...properties.map(([property]) => property)];
      expect.soft(known).toEqual(expect.arrayContaining(named));
    }
  }
  expect(tools.find(({ name }) => name === 'contacts_list')?.description).toBe('List contacts');
  expect(tools.find(({ name }) => name === 'events_grep')?.description).toMatch(
    /^Search the transcripts of all/,
  );
});

test('a description names other tools and its own parameters', async () => {
  const { client } = await connectInProcess(createMachine(), {}, '--allow-write');
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'contacts_update')?.description).toBe(
    'Update a contact. Sends only the fields that you pass. Email addresses are added to the existing ones (remove ' +
      'them with `contacts_remove_emails`); phone numbers replace the existing ones. `field` replaces all values of a ' +
      'field; `add_field` and `remove_field` change one value of a field with several.',
  );
});

test.each([
  ['organizations_get', { id: 'nobody' }, '\nhint: `organizations_list`'],
  ['contacts_update', { id: '0rlnky', field: ['Nope=1'] }, '\nhint: Available fields: '],
  [
    'contacts_update',
    { id: '0rlnky', field: ['Role=A'], add_field: ['Role=B'] },
    '\nhint: `field` replaces all',
  ],
])('the hint of %s %j names tools and parameters', async (name, values, hint) => {
  const { call } = await connectInProcess(createDemoMachine(), {}, '--allow-write');
  const { text, isError } = await call(name, values);
  expect(isError).toBe(true);
  expect(text).toContain(hint);
  expect(text.slice(text.indexOf('\nhint:'))).not.toMatch(shellWords);
});

test('a hint that only a person can follow is left out', async () => {
  const { call } = await connectInProcess(createMachine(), {});
  expect(await call('contacts_list')).toMatchObject({
    isError: true,
    text: 'unauthorized: You are not signed in to a workspace.',
  });
});

test('the guide, the instructions and the results use the same word for a truncated result', async () => {
  const { call, client } = await connectInProcess(createDemoMachine(), {});
  const [note = ''] = (await call('contacts_list', { limit: 1 })).notes;
  const [word = 'missing'] = note.split(' ');
  expect(word).toMatch(/^[A-Z]+:$/);
  expect(readFileSync('docs/agents.md', 'utf8')).toContain(`\`${word}\``);
  expect(client.getInstructions()).toContain(`begins with ${word.slice(0, -1)} `);
});
