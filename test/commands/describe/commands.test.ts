import { expect, test } from 'vitest';
import type { CommandsDocument } from '../../../src/contract/documents/schemas.ts';
import { createMachine } from '../../support/kith.ts';
import { createSchemaCheck } from './json-schema.ts';

/** The settings folder, which no command here reads. */
const kith = createMachine('/dev/null/kith');

async function readDocument(line: string): Promise<CommandsDocument> {
  const { code, out, err } = await kith(line);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

const document = await readDocument('commands --json');

const find = (words: string) => document.commands.find(({ path }) => path.join(' ') === words);

test('the document of all commands matches its published schema', () => {
  const check = createSchemaCheck('commands');
  expect(check(document)).toEqual([]);
  expect(check({ ...document, commands: [{ ...document.commands[0], writes: 'no' }] })).toEqual([
    '/commands/0/writes must be boolean',
  ]);
});

test('describes arguments and flags with types, choices, defaults and ranges', () => {
  expect(find('recordings transcript')).toMatchObject({
    formats: ['text', 'vtt', 'srt', 'json'],
    arguments: [{ name: 'ID', required: true, repeatable: false, record: 'recordings' }],
  });
  expect(find('contacts create')?.flags).toContainEqual(
    expect.objectContaining({ name: '--organization', type: 'string', references: 'organization' }),
  );
  expect(find('custom-fields update')?.arguments[0]).toMatchObject({ references: 'customField' });
  expect(find('entries add')?.flags.find(({ name }) => name === '--recurring-period')?.choices).toEqual(
    expect.arrayContaining(['monthly', 'annual']),
  );
  expect(document.global_flags).toContainEqual(
    expect.objectContaining({
      name: '--page-size',
      type: 'integer',
      default: 100,
      range: { minimum: 1, maximum: 500 },
    }),
  );
  expect(document.global_flags).toContainEqual(
    expect.objectContaining({ name: '--quiet', short: '-q', type: 'boolean', default: false }),
  );
});

test('says which commands write, delete, ask, need a terminal and work without a service', () => {
  const list = (isListed: (command: CommandsDocument['commands'][number]) => boolean) =>
    document.commands.filter(isListed).map(({ path }) => path.join(' '));
  expect(list(({ path, writes }) => path[0] === 'notes' && writes)).toEqual([
    'notes create',
    'notes update',
    'notes edit',
    'notes import',
    'notes delete',
  ]);
  expect(list(({ path, deletes }) => path[0] === 'contacts' && deletes)).toEqual([
    'contacts remove-emails',
    'contacts delete',
    'contacts import',
    'contacts merge',
  ]);
  expect(list(({ path, needs_terminal }) => path[0] === 'contacts' && needs_terminal)).toEqual([
    'contacts edit',
  ]);
  expect(find('contacts delete')).toMatchObject({
    interaction: 'asks before it deletes: add --yes',
    needs_terminal: false,
  });
  expect(list(({ path, local }) => path[0] === 'config' && !local)).toEqual([]);
});

test('lists the exit codes that each command may return', () => {
  const readCodes = (words: string) => find(words)?.exit_codes;
  expect(readCodes('contacts get')).toEqual(expect.arrayContaining([0, 1, 2, 3, 4, 5, 75, 130, 143]));
  expect(readCodes('contacts get')).not.toContain(7);
  expect(readCodes('contacts create')).toEqual(expect.arrayContaining([7, 8, 9]));
  expect(readCodes('contacts delete')).toContain(6);
  expect(readCodes('contacts create')).not.toContain(6);
  expect(readCodes('version')).not.toContain(4);
  for (const words of ['keys create', 'workspace copy', 'config set', 'config unset', 'auth logout'])
    expect(readCodes(words)).toContain(8);
  expect(readCodes('workspace copy')).toContain(9);
  expect(find('keys create')).toMatchObject({ writes: true });
  expect(readCodes('schedule run')).toEqual(document.exit_codes.map(({ code }) => code));
});

test.each([
  ['commands contacts update --json', ['contacts update']],
  ['contacts update --help --json', ['contacts update']],
  ['contacts update 0rlnky --json -h', ['contacts update']],
  ['help contacts update --json', ['contacts update']],
  ['meetings export status --help --json', ['events export status']],
  ['commands events "export status" --json', ['events export status']],
  ['--profile demo notes get --help --format json', ['notes get']],
  ['search --help --json', ['search']],
  ['commands orgs get --json', ['organizations get']],
])('%s prints one command', async (line, paths) => {
  const { commands, ...rest } = await readDocument(line);
  expect(commands).toEqual(document.commands.filter(({ path }) => paths.includes(path.join(' '))));
  const { commands: _, ...all } = document;
  expect(rest).toEqual(all);
});

test.each(['contacts --help --json', 'help contacts --json', 'contacts --json', 'commands contacts --json'])(
  '%s prints the commands of the noun',
  async (line) => {
    const { commands } = await readDocument(line);
    expect(commands).toEqual(document.commands.filter(({ path }) => path[0] === 'contacts'));
  },
);

test.each(['--help --json', 'help --json'])('%s prints all commands', async (line) => {
  expect(await readDocument(line)).toEqual(document);
});

test('--jq filters the document of a help command', async () => {
  const { out } = await kith(['contacts', 'get', '--help', '--jq', '.commands[0].path | join(" ")']);
  expect(out).toBe('contacts get\n');
});

test('help without a JSON flag, and the version, stay text', async () => {
  expect((await kith('contacts get --help --format csv')).out).toMatch(/^Usage: kith contacts get/);
  expect((await kith('--version --json')).out).toBe('0.0.0\n');
});

test('commands prints a table in a terminal, and each command as a row of CSV and NDJSON', async () => {
  const { out } = await kith('commands notes', { terminal: 100 });
  expect(out).toContain('kith notes create');
  expect((await kith('commands notes list --format csv')).out).toBe(
    'command,summary,writes\r\nkith notes list,List notes,false\r\n',
  );
  expect(JSON.parse((await kith('commands notes list --format ndjson')).out)).toEqual(find('notes list'));
});

test.each([
  ['commands nobody', 'nobody'],
  ['commands contacts fly', 'contacts fly'],
])('%s exits with 2', async (line, words) => {
  expect(await kith(line)).toEqual({
    code: 2,
    out: '',
    err: `kith: Unknown command: ${words}\nhint: kith commands\n`,
  });
});
