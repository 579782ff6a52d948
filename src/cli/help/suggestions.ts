import { nounWords, verbWords } from '../../contract/noun-words.ts';
import { findClosest } from '../../values/names.ts';
import { type CommandTree, findEntry } from '../command/command.ts';
import { toFlagName } from '../command/options.ts';
import type { UsageError } from './usage-failure.ts';

/** Words of other programs, and the nouns or whole commands of kith that mean the same. */
const nounSynonyms = toMap<string>({
  ...{ persons: 'contacts', leads: 'contacts', customers: 'contacts', accounts: 'organizations' },
  ...{ opportunities: 'deals' },
  ...{ pipeline: 'lists', pipelines: 'lists', processes: 'lists', process: 'lists' },
  ...{ calls: 'meetings', calendar: 'meetings', transcripts: 'recordings', summaries: 'recordings' },
  ...{ summary: 'meetings summary', transcript: 'meetings transcript' },
  ...{ properties: 'custom-fields', attributes: 'custom-fields' },
  ...{ task: 'actions', tasks: 'actions', todo: 'actions' },
  ...{ whoami: 'auth status', status: 'auth status', profiles: 'auth list', settings: 'config' },
  ...{ import: 'contacts import' },
});

/** Words of other programs for verbs, and the verbs of kith that mean the same, best first. */
export const verbSynonyms = new Map<string, readonly string[]>([
  ...verbWords,
  ...toMap<readonly string[]>({
    ...{ open: ['show', 'get'], cat: ['show', 'get'], info: ['show', 'get'] },
    ...{ show: ['get', 'list'], describe: ['show', 'get'], read: ['show', 'get'] },
    ...{ all: ['list'], remove: ['delete'], del: ['delete'], destroy: ['delete'], insert: ['create', 'add'] },
    ...{ set: ['update'], change: ['update'], modify: ['update'], move: ['update'], patch: ['update'] },
    ...{ search: ['find', 'grep'], lookup: ['find'], dedupe: ['duplicates'], combine: ['merge'] },
    ...{ grep: ['find'], export: ['list'] },
  }),
]);

/** Flags of other programs, and the flags of kith that mean the same. */
const flagSynonyms = toMap<string>({
  '--force': '--yes',
  '--verbose': '--debug',
  '--silent': '--quiet',
  '--filter': '--where',
  '--csv': '--format csv',
  '--tsv': '--format tsv',
  '--ndjson': '--format ndjson',
  '--jsonl': '--format ndjson',
  '--columns': '--fields',
  '--max': '--limit',
});

/** The nouns whose records a search finds. */
const searchedNouns = ['contacts', 'organizations', 'deals', 'meetings'];

/** Commands and flags of earlier versions, and the hints that say what to use instead. */
const replacements = toMap<string>({
  'workspace snapshot': 'Use `kith workspace copy FROM TO`, which copies a workspace that is in use, too.',
  'schedule print':
    'To see the files and the lines of the crontab: kith schedule install NAME --dry-run [flags]',
  'schedule test': 'Install the schedule, then run it with `kith schedule run NAME`.',
  '--ping': 'Use --on-failure with curl. For a ping after a successful run, see `kith help scripting`.',
  '--watch': 'Use the program `watch`, such as: watch -n 30 kith meetings list --today',
});

/** A command line to suggest. */
export interface Suggestion {
  readonly words: readonly string[];
  /** The flag that replaces a typed one. The hint names it instead of the whole line. */
  readonly flag?: string;
  /** Whether to drop the suggestion if it does not run, as for a spelling correction. */
  readonly mustRun?: boolean;
  /** The start of the hint. If omitted, the hint is "Did you mean ...?". */
  readonly lead?: string;
}

/** Returns the hint for a command or flag of an earlier version; undefined if the word is neither. */
export function findReplacement({ words, word }: UsageError): string | undefined {
  const noun = words[words.indexOf(word) - 1];
  return replacements.get(word.startsWith('-') ? word.replace(/=.*/s, '') : `${noun} ${word}`);
}

/** Suggests corrections of a command line that does not parse. */
export async function suggest(error: UsageError, tree: CommandTree): Promise<readonly Suggestion[]> {
  if (error.code === 'unknownCommand') return suggestCommands(error, tree);
  if (error.code === 'unknownOption') return suggestFlags(error);
  return error.code === 'excessArguments' ? suggestForExtra(error) : [];
}

async function suggestCommands(
  { words, word, guesses }: UsageError,
  tree: CommandTree,
): Promise<readonly Suggestion[]> {
  const at = words.indexOf(word);
  const [noun] = words.slice(0, at).flatMap((before) => findEntry(tree, before) ?? []);
  const replaceWord = (...replacements: readonly string[]) => ({
    words: words.toSpliced(at, 1, ...replacements),
  });
  const nouns = await listNouns(tree, word);
  const closestNouns = noun ? [] : findClosestNouns(tree, word);
  const closest = closestNouns.length > 0 ? closestNouns : guesses.filter((guess) => guess[0] === word[0]);
  // A verb of other nouns, such as `export`, is not a misspelled `import`.
  const misspelled = verbSynonyms.has(word) || nouns.length > 0 ? [] : closest;
  const corrections = misspelled.map((guess) => ({ ...replaceWord(guess), mustRun: !noun }));
  if (noun) {
    const commands = await noun.commands();
    const synonym = verbSynonyms.get(word)?.find((verb) => commands.some(({ name }) => name === verb));
    // `contacts export c.csv` becomes `contacts list --all --output c.csv`.
    const output = /\.\w+$/.test(words[at + 1] ?? '') ? ['--output'] : [];
    if (word === 'export' && synonym) return [replaceWord(synonym, '--all', ...output)];
    if (synonym !== undefined) return [replaceWord(synonym)];
    const list = commands.find(({ name }) => name === 'list');
    // In `deals overdue`, the word is the name of a flag.
    return Object.hasOwn(list?.options ?? {}, word) ? [replaceWord('list', toFlagName(word))] : corrections;
  }
  const next = words[at + 1] ?? '';
  const entry = findEntry(tree, next) ?? findEntry(tree, nounWords.get(next) ?? nounSynonyms.get(next));
  // `kith edit contacts x` and, as in kubectl, `kith get contacts` have the verb first.
  const verb = word === 'get' && words.length === at + 2 ? 'list' : word;
  if (entry && (nouns.includes(entry.name) || verbSynonyms.has(word)))
    return [{ words: words.toSpliced(at, 2, entry.name, verb) }];
  const only = nouns.length === 1 ? `${nouns[0]} ${word}` : undefined;
  const synonym = nounSynonyms.get(word) ?? only;
  return synonym === undefined ? corrections : [replaceWord(...synonym.split(' '))];
}

/** Returns the nouns and commands whose name, or another word for them, is spelled almost like a word. */
export function findClosestNouns(tree: CommandTree, word: string): readonly string[] {
  const names = findClosest(word, [...tree.map(({ name }) => name), ...nounWords.keys()]);
  return [...new Set(names.filter((name) => name[0] === word[0]).map((name) => nounWords.get(name) ?? name))];
}

/** Lists the nouns that have a verb. */
async function listNouns(tree: CommandTree, verb: string): Promise<readonly string[]> {
  const lists = tree.map(async ({ name: noun, commands }) =>
    (await commands()).some(({ name }) => name === verb) ? [noun] : [],
  );
  return (await Promise.all(lists)).flat();
}

/** Suggests a use of unexpected arguments: as words to find, or as the rest of an unquoted text or name. */
function suggestForExtra({ words, name: typedName, command, args }: UsageError): readonly Suggestion[] {
  const count = Object.keys(command?.args ?? {}).length;
  const [, noun = '', verb] = typedName.split(' ');
  const extra = args.slice(count);
  const text = extra.join(' ');
  if (count === 0 && (verb === 'list' || verb === 'find')) {
    if (noun === 'notes') return [{ words: ['notes', 'list', '--organization', text] }];
    if (searchedNouns.includes(noun)) return [{ words: ['find', text], lead: 'To find one' }];
    return [{ words: [noun, 'get', text], lead: 'To show one' }];
  }
  const [name = '', { placeholder = name } = {}] = Object.entries(command?.args ?? {}).at(-1) ?? [];
  const parts = args.slice(count - 1);
  const at = words.lastIndexOf(parts.at(-1) ?? '') - extra.length;
  const isInOrder = parts.every((part, index) => words[at + index] === part && /^\p{L}+[,.]?$/u.test(part));
  if (!isInOrder || !/name|text/i.test(placeholder)) return [];
  return [{ words: words.toSpliced(at, parts.length, parts.join(' ')) }];
}

function suggestFlags({ words, word, guesses }: UsageError): readonly Suggestion[] {
  const text = words[words.indexOf(word) + 1];
  if (/^--(search|query|name)$/.test(word) && text) return [{ words: ['find', text], lead: 'To find one' }];
  const synonym = flagSynonyms.get(word);
  return (synonym === undefined ? guesses : [synonym]).map((flag) => ({
    words: words.flatMap((typed) => (typed === word ? flag.split(' ') : [typed])),
    flag,
  }));
}

/** Returns a map, because a typed word such as `constructor` is a property of every object. */
function toMap<T>(object: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(object));
}
