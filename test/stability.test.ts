import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { environment } from '../src/cli/help/help.ts';
import type { CommandsDocument } from '../src/contract/documents/schemas.ts';
import { failures } from '../src/contract/errors.ts';
import { isObject } from '../src/values/json-object.ts';
import { createDemoMachine } from './support/kith.ts';

const file = 'test/stability.txt';

/** Lists the commands and flags, with what a command line relies on. */
function listCommands({ commands, global_flags }: CommandsDocument): string[] {
  const describe = ({ name, short, type, choices = [] }: CommandsDocument['global_flags'][number]) => [
    `${name} ${type}`,
    ...(short === undefined ? [] : [`${name} = ${short}`]),
    ...choices.map((choice) => `${name} ${choice}`),
  ];
  const isEverywhere = (name: string) => commands.every((command) => command.global_flags.includes(name));
  const [everywhere, others] = [true, false].map((is) =>
    global_flags.filter(({ name }) => isEverywhere(name) === is),
  );
  return [
    ...(everywhere ?? []).map(({ name }) => `every command has ${name}`),
    ...global_flags.flatMap(describe).map((text) => `shared flag ${text}`),
    ...commands.flatMap(({ path, aliases, arguments: args, flags, ...command }) => {
      const words = path.join(' ');
      return [
        `command ${words}`,
        ...aliases.map((alias) => `alias ${path[0]} = ${alias}`),
        ...args.map(
          ({ name, repeatable }, at) => `argument ${words}: ${at + 1} ${name}${repeatable ? '...' : ''}`,
        ),
        ...args.flatMap(({ name, choices = [] }) =>
          choices.map((choice) => `argument ${words}: ${name} ${choice}`),
        ),
        ...flags.flatMap(describe).map((text) => `flag ${words}: ${text}`),
        ...(others ?? []).flatMap(({ name }) =>
          command.global_flags.includes(name) ? [`flag ${words}: ${name}`] : [],
        ),
        ...command.formats.map((format) => `format ${words}: ${format}`),
        ...command.results.map((result) => `result ${words}: ${result}`),
      ];
    }),
  ];
}

/** Lists the keys of a published schema with their types: `pagination.next null|string`. */
function listSchemaKeys(schema: unknown, path = ''): string[] {
  if (!isObject(schema)) return [];
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const alternatives = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return [
    ...properties.flatMap(([name, property]) => [
      `${path}${name} ${describeType(property)}`,
      ...listSchemaKeys(property, `${path}${name}.`),
    ]),
    ...listSchemaKeys(schema.items, `${path}[].`),
    ...alternatives.flatMap((alternative) => listSchemaKeys(alternative, path)),
  ];
}

function describeType(schema: unknown): string {
  if (!isObject(schema)) return 'any';
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(describeType).toSorted().join('|');
  return typeof schema.type === 'string' ? schema.type : 'any';
}

/** The commands whose JSON kith itself builds. Each runs in a copy of the sample workspace. */
const jsonLines = [
  'actions list --limit 1',
  'alias list',
  'auth list',
  'auth status',
  'config get limit',
  'config list',
  'contacts delete v49o47 --yes',
  'contacts duplicates --limit 1 --min-score 1',
  'contacts list --count',
  'contacts update 0rlnky --first-name X --dry-run',
  'doctor',
  'entries list "Sales pipeline" --count --sum one_time_value',
  'events grep "cold room" --max 1',
  'followup --limit 1',
  'keys list',
  'lists report "Sales pipeline"',
  'schema',
  'search room --limit 1',
  'today --user mina@tidewater.example',
  'version',
];

/** The commands whose TSV has columns of its own. */
const tsvLines = [
  'actions list',
  'alias list',
  'auth list',
  'auth status',
  'commands',
  'config list',
  'contacts duplicates --min-score 1',
  'contacts list',
  'custom-fields list',
  'entries list "Sales pipeline"',
  'entries list Newsletter',
  'events grep "cold room" --max 1',
  'events list',
  'followup --user mina@tidewater.example',
  'keys list',
  'lists list',
  'lists report "Sales pipeline"',
  'notes list',
  'organizations list',
  'schema',
  'search room',
  'today --user mina@tidewater.example',
];

/** Lists the keys of the first record, and of the objects in it: `sections[].title`. */
function listKeys(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return listKeys(value[0], `${path}[].`);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    `${path}${name}`,
    ...listKeys(member, `${path}${name}.`),
  ]);
}

/** A day with meetings and deals in the sample workspace. */
const now = new Date('2026-11-23T09:30:00Z');

async function listInterface(): Promise<string[]> {
  const kith = createDemoMachine();
  const run = async (line: string) => {
    const { code, out, err } = await kith(line, { now });
    expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
    return out;
  };
  await run('alias set mine "contacts list"');
  await run('keys create laptop');
  const document: CommandsDocument = JSON.parse(await run('commands --json'));
  const names: string[] = JSON.parse(await run('schema --json --jq map(.name)'));
  const lines = [
    ...listCommands(document),
    ...document.exit_codes.map(({ code }) => `exit code ${code}`),
    ...Object.entries(failures).map(([code, { exit }]) => `error ${code} exits with ${exit}`),
    ...Object.keys(environment).map((name) => `variable ${name}`),
  ];
  for (const name of names) {
    const schema = JSON.parse(await run(`schema ${name}`));
    lines.push(...listSchemaKeys(schema).map((key) => `schema ${name}: ${key}`));
  }
  for (const line of tsvLines) {
    const [header = ''] = (await run(`${line} --format tsv -q`)).split('\n');
    lines.push(...header.split('\t').map((column, index) => `tsv ${line}: ${index + 1} ${column}`));
  }
  for (const line of jsonLines) {
    const keys = listKeys(JSON.parse(await run(`${line} --json -q`)));
    lines.push(...keys.map((key) => `json ${line}: ${key}`));
  }
  return [...new Set(lines)].toSorted();
}

test('keeps every command, flag, exit code, JSON key, TSV column and variable', async () => {
  const current = await listInterface();
  const promised = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const removed = promised.filter((line) => !current.includes(line));
  expect(
    removed,
    'The section Stability of docs/scripting.md promises these parts until the next major version. Keep them, for a renamed flag beside the new ' +
      `one. Only a decision for a major version may delete lines from ${file}.`,
  ).toEqual([]);
  const added = current.filter((line) => !promised.includes(line));
  if (process.env.KITH_STABILITY === 'add' && added.length > 0)
    writeFileSync(file, `${[...promised, ...added].toSorted().join('\n')}\n`);
  else
    expect(
      added,
      'These parts are new, and will be promised. If their names are final, add them: ' +
        'KITH_STABILITY=add npx vitest run test/stability.test.ts',
    ).toEqual([]);
});
