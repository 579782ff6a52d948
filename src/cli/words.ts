import { nounWords, verbWords } from '../contract/noun-words.ts';
import { extractHost, isEmail } from '../values/domain.ts';
import { findClosest } from '../values/names.ts';
import { type CommandTree, findEntry } from './command/command.ts';
import type { Context } from './command/context.ts';
import { globalOptions } from './command/globals.ts';
import { type Option, toFlagName } from './command/options.ts';
import { isEntryKey } from './flags/references.ts';
import { topics } from './help/help.ts';
import { findClosestNouns, verbSynonyms } from './help/suggestions.ts';

/** The global flags that take the next word as their value. */
const flagsWithValue: ReadonlySet<string> = new Set(
  Object.entries<Option<unknown>>(globalOptions).flatMap(
    ([name, { placeholder, presetValue, short = '' }]) =>
      placeholder && presetValue === undefined ? [toFlagName(name), short] : [],
  ),
);

/**
 * Converts a command line, as it is typed, to the words of a command: expands an alias, then other words for nouns and
 * verbs and a reference without a verb. Reads the settings only if the first word is not a command.
 * @throws {Failure} usage
 */
export async function expandWords(argv: readonly string[], context: Context): Promise<readonly string[]> {
  const { tree } = context.services;
  const [first = '', second] = argv;
  if (/^-./.test(first)) {
    const count = flagsWithValue.has(first) ? 2 : 1;
    return [...argv.slice(0, count), ...(await expandWords(argv.slice(count), context))];
  }
  const word = first === 'help' ? second : first;
  if (!word || word.startsWith('-') || word === 'help') return argv;
  if (first === 'help' && Object.hasOwn(topics, word)) return argv;
  const entry = findEntry(tree, word);
  if (entry && !entry.isShorthand) return toCommandWords(tree, argv);
  const { expandAlias } = await import('./expand-alias.ts');
  return toCommandWords(tree, await expandAlias(argv, word, context));
}

/**
 * Replaces other words for nouns and verbs, and adds the verb that a reference or a flag after a noun implies. Passes
 * misspelled words through, so that the parser reports them.
 */
export async function toCommandWords(tree: CommandTree, argv: readonly string[]): Promise<readonly string[]> {
  const at = argv[0] === 'help' ? 1 : 0;
  const [noun = '', verb, next = '-'] = argv.slice(at);
  // `kith list contacts` has the verb first.
  const isVerb = noun === 'list' && (findEntry(tree, verb) ?? nounWords.get(verb ?? '')) !== undefined;
  const entry = findEntry(tree, noun) ?? findEntry(tree, isVerb ? undefined : nounWords.get(noun));
  if (!entry) return at === 0 ? addNoun(tree, argv) : argv;
  const words = findEntry(tree, noun) ? argv : argv.with(at, entry.name);
  const commands = await entry.commands();
  if (verb === undefined || verb === 'help' || commands[0]?.name === entry.name) return words;
  const verbs = commands.map(({ name }) => name.split(' ', 1)[0] ?? '');
  if (verbs.includes(verb)) return words;
  const replacement = verbWords.get(verb)?.find((name) => verbs.includes(name));
  if (replacement !== undefined) return words.with(at + 1, replacement);
  const isFlag = verb.startsWith('-');
  // If another word follows, this one is a misspelled verb, not a reference.
  if (at > 0 || !(isFlag || next.startsWith('-'))) return words;
  const list = commands.find(({ name }) => name === 'list');
  const flags = Object.keys(list?.options ?? {}).map(toFlagName);
  // With only shared flags, other nouns print their help.
  const isList = entry.isShorthand
    ? !words.some((word) => verbs.includes(word) || /^(-h|--help)$/.test(word))
    : flags.includes(verb.replace(/=.*/s, ''));
  if (isFlag) return isList ? words.toSpliced(1, 0, 'list') : words;
  const show = commands.find(({ name }) => name === 'show') ?? commands.find(({ name }) => name === 'get');
  const namesRecord = Object.values(show?.args ?? {}).some(({ record }) => record);
  const isMisspelled =
    verbSynonyms.has(verb) || findClosest(verb, verbs).length > 0 || flags.includes(`--${verb}`);
  return show && namesRecord && !isMisspelled ? words.toSpliced(1, 0, show.name) : words;
}

/** Adds the noun and the verb that show the record of a key, address, phone number or domain. */
async function addNoun(tree: CommandTree, argv: readonly string[]): Promise<readonly string[]> {
  const [word = '', next = '-'] = argv;
  const isDate = /^\d{4}-\d\d-\d\d/.test(word);
  // `DEAL-1` is spelled so much like `deals` that it would count as a typo.
  const isMisspelled = !isEntryKey(word) && findClosestNouns(tree, word).length > 0;
  if (!next.startsWith('-') || isDate || isMisspelled) return argv;
  const { isNumber } = await import('../values/phone.ts');
  if (isEmail(word) || isNumber(word)) return ['contacts', 'show', ...argv];
  if (isEntryKey(word)) return ['entries', 'show', ...argv];
  return extractHost(word) === undefined ? argv : ['organizations', 'show', ...argv];
}

/** Converts `kith help NOUN VERB` and `kith NOUN help VERB` to `kith NOUN VERB --help`, and `kith -v` to `kith --version`. */
export async function expandHelpWords(
  tree: CommandTree,
  argv: readonly string[],
): Promise<readonly string[]> {
  const [first, second, ...others] = argv;
  // Before or after a command, -v is --debug.
  if (first === '-v' && argv.length === 1) return ['--version'];
  if (first === 'help') return toHelpWords(tree, argv.slice(1));
  const entry = second === 'help' ? findEntry(tree, first) : undefined;
  // `help` is a value of a command without a noun: `kith search help`.
  const isNoun = entry && (await entry.commands()).every(({ name }) => name !== entry.name);
  if (!isNoun) return argv;
  return toHelpWords(tree, (await toCommandWords(tree, ['help', entry.name, ...others])).slice(1));
}

/** Converts the words after `help` to the words of a command with `--help`. Keeps unknown words, so that they are reported. */
async function toHelpWords(tree: CommandTree, words: readonly string[]): Promise<readonly string[]> {
  const firstFlag = words.findIndex((word) => word.startsWith('-'));
  const [first, verb] = firstFlag < 0 ? words : words.slice(0, firstFlag);
  if (first === undefined) return [...words, '--help'];
  const entry = findEntry(tree, first);
  if (!entry) return [first];
  const isKnown = verb === undefined || (await entry.commands()).some(({ name }) => name === verb);
  return isKnown ? [...words, '--help'] : words.slice(0, 2);
}
