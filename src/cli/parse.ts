import { type Command, CommanderError } from 'commander';
import { Failure, requireFailure } from '../contract/errors.ts';
import { capitalize } from '../values/text.ts';
import type { CommandTree, ParsedCommand } from './command/command.ts';
import { isInteractive } from './command/interaction.ts';
import { createProgram, type Parsing } from './mount.ts';
import type { Run } from './run-resources.ts';
import { expandWords } from './words.ts';

/** Parses a command line, which may begin with an alias; undefined if it only prints help. @throws {Failure} usage */
export async function parseCommandLine(
  words: readonly string[],
  run: Run,
): Promise<ParsedCommand | undefined> {
  return (await parseWords(await expandWords(words, run.context), run)).parsed;
}

/**
 * Parses words. Returns the command, or the text of help or `--version`. A noun without a verb prints its help. With
 * `mayAsk`, input may be missing that a prompt can ask for.
 * @throws {Failure} usage
 */
export async function parseWords(
  words: readonly string[],
  run: Run,
  mayAsk = false,
): Promise<Pick<Parsing, 'help' | 'parsed'>> {
  const { parsing, failure } = await tryParse(words, run, false);
  if (!failure) return parsing;
  const globals = { noInput: words.includes('--no-input') };
  if (!mayAsk || !isInteractive({ ...run.context, streams: run.streams, globals })) throw failure;
  const { parsed } = (await tryParse(words, run, true)).parsing;
  if (!parsed) throw failure;
  return { help: '', parsed: { ...parsed, missing: failure } };
}

async function tryParse(words: readonly string[], { context, streams }: Run, canAsk: boolean) {
  const parsing: Parsing = { words, canAsk, help: '' };
  const { tree } = context.services;
  const program = createProgram(tree, parsing, context.runtime.version, streams.stdout.columns);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      // A usage failure other than missing input is reported before any prompt.
      if (canAsk) throw error;
      return { parsing, failure: requireFailure(error) };
    }
    const isHelp = /^commander\.(help|helpDisplayed|version)$/.test(error.code);
    if (!isHelp)
      return { parsing, failure: await toUsageFailure(error, findTypedName(program), tree, words) };
  }
  return { parsing };
}

/** Converts an error of Commander. `typedName`: the command of the error, such as `kith contacts get`. */
async function toUsageFailure(
  { message, code }: CommanderError,
  typedName: string,
  tree: CommandTree,
  words: readonly string[],
): Promise<Failure> {
  const [, sentence = '', names] =
    /^(?:error: )?([^\n]*?)\.?(?:\n\(Did you mean (?:one of )?(.*)\?\))?$/s.exec(message) ?? [];
  const [, word = ''] = /'(.*)'/s.exec(sentence) ?? [];
  const hint = await suggest(code, tree, { words, word, guesses: names?.split(', ') ?? [] });
  return new Failure('usage', describeUsageError(code, sentence, word), {
    hint: hint ?? `See \`${typedName} --help\`.`,
  });
}

/** Returns a hint for an unknown word; undefined if nothing is close to it. */
async function suggest(
  code: string,
  tree: CommandTree,
  unknown: { readonly words: readonly string[]; readonly word: string; readonly guesses: readonly string[] },
): Promise<string | undefined> {
  const isCommand = code === 'commander.unknownCommand';
  let suggestions = unknown.guesses;
  if (isCommand || code === 'commander.unknownOption') {
    const { findReplacement, suggestCommands, suggestFlags } = await import('./help/suggestions.ts');
    const replacement = findReplacement(unknown);
    if (replacement !== undefined) return replacement;
    suggestions = isCommand ? await suggestCommands(tree, unknown) : suggestFlags(unknown);
  }
  const quoted = suggestions.map((suggestion) => `\`${suggestion}\``);
  return quoted.length > 0 ? `Did you mean ${quoted.join(' or ')}?` : undefined;
}

function describeUsageError(code: string, sentence: string, word: string): string {
  const flag = word.replaceAll(/[<>]/g, '');
  if (code === 'commander.unknownCommand') return `Unknown command: ${word}`;
  if (code === 'commander.unknownOption') return `Unknown option: ${word}`;
  if (code === 'commander.missingArgument') return `Missing required argument: ${word.toUpperCase()}`;
  if (code === 'commander.missingMandatoryOptionValue') return `Missing required option: ${flag}`;
  if (code === 'commander.optionMissingArgument') return `Missing value: ${flag}`;
  return `${capitalize(sentence)}.`;
}

/** Returns the command that Commander reached, as it is typed: `kith contacts get`. */
function findTypedName(program: Command): string {
  const [word = ''] = program.args;
  const next = program.commands.find((command) => [command.name(), ...command.aliases()].includes(word));
  return next ? `${program.name()} ${findTypedName(next)}` : program.name();
}
