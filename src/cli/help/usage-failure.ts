import { Failure } from '../../contract/errors.ts';
import { formatCount, quoteShellWord } from '../../values/text.ts';
import type { AnyCommand, CommandTree } from '../command/command.ts';
import { formatFlag } from '../command/options.ts';
import { findReplacement, type Suggestion, suggest } from './suggestions.ts';

/** The typed words, and the command that the parser reached with them. */
export interface Typed {
  readonly words: readonly string[];
  /** The command as it is typed, such as `kith contacts get`. A noun has no definition. */
  readonly name: string;
  readonly command: AnyCommand | undefined;
  /** The words after the command, without flags. */
  readonly args: readonly string[];
}

/** A parser error, the word that it names, and the known words with a similar spelling. */
export interface UsageError extends Typed {
  readonly code: string;
  readonly word: string;
  readonly guesses: readonly string[];
}

/** Parses words without running the command. */
type Parser = (
  words: readonly string[],
) => Promise<{ readonly failure?: Failure | undefined; readonly typed: Typed }>;

/** The messages by the error code of Commander. */
const messages: Readonly<Record<string, (error: UsageError) => string>> = {
  unknownCommand: ({ word }) => `Unknown command: ${word}`,
  unknownOption: ({ word }) => `Unknown option: ${word}`,
  unsupportedOption: ({ word, name }) => `${word} is not supported by \`${name}\`.`,
  missingArgument: ({ word }) => `Missing required argument: ${word.toUpperCase()}`,
  missingMandatoryOptionValue: ({ word }) => `Missing required option: ${word.replaceAll(/[<>]/g, '')}`,
  optionMissingArgument: ({ word }) => `Missing value: ${word.replaceAll(/[<>]/g, '')}`,
  excessArguments: describeExtra,
};

function describeExtra({ name, command, args }: UsageError): string {
  const count = Object.keys(command?.args ?? {}).length;
  const words = name.replace('kith ', '');
  if (count === 0) return `${words} takes no ${/ (list|find)$/.test(words) ? 'name' : 'argument'}.`;
  return `${words} takes ${formatCount(count, 'argument')}, not ${args.length}.`;
}

/** Converts an error of Commander. */
export async function toUsageFailure(
  { message, code: fullCode }: { readonly message: string; readonly code: string },
  typed: Typed,
  tree: CommandTree,
  parse: Parser,
): Promise<Failure> {
  const [, word = '', names] =
    /'(.*)'[^\n]*?(?:\n\(Did you mean (?:one of )?(.*)\?\))?$/s.exec(message) ?? [];
  const code = fullCode.replace('commander.', '');
  const error = { ...typed, code, word, guesses: names?.split(', ') ?? [] };
  return new Failure('usage', messages[code]?.(error) ?? message, {
    hint: await findHint(error, tree, parse),
  });
}

/** Returns a hint with the suggestions that run as they are, or else with the usage of a command. */
async function findHint(error: UsageError, tree: CommandTree, parse: Parser): Promise<string> {
  const replacement = findReplacement(error);
  if (replacement !== undefined) return replacement;
  const running: Suggestion[] = [];
  let usage: string | undefined;
  for (const suggestion of await suggest(error, tree)) {
    const { failure, typed } = await parse(suggestion.words);
    const { flag } = suggestion;
    if (flag ? !failure?.message.startsWith(`${flag} is not supported`) : !failure)
      running.push(suggestion.lead ? suggestion : { ...suggestion, words: typed.words });
    else if (!suggestion.mustRun) usage ??= failure?.detail.hint ?? formatUsage(typed);
  }
  const [first] = running;
  if (first?.lead) return `${first.lead}: ${formatLine(first.words)}`;
  const names = running.map(({ flag, words }) => `\`${flag ?? formatLine(words)}\``);
  if (first) return `Did you mean ${names.join(' or ')}?`;
  return usage ?? (/Option$|^optionM/.test(error.code) ? formatHelp(error) : formatUsage(error));
}

/** Formats the arguments and required flags of a command, or says which help describes them. */
function formatUsage({ name, command }: Typed): string {
  const { args = {}, options = {}, rules = [] } = command ?? {};
  const argumentWords = Object.entries(args).flatMap(([name, argument]) => {
    const { placeholder = name, isRepeatable, isOptional, isKeyImplied, isCommandLine } = argument;
    const word = `${placeholder.toUpperCase()}${isRepeatable ? '...' : ''}`;
    return [...(isCommandLine ? ['--'] : []), isOptional || isKeyImplied ? `[${word}]` : word];
  });
  const required = Object.entries(options).filter(([, { isRequired }]) => isRequired);
  if (argumentWords.length + required.length === 0) return formatHelp({ name });
  const flags = required.map(([name, { placeholder }]) => formatFlag(name, { placeholder }));
  if (rules.length > 0) flags.push('[flags]');
  const parts = argumentWords.includes('--') ? [flags, argumentWords] : [argumentWords, flags];
  return `Type: ${[name, ...parts.flat()].join(' ')}`;
}

const formatHelp = ({ name }: Pick<Typed, 'name'>) =>
  `See \`${name === 'kith' ? 'kith help all' : `${name} --help`}\`.`;

const formatLine = (words: readonly string[]) => ['kith', ...words].map(quoteShellWord).join(' ');
