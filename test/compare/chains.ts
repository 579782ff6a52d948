import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandTree } from '../../src/commands/tree.ts';
import { type CommandLine, placeholder, readTestLines } from './test-lines.ts';

/** Command lines that run one after the other on one fresh machine. */
export interface Chain {
  readonly source: string;
  readonly lines: readonly CommandLine[];
}

/** The commands that change something for the lines after them. */
const changes =
  /\b(create|update|upsert|delete|add\S*|remove\S*|set|unset|import\S*|merge|edit|undo|redo|push|pull|checkout|backup|login|logout|use|done|reopen|install|copy|export|batch)\b/;

/** Maximum length of a chain. A write in a long table of tests could make all later lines of the table fail. */
const maxLines = 12;

const pages = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** The first words of the command lines, which `docs/commands.md` lists. */
function listNouns(): ReadonlySet<string> {
  const lines = readFileSync('docs/commands.md', 'utf8').matchAll(/^(?:\$ )?kith ([a-z][\w-]*)/gm);
  return new Set([
    ...Array.from(lines, ([, noun = '']) => noun),
    'orgs',
    'fields',
    'meetings',
    'complete',
    'help',
  ]);
}

/** Returns the chains of the documents and the tests. `ids`: the ids that replace words in capitals, such as NOTE. */
export async function listChains(ids: Readonly<Record<string, string>>): Promise<Chain[]> {
  const chains = [
    ...pages.flatMap(readBlocks),
    ...pages.flatMap(readExamples),
    ...(await listHelpExamples()),
    ...readTestChains(),
  ];
  const seen = new Set<string>();
  return chains.flatMap(({ source, lines: typed }) => {
    const filled = typed.map((line) => fillLine(line, ids));
    const isNew = (line: CommandLine) => !seen.has(JSON.stringify(line));
    // Lines of earlier chains run again only if a new line may need what they change.
    const lines = filled.filter(
      (line, index) => isNew(line) || (changes.test(formatLine(line)) && filled.slice(index).some(isNew)),
    );
    for (const line of lines) seen.add(JSON.stringify(line));
    return lines.length === 0 ? [] : [{ source, lines: [...prepareChain(lines), ...lines] }];
  });
}

/**
 * Returns the shell blocks of a page. Skips npm commands, and services in the background, because the comparison starts
 * its own service.
 */
function readBlocks(page: string): Chain[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms);
  return Array.from(blocks, ([, block = '']) => block)
    .filter((block) => block.includes('kith ') && !/^npm |&$/m.test(block))
    .map((block) => {
      const lines = block.split('\n').filter((line) => !/^(#|$)/.test(line));
      const isPlain = lines.every((line) => /^kith .*[^\\]$/.test(line));
      return { source: page, lines: (isPlain ? lines : [block]).map((shell) => ({ shell })) };
    });
}

/** Returns the examples of the help of all commands. */
async function listHelpExamples(): Promise<Chain[]> {
  const commands = await Promise.all(commandTree.map(({ commands }) => commands()));
  const examples = commands.flat().flatMap(({ examples }) => examples);
  return examples.map((line) => ({ source: 'help', lines: [{ shell: `kith ${line}` }] }));
}

/** Returns the command lines in the text blocks of a page. */
function readExamples(page: string): Chain[] {
  const examples = readFileSync(page, 'utf8').matchAll(/^\$ (kith .*)$/gm);
  return Array.from(examples, ([, shell = '']) => ({ source: page, lines: [{ shell }] }));
}

function readTestChains(): Chain[] {
  return readTestLines(listNouns()).flatMap((lines) =>
    Array.from({ length: Math.ceil(lines.length / maxLines) }, (_, part) => ({
      source: 'test',
      lines: lines.slice(part * maxLines, (part + 1) * maxLines),
    })),
  );
}

/** Values for the computed parts of test lines, by the preceding flag, or else by the noun. */
const valuesByFlag: Readonly<Record<string, string>> = {
  '--database': 'demo.sqlite',
  '--out': 'meetings',
  '--profile': 'demo',
  '--organization': 'rl16pk',
  '--contact': '0rlnky',
  '--base-url': 'http://127.0.0.1:9',
  '--undo': 'people.report.csv',
  '--archive': 'kith.tar.gz',
  '--where': 'id = 0rlnky',
  import: 'people.csv',
  '-': 'contacts',
};
const valuesByNoun: Readonly<Record<string, string>> = {
  contacts: '0rlnky',
  organizations: 'rl16pk',
  orgs: 'rl16pk',
  entries: 'DEAL-1',
  lists: 'Newsletter',
  notes: 'NOTE',
  events: 'EVENT',
  meetings: 'EVENT',
  recordings: 'RECORDING',
  actions: 'ACTION',
  'custom-fields': 'FIELD',
  workspace: 'kith-backup',
  serve: 'demo.sqlite',
};

/** Stands for the home folder. Its path replaces the word when the line runs. */
export const homeWord = '%HOME%';

/** Absolute paths outside the home folder, where no command may write. */
const outerFolders = /(?<![\w.~}])\/(?=(?:backups|etc|home|mnt|nowhere|srv|tmp|x\.sqlite)\b)/g;

/** Replaces the placeholders of a line, and moves absolute paths into the home folder. */
function fillLine({ words, shell, stdin }: CommandLine, ids: Readonly<Record<string, string>>): CommandLine {
  const fill = (text: string) =>
    text
      .replace(/\b[A-Z]{4,9}\b/g, (word) => ids[word] ?? word)
      .replace(outerFolders, `${homeWord}/outside/`);
  const [noun = ''] = words ?? [];
  const filled = words?.map((word, index) => {
    const value = valuesByFlag[words[index - 1] ?? ''] ?? valuesByNoun[noun] ?? 'x';
    return fill(word.replaceAll(placeholder, value));
  });
  return {
    ...(filled && { words: filled }),
    ...(shell !== undefined && { shell: fill(shell.replaceAll(placeholder, 'contacts')) }),
    ...(stdin !== undefined && { stdin: stdin.replaceAll(placeholder, valuesByNoun[noun] ?? 'x') }),
  };
}

/** Lines that create the files and changes that other lines need, in this order. */
const preparations: readonly (readonly [need: RegExp, line: string])[] = [
  [/people\.report\.csv/, 'kith contacts import people.csv'],
  [/calls\.report\.csv/, 'kith notes import calls.csv'],
  [/readers\.report\.csv/, 'kith entries import Newsletter readers.csv --map E-mail=email'],
  [/\bkith-backup\b|kith\.tar\.gz/, 'kith workspace backup kith-backup --archive kith.tar.gz'],
  [/\bcrm\b/, 'kith workspace checkout crm'],
  [/\bmeetings\b(?=.*(--out|meetings\/))/, 'kith events export --transcript --out meetings'],
  [/^(kith )?(un|re)do\b/, 'kith contacts update 0rlnky --last-name Kim'],
  [/^(kith )?redo\b/, 'kith undo --yes'],
];

/** Returns the lines that run before a chain, unless it contains them. */
function prepareChain(lines: readonly CommandLine[]): CommandLine[] {
  const texts = lines.map(formatLine);
  return preparations
    .filter(([need]) => need.test(texts[0] ?? ''))
    .map(([, line]) => line)
    .filter((line) => !texts.some((text) => text.includes(line)))
    .map((shell) => ({ shell }));
}

/** Formats a line as a person types it. */
export const formatLine = ({ words, shell }: CommandLine): string =>
  shell ?? ['kith', ...(words ?? []).map(quote)].join(' ');

/** Quotes a word for a shell. */
const quote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Returns a number that depends only on the lines of a chain, so that a sample is the same in each checkout. */
export const hashChain = ({ lines }: Chain): number =>
  createHash('sha256').update(JSON.stringify(lines)).digest().readUInt32BE();
