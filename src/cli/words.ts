import { Failure } from '../contract/errors.ts';
import { nounWords, verbWords } from '../contract/noun-words.ts';
import { extractHost, isEmail } from '../values/domain.ts';
import { createClosestNames } from '../values/names.ts';
import { type AnyCommand, type CommandTree, findEntry } from './command/command.ts';
import type { Context } from './command/context.ts';
import { globalOptions } from './command/globals.ts';
import { type Option, toFlagName } from './command/options.ts';
import { isEntryKey } from './flags/references.ts';
import { topics } from './help/help.ts';

/**
 * Converts a command line, as it is typed, to the words of a command: expands an alias, then other words for nouns and
 * verbs and a reference without a verb. Reads the settings only if the first word is not a command.
 * @throws {Failure} usage
 */
export async function expandWords(argv: readonly string[], context: Context): Promise<readonly string[]> {
  const { tree } = context.services;
  const [first, second] = argv;
  const word = first === 'help' ? second : first;
  if (word === undefined || word.startsWith('-') || word === 'help') return argv;
  if (first === 'help' && Object.hasOwn(topics, word)) return argv;
  const entry = findEntry(tree, word);
  if (entry && !entry.yieldsToAlias) return toCommandWords(tree, argv);
  const { expandAlias } = await import('./expand-alias.ts');
  return toCommandWords(tree, await expandAlias(argv, word, context));
}

/**
 * Replaces other words for nouns and verbs, and adds the verb that a reference or a flag after a noun implies. A
 * misspelled word stays, to be reported.
 * @throws {Failure} usage if a word is the name of a flag
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
  // Of two words, the first one is a misspelled verb.
  if (at > 0 || !(isFlag || next.startsWith('-'))) return words;
  const implied = isFlag
    ? findListVerb(commands, argv.slice(1), entry.yieldsToAlias)
    : findShowVerb(entry.name, commands, verb);
  return implied === undefined ? words : words.toSpliced(1, 0, implied);
}

/** Adds the noun and the verb that show the record of a key, address, phone number or domain. */
async function addNoun(tree: CommandTree, argv: readonly string[]): Promise<readonly string[]> {
  const [word = '', next = '-'] = argv;
  if (!next.startsWith('-') || isClose(word, [...tree.map(({ name }) => name), ...nounWords.keys()]))
    return argv;
  const noun = await findRecordNoun(word);
  return noun === undefined ? argv : [noun, 'show', ...argv];
}

async function findRecordNoun(word: string): Promise<string | undefined> {
  const isDate = /^\d{4}-\d\d-\d\d/.test(word);
  if (isEmail(word)) return 'contacts';
  if (!isDate && (await import('../values/phone.ts')).isNumber(word)) return 'contacts';
  if (!isDate && isEntryKey(word)) return 'entries';
  return extractHost(word) === undefined ? undefined : 'organizations';
}

/**
 * Returns the verb that shows the record that a word after a noun names; undefined for a misspelled verb.
 * @throws {Failure} usage if the word is the name of a flag
 */
function findShowVerb(noun: string, commands: readonly AnyCommand[], word: string): string | undefined {
  const { options = {} } = commands.find(({ name }) => name === 'list') ?? {};
  const flag = Object.hasOwn(options, word) ? options[word] : undefined;
  if (flag && flag.placeholder === undefined)
    throw new Failure('usage', `Unknown command: ${word}`, {
      hint: `Did you mean \`kith ${noun} list ${toFlagName(word)}\`?`,
    });
  const verbs = commands.map(({ name }) => name);
  if (flag || isClose(word, verbs)) return undefined;
  const shows = ['show', 'get'].map((verb) => commands.find(({ name }) => name === verb));
  return shows.find((show) => Object.values(show?.args ?? {}).some(({ record }) => record))?.name;
}

/**
 * Returns `list` if flags after a noun select records: `deals --overdue`. `isNew`: whether shared flags alone do, too,
 * which print the help of the older nouns.
 */
function findListVerb(
  commands: readonly AnyCommand[],
  words: readonly string[],
  isNew = false,
): string | undefined {
  const list = commands.find(({ name, paging }) => name === 'list' && paging === 'list');
  const hasVerb = words.some((word) => commands.some(({ name }) => name === word));
  const asksForHelp = words.some((word) => /^(-h|--help|-V|--version)$/.test(word));
  const shared = Object.entries<Option<unknown>>(globalOptions).flatMap(([name, { short }]) => [
    toFlagName(name),
    short,
  ]);
  const isOwn = (word: string) => word.startsWith('-') && !shared.includes(word.replace(/=.*/s, ''));
  return list && !hasVerb && !asksForHelp && (isNew || words.some(isOwn)) ? list.name : undefined;
}

function isClose(word: string, names: readonly string[]): boolean {
  const closest = createClosestNames<string>(word);
  for (const name of names) closest.add([name], name);
  return closest.list().length > 0;
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

/** Converts the words after `help` to the words of a command with `--help`. Unknown words stay, to be reported as such. */
async function toHelpWords(tree: CommandTree, words: readonly string[]): Promise<readonly string[]> {
  const firstFlag = words.findIndex((word) => word.startsWith('-'));
  const [first, verb] = firstFlag < 0 ? words : words.slice(0, firstFlag);
  if (first === undefined) return [...words, '--help'];
  const entry = findEntry(tree, first);
  if (!entry) return [first];
  const isKnown = verb === undefined || (await entry.commands()).some(({ name }) => name === verb);
  return isKnown ? [...words, '--help'] : words.slice(0, 2);
}
