import { exitCodes } from '../../contract/errors.ts';
import { formatGuide, selectSection } from '../../render/markdown.ts';
import { formatTerm } from '../../render/text/paragraph.ts';
import { measureWidth } from '../../render/text/width.ts';
import type { Services } from '../command/context.ts';
import { globalGroups } from '../command/globals.ts';
import { describeOption, formatFlag } from '../command/options.ts';

/** The guides that `kith help TOPIC` and the manual show: the name of a page in docs/, and a summary. */
export const guides = {
  records: 'create, edit, delete and undo',
  brief: 'before a call; whom to contact',
  meetings: 'search transcripts, import meetings',
  export: 'export meetings to files',
  import: 'import spreadsheets',
  backup: 'back up, copy, compare, read offline',
  files: 'edit records as files',
  scripting: 'formats, paging, retries, exit codes',
  search: 'words, phrases, and the index',
  agents: 'the MCP server',
  configuration: 'profiles, keys, aliases, files',
  service: 'serve a workspace',
  reliability: 'what happens when something fails',
  stability: 'interfaces that do not change before the next major version',
} as const;

/** The guides that are a section of a page. */
export const guideSections: Readonly<Record<string, readonly [page: string, heading: string]>> = {
  files: ['backup', 'Records as files'],
  search: ['records', 'Search'],
  stability: ['scripting', 'Stability'],
};

/** The everyday commands in the help of the program: an example of each, and its purpose. */
export const dailyExamples = [
  ['today', 'Meetings and due deals'],
  ['followup', 'Whom to contact, and why'],
  ['brief hanbit', 'What to know before a call'],
  ['find jiwoo', 'Search everything'],
  ['people jiwoo', 'A person on one screen'],
  ['deals --overdue', 'Deals past their date'],
  ['deals move DEAL-73 Won', 'Change the status of a deal'],
  ['notes add hanbit "Called, wants an offer"', 'Log a call or a visit'],
  ['meetings summary latest', 'Results of the last meeting'],
  ['report "Sales pipeline"', 'Deals and values by status'],
] as const;

const firstExamples = [
  ['auth login --local --demo', 'Try the sample workspace'],
  ['people import people.csv', 'Import a spreadsheet'],
  ['undo', 'Revert the last command'],
] as const;

const furtherHelp = [
  ['kith help all', 'All commands and guides'],
  ['kith NOUN VERB --help', 'Flags and examples of a command'],
  ['kith help flags', 'Flags that commands share'],
] as const;

/** The last line of every help. An import of package.json would make `kith --version` load the program. */
export const homeLine = 'Docs and issues: https://github.com/kith-crm/kith';

/** Returns the help of the program: the everyday commands. It fits on a small screen. */
export function formatMainHelp(width: number): string {
  const toRows = (examples: readonly ListRow[]) =>
    examples.map(([line, purpose]) => [`kith ${line}`, purpose] as const);
  const lists = [
    formatList('Every day:', toRows(dailyExamples), width),
    formatList('Also:', toRows(firstExamples), width),
    formatList('More:', furtherHelp, width),
  ];
  return `Usage: kith NOUN VERB [ID...] [flags]\n\n${lists.join('\n')}\n${homeLine}\n`;
}

/** The input of a topic: the width of the output, all commands, and the files of the package. */
type TopicSource = Pick<Services, 'tree' | 'readPackageFile'> & { readonly width: number };

/** A topic of `kith help TOPIC`: a summary, and the text to print. */
interface Topic {
  readonly summary: string;
  readonly text: (source: TopicSource) => string | Promise<string>;
}

const maxGuideWidth = 80;

const guideTopics = Object.entries(guides).map(([name, summary]): [string, Topic] => {
  const [page, heading] = guideSections[name] ?? [name];
  const text: Topic['text'] = async ({ width, readPackageFile }) => {
    const guide = selectSection(await readPackageFile(`docs/${page}.md`), heading);
    return formatGuide(guide, Math.min(width, maxGuideWidth));
  };
  return [name, { summary, text }];
});

export const topics: Readonly<Record<string, Topic>> = {
  all: { summary: 'all commands and topics', text: formatAllCommands },
  ...Object.fromEntries(guideTopics),
  flags: { summary: 'the flags that commands share', text: formatSharedFlags },
  environment: {
    summary: 'the environment variables that kith reads',
    text: ({ width }) => formatList('Environment', Object.entries(environment), width),
  },
  'exit-codes': {
    summary: 'the meaning of each exit code',
    text: ({ width }) => formatList('Exit codes', Object.entries(exitCodes), width),
  },
};

function formatAllCommands({ tree, width }: TopicSource): string {
  const titles = [...new Set(tree.map(({ title }) => title))];
  const lists = titles.map((title) => {
    const entries = tree.filter((entry) => entry.title === title);
    const rows = entries.map(
      ({ name, alias, summary }) => [alias ? `${name}, ${alias}` : name, summary] as const,
    );
    return formatList(title, rows, width);
  });
  const rows = Object.entries(topics)
    .slice(1)
    .map(([name, { summary }]) => [`kith help ${name}`, summary] as const);
  return [...lists, formatList('Topics:', rows, width)].join('\n');
}

function formatSharedFlags({ width }: TopicSource): string {
  const titles = [...new Set(globalGroups.map(({ title }) => title))];
  const sections = titles.map((title) => {
    const groups = globalGroups.filter((group) => group.title === title);
    const options = groups.flatMap((group) => Object.entries(group.options));
    const rows = options.map(([name, option]) => [formatFlag(name, option), describeOption(option)] as const);
    return formatList(title, rows, width);
  });
  return sections.join('\n');
}

type ListRow = readonly [term: string, meaning: string];

export function formatList(title: string, rows: readonly ListRow[], width: number): string {
  const widest = Math.max(...rows.map(([term]) => measureWidth(term)));
  const lines = rows.map(([term, meaning]) => `${formatTerm(term, widest, meaning, width)}\n`);
  return `${title}\n${lines.join('')}`;
}

/** Every environment variable that the program reads, for help, README and the man pages. */
export const environment = {
  KITH_API_KEY: 'API key; needs no profile',
  KITH_API_KEY_FILE: 'File that contains the API key, for cron and containers',
  KITH_BASE_URL: 'Base URL of the service',
  KITH_DATABASE_URL: 'Workspace file or PostgreSQL URL, as in --database; needs no profile',
  KITH_PROFILE: 'Profile to use',
  KITH_FORMAT:
    'Default of --format for commands that print records: table, json, ndjson, compact, csv or tsv',
  KITH_JSON: 'envelope: print JSON as --json-envelope does',
  KITH_LEDGER: 'File that stores the states of action items, like --ledger',
  KITH_UNDO: 'Record changes for kith undo: auto, on or off (default auto: not in scripts without an agent)',
  KITH_READONLY: 'The same as --readonly: true or false',
  KITH_ALLOW: 'The same as --allow: contacts,notes:create',
  KITH_MAX_WRITES: 'The same as --max-writes',
  KITH_MAX_REQUESTS: 'The same as --max-requests',
  KITH_GUARD_FILE: 'File in which several commands count their writes and requests together',
  KITH_OFFLINE: 'The same as --offline: true or false',
  KITH_MCP_KEY: 'Key that clients of `kith mcp --http` need; if not set, a new one is printed',
  KITH_CONFIG_DIR: 'Folder for all files of kith, instead of the three XDG folders',
  XDG_CONFIG_HOME: 'Parent folder of the settings folder kith/ (default ~/.config)',
  XDG_DATA_HOME: 'Parent folder of the workspace folder kith/ (default ~/.local/share)',
  XDG_CACHE_HOME: 'Parent folder of the cache folder kith/ (default ~/.cache)',
  NODE_DISABLE_COMPILE_CACHE: 'Disable the compile cache',
  KITH_DEBUG: 'The same as --debug, unless empty or 0',
  COLUMNS: 'Width of the output, instead of the width of the terminal',
  NO_COLOR: 'Disable colors',
  FORCE_COLOR: 'Use colors even if the output is not a terminal; 0 disables them',
  KITH_PAGER: 'Pager for output longer than the screen; empty for none (default PAGER, or less -FRX)',
  PAGER: 'Pager if KITH_PAGER is not set',
  FORCE_HYPERLINK:
    'Print links that the terminal opens (OSC 8), even if it may not support them; 0 disables them',
  VISUAL: 'Editor for notes and records; if not set, EDITOR, nano or vi',
  CI: 'Never prompt',
  HTTPS_PROXY: 'Proxy for the service, http://HOST:PORT; if not set, HTTP_PROXY',
  NO_PROXY: 'Hosts to reach without the proxy: crm.example.com,.internal,10.0.0.0/8 or *',
  NODE_EXTRA_CA_CERTS: 'PEM file with your own CA certificates',
  PGPASSFILE: 'File with PostgreSQL passwords (default ~/.pgpass)',
  PGPASSWORD: 'Password of the PostgreSQL database',
  PGHOST:
    'PostgreSQL server. PGPORT, PGDATABASE, PGUSER, PGOPTIONS, PGAPPNAME, PGCONNECT_TIMEOUT, PGSSLMODE, ' +
    'PGSSLROOTCERT, PGSSLCERT and PGSSLKEY also work as in psql',
} as const;
