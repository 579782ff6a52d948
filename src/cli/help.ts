import { exitCodes } from '../contract/errors.ts';
import { formatGuide } from '../render/markdown.ts';
import { environment } from './environment.ts';
import { globalGroups } from './flags/globals.ts';
import { describeOption, formatFlag } from './flags/options.ts';

/** The guides in docs/ that `kith help TOPIC` and the manual show: the name of the file, and a summary. */
export const guides = {
  records: 'create, update and delete records',
  meetings: 'search transcripts, import meetings',
  export: 'export meetings to files',
  import: 'import spreadsheets',
  scripting: 'formats, paging, retries, exit codes',
  agents: 'the MCP server',
  configuration: 'profiles, keys, proxies, files',
  service: 'serve and back up a workspace',
  reliability: 'what happens when something fails',
} as const;

/** Reads a file of the package, such as `docs/export.md`. */
type ReadPackageFile = (path: string) => Promise<string>;

/** A topic of `kith help TOPIC`: a summary, and the text to print. */
interface Topic {
  readonly summary: string;
  readonly text: (readPackageFile: ReadPackageFile) => string | Promise<string>;
}

const guideTopics = Object.entries(guides).map(([name, summary]): [string, Topic] => [
  name,
  { summary, text: async (readPackageFile) => formatGuide(await readPackageFile(`docs/${name}.md`)) },
]);

/** The topics of `kith help TOPIC` by name. */
export const topics: Readonly<Record<string, Topic>> = {
  ...Object.fromEntries(guideTopics),
  flags: { summary: 'the flags that commands share', text: formatSharedFlags },
  environment: {
    summary: 'the environment variables that kith reads',
    text: () => formatList('Environment', Object.entries(environment)),
  },
  'exit-codes': {
    summary: 'the meaning of each exit code',
    text: () => formatList('Exit codes', Object.entries(exitCodes)),
  },
};

/** Returns the end of the help of the program: where to find more. */
export function formatTopicList(): string {
  const rows = Object.entries(topics).map(([name, { summary }]) => [`kith help ${name}`, summary] as const);
  return `\n${formatList('More', [['kith help NOUN VERB', 'help for one command'], ...rows])}`;
}

function formatSharedFlags(): string {
  const titles = [...new Set(globalGroups.map(({ title }) => title))];
  return titles
    .map((title) => {
      const options = globalGroups.filter((group) => group.title === title).map((group) => group.options);
      const rows = options.flatMap((all) => Object.entries(all));
      return formatList(
        title,
        rows.map(([name, option]) => [formatFlag(name, option), describeOption(option)]),
      );
    })
    .join('\n');
}

function formatList(title: string, rows: readonly (readonly [term: string, meaning: string])[]): string {
  const widest = Math.max(...rows.map(([term]) => term.length));
  return `${title}\n${rows.map(([term, meaning]) => `  ${term.padEnd(widest)}  ${meaning}\n`).join('')}`;
}
