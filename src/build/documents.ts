import { readFileSync } from 'node:fs';
import { type AnyCommand, type CommandEntry, formatCommandName } from '../cli/command/command.ts';
import { globalGroups } from '../cli/command/globals.ts';
import { describeOption, formatFlag, type Option, type Options, toFlagName } from '../cli/command/options.ts';
import { environment } from '../cli/help/help.ts';
import { commandTree } from '../commands/tree.ts';
import { exitCodes, type FailureCode } from '../contract/errors.ts';
import { listMethods } from './client-types.ts';

/** Returns the generated documents, path -> text: the command reference, and the pages with generated parts. */
export async function buildDocuments(): Promise<Record<string, string>> {
  const flags = globalGroups.flatMap(({ options }) => formatOptionRows(options));
  const variables = Object.entries(environment).map(([name, meaning]) => [`\`${name}\``, meaning]);
  const regions = {
    flags: formatTable('flag', flags),
    environment: formatTable('variable', variables),
    'exit-codes': formatTable('code', Object.entries(exitCodes)),
  };
  const pages = {
    'docs/configuration.md': regions,
    'docs/scripting.md': regions,
    'docs/client.md': {
      methods: formatTable(
        'method',
        // The type of the result is left out: the package has the types.
        listMethods().map(({ noun, signature, summary }) => [
          `\`${noun}.${signature.replace(/(, )?options\?: CallOptions|: [^,)]*/g, '')}\``,
          summary,
        ]),
      ),
      failures: formatTable(
        'code',
        requestFailures.map(([code, meaning]) => [`\`${code}\``, meaning]),
      ),
    },
  };
  return {
    'docs/commands.md': await formatCommandReference(),
    ...Object.fromEntries(
      Object.entries(pages).map(([path, parts]) => [path, fillRegions(readFileSync(path, 'utf8'), parts)]),
    ),
  };
}

/** Replaces each region of a text between `<!-- NAME -->` and `<!-- /NAME -->`. Throws for an unknown name. */
export function fillRegions(text: string, regions: Readonly<Record<string, string>>): string {
  return text.replace(/(<!-- ([\w-]+) -->\n)[\s\S]*?(<!-- \/\2 -->)/g, (_, start, name: string, end) => {
    if (!Object.hasOwn(regions, name)) throw new Error(`Unknown generated region: ${name}.`);
    return `${start}${regions[name]}${end}`;
  });
}

/** The codes with which a method of the typed client rejects. */
const requestFailures: readonly (readonly [FailureCode, string])[] = [
  ['usage', 'An option or an argument is invalid; nothing was sent'],
  ['unauthorized', '401: the key is missing or invalid'],
  ['forbidden', '403: the key does not permit the request'],
  ['not_found', '404: the record does not exist'],
  ['invalid', '422: the fields are invalid; `detail.fieldErrors` lists all errors'],
  [
    'refused',
    'any other status from 400 to 499; some have their own code, such as `changed` (412) and `too_large` (413)',
  ],
  ['rate_limited', '429 after all retries'],
  ['unavailable', '5xx after all retries; a write was not processed'],
  ['network', 'no response after all retries; a write was not processed'],
  ['unknown', 'the response to a write was lost, or is a 500, 502 or 504: it may have been processed'],
  ['failed', 'the response cannot be used, or the certificate is invalid'],
  ['unverified', '`find` received a contact that does not match'],
  ['cancelled', 'the client is closed'],
];

async function formatCommandReference(): Promise<string> {
  // Some commands belong to two nouns. `deals` and `report` repeat other commands, so they only get examples.
  const described = new Set<AnyCommand>();
  const isNew = (command: AnyCommand) => !described.has(command) && described.add(command);
  const nouns: { readonly entry: CommandEntry; readonly commands: readonly AnyCommand[] }[] = [];
  for (const entry of commandTree)
    nouns.push({ entry, commands: entry.isShorthand ? [] : (await entry.commands()).filter(isNew) });
  const common = findCommonRows(nouns.flatMap(({ commands }) => commands));
  const parts = [
    `# Commands

This generated page has the first sentence of each description, and at most two examples; \`kith NOUN VERB --help\` prints everything.

- A \`LIST\` is the id or name of a list or process. It can be omitted before the key of an entry, such as \`DEAL-1\`.
- For other words, such as \`people\` and \`companies\`, see [Short commands](records.md#short-commands).
- In a terminal, arguments that name a record can be omitted: kith [asks for them](records.md#choose-a-record).
- \`WHEN\` is \`2026-05-01\`, ISO 8601, \`today\`, \`monday\`, \`"last week"\`, a Unix timestamp, or an age such as \`30m\`, \`24h\`, \`7d\`, \`4w\`.

[Configuration](configuration.md#shared-flags) explains the flags of all commands, such as \`--json\`. This table has the flags of several commands. \`[flags]\` in a usage line are the flags in the table below it.

${formatTable('flag', common)}`,
  ];
  for (const { entry, commands } of nouns) {
    const isNoun = commands[0]?.name !== entry.name;
    if (isNoun) {
      const alias = entry.alias === undefined ? '' : ` (also \`${entry.alias}\`)`;
      parts.push(`\n## kith ${entry.name}\n\n${entry.summary}${alias}.\n`);
    }
    if (entry.isShorthand) {
      const examples = (await entry.commands()).map(({ examples: [example] }) => `$ kith ${example}\n`);
      parts.push(`\n\`\`\`text\n${examples.join('')}\`\`\`\n`);
    }
    for (const command of commands)
      parts.push(formatCommand(isNoun ? '###' : '##', formatCommandName(entry, command), command, common));
  }
  return parts.join('');
}

/** Returns the rows of the flags that have the same meaning in at least three commands, sorted. */
function findCommonRows(commands: readonly AnyCommand[]): Row[] {
  const rows = commands.flatMap(({ options = {} }) => formatOptionRows(options));
  const texts = rows.map((row) => row.join());
  const common = rows.filter((row, index) => {
    const count = texts.filter((text) => text === row.join()).length;
    return count >= 3 && texts.indexOf(row.join()) === index;
  });
  return common.sort((a, b) => (a.join() < b.join() ? -1 : 1));
}

function formatCommand(marks: string, name: string, command: AnyCommand, common: readonly Row[]): string {
  const { summary, description = summary, options = {}, examples } = command;
  const isCommon = (row: Row) => common.some((other) => other.join() === row.join());
  const ownRows = formatOptionRows(options).filter((row) => !isCommon(row));
  const flags = Object.entries(options)
    .filter(([flag, option]) => option.isRequired || isCommon(formatOptionRow(flag, option)))
    .map(([flag, option]) => formatFlagUsage(flag, option));
  const usage = formatUsage(name, command, ownRows.length > 0 ? [...flags, '[flags]'] : flags);
  const shown = examples.slice(0, 2).filter((example) => example !== name);
  const lines = [usage, ...shown.map((example) => `$ kith ${example}`)];
  return [
    `\n${marks} kith ${name}\n`,
    `${getStart(description)}\n`,
    `\`\`\`text\n${lines.join('\n')}\n\`\`\`\n`,
    ...(ownRows.length > 0 ? [formatTable('flag', ownRows)] : []),
  ].join('\n');
}

/** Returns the first sentence of a description. */
function getStart(description: string): string {
  const [start = ''] = description.split(/(?<=[.!?])\s/);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

function formatUsage(name: string, { args }: AnyCommand, flags: readonly string[]): string {
  const places: string[] = [];
  const last: string[] = [];
  for (const [place, argument] of Object.entries(args ?? {})) {
    const { placeholder, choices, isRepeatable, isCommandLine, isKeyImplied, isOptional } = argument;
    const typed = `${placeholder ?? choices?.join('|') ?? place.toUpperCase()}${isRepeatable ? '...' : ''}`;
    if (isCommandLine) last.push('--', typed);
    else places.push(isKeyImplied || isOptional ? `[${typed}]` : typed);
  }
  return ['kith', name, ...places, ...flags, ...last].join(' ');
}

function formatFlagUsage(flag: string, { placeholder, isRequired, isRepeatable }: Option<unknown>): string {
  const typed = `${toFlagName(flag)}${placeholder ? ` ${placeholder}` : ''}`;
  return `${isRequired ? typed : `[${typed}]`}${isRepeatable ? '...' : ''}`;
}

type Row = readonly [flag: string, meaning: string];

const formatOptionRow = (name: string, option: Option<unknown>): Row => [
  `\`${formatFlag(name, option)}\``,
  describeOption(option),
];

const formatOptionRows = (options: Options): Row[] =>
  Object.entries(options).map(([name, option]) => formatOptionRow(name, option));

function formatTable(title: string, rows: readonly (readonly string[])[]): string {
  const lines = [[title, 'meaning'], ...rows].map(
    (row) => `| ${row.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |\n`,
  );
  return lines.toSpliced(1, 0, '|---|---|\n').join('');
}
