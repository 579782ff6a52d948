import { nounWords, verbWords } from '../../contract/noun-words.ts';
import { quoteShellWord } from '../../values/text.ts';
import { type CommandTree, findEntry } from '../command/command.ts';

/** Words of other programs, and the nouns or whole commands of kith that mean the same. */
const nounSynonyms = toMap<string>({
  ...{ persons: 'contacts', leads: 'contacts', customers: 'contacts', accounts: 'organizations' },
  ...{ opportunities: 'deals' },
  ...{ pipeline: 'lists', pipelines: 'lists', processes: 'lists', process: 'lists' },
  ...{ calls: 'meetings', calendar: 'meetings', transcripts: 'recordings', summaries: 'recordings' },
  ...{ properties: 'custom-fields', attributes: 'custom-fields' },
  ...{ grep: 'meetings grep', export: 'meetings export' },
  ...{ login: 'auth login', logout: 'auth logout', whoami: 'auth status', status: 'auth status' },
  ...{ import: 'contacts import', settings: 'config', profiles: 'auth list' },
});

/** Words of other programs for verbs, and the verbs of kith that mean the same, best first. */
const verbSynonyms = new Map<string, readonly string[]>([
  ...verbWords,
  ...toMap<readonly string[]>({
    ...{ open: ['show', 'get'], cat: ['show', 'get'], info: ['show', 'get'] },
    ...{ show: ['get', 'list'], describe: ['show', 'get'], read: ['show', 'get'] },
    ...{ all: ['list'], remove: ['delete'], del: ['delete'], destroy: ['delete'], insert: ['create', 'add'] },
    ...{ set: ['update'], change: ['update'], modify: ['update'], move: ['update'], patch: ['update'] },
    ...{ search: ['find', 'grep'], lookup: ['find'], dedupe: ['duplicates'], combine: ['merge'] },
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

/** Commands and flags of earlier versions, and the hints that say what to use instead. */
const replacements = toMap<string>({
  'workspace snapshot': 'Use `kith workspace copy FROM TO`, which copies a workspace that is in use, too.',
  'schedule print':
    'Use `kith schedule install NAME --dry-run`, which shows the files and the lines of the crontab.',
  'schedule test': 'Install the schedule, then run it with `kith schedule run NAME`.',
  '--ping': 'Use --on-failure with curl. For a ping after a successful run, see `kith help scripting`.',
  '--watch': 'Use the program `watch`, such as: watch -n 30 kith meetings list --today',
});

/** A command line with a word that kith does not know. */
interface UnknownWord {
  readonly words: readonly string[];
  readonly word: string;
  /** The words that are spelled almost the same. */
  readonly guesses: readonly string[];
}

/** Returns the hint for a command or flag of an earlier version; undefined if the word is neither. */
export function findReplacement({ words, word }: Omit<UnknownWord, 'guesses'>): string | undefined {
  const noun = words[words.indexOf(word) - 1];
  return replacements.get(word.startsWith('-') ? word.replace(/=.*/s, '') : `${noun} ${word}`);
}

/** Suggests corrections of a command line with an unknown noun or verb; empty if nothing is close to the word. */
export async function suggestCommands(
  tree: CommandTree,
  { words, word, guesses }: UnknownWord,
): Promise<readonly string[]> {
  const at = words.indexOf(word);
  const noun = findEntry(
    tree,
    words.slice(0, at).find((before) => findEntry(tree, before)),
  );
  if (noun) {
    const verbs = (await noun.commands()).map(({ name }) => name);
    const synonym = verbSynonyms.get(word)?.find((verb) => verbs.includes(verb));
    return replaceWord(words, at, synonym === undefined ? guesses : [synonym]);
  }
  const next = words[at + 1] ?? '';
  const entry = findEntry(tree, next) ?? findEntry(tree, nounWords.get(next) ?? nounSynonyms.get(next));
  const verbs = entry ? (await entry.commands()).map(({ name }) => name) : [];
  const verb = [word, ...(verbSynonyms.get(word) ?? [])].find((name) => verbs.includes(name));
  // `kith list contacts` has the verb first.
  if (entry && verb) return [formatLine([...words.slice(0, at), entry.name, verb, ...words.slice(at + 2)])];
  const synonym = nounSynonyms.get(word);
  if (synonym === undefined) return replaceWord(words, at, guesses);
  const replaced = [...words.slice(0, at), ...synonym.split(' '), ...words.slice(at + 1)];
  return [formatLine(await correctVerb(tree, replaced, at))];
}

/** Replaces the verb after a noun if it is a synonym. */
async function correctVerb(
  tree: CommandTree,
  words: readonly string[],
  at: number,
): Promise<readonly string[]> {
  const verb = words[at + 1] ?? '';
  const verbs = ((await findEntry(tree, words[at])?.commands()) ?? []).map(({ name }) => name);
  const synonym = verbs.includes(verb)
    ? undefined
    : verbSynonyms.get(verb)?.find((name) => verbs.includes(name));
  return synonym === undefined ? words : words.with(at + 1, synonym);
}

export function suggestFlags({ word, guesses }: Omit<UnknownWord, 'words'>): readonly string[] {
  const synonym = flagSynonyms.get(word);
  return synonym === undefined ? guesses : [synonym];
}

/** Returns a map, because a typed word such as `constructor` is a property of every object. */
function toMap<T>(object: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(object));
}

const replaceWord = (words: readonly string[], at: number, replacements: readonly string[]) =>
  replacements.map((replacement) => formatLine(words.with(at, replacement)));

const formatLine = (words: readonly string[]) => ['kith', ...words.map(quoteShellWord)].join(' ');
