import { type Command, CommanderError } from 'commander';
import { requireFailure } from '../contract/errors.ts';
import type { ParsedCommand } from './command/command.ts';
import { isInteractive } from './command/interaction.ts';
import { createProgram, type Parsing } from './mount.ts';
import type { Run } from './run-resources.ts';
import { expandWords, toCommandWords } from './words.ts';

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

async function tryParse(words: readonly string[], run: Run, canAsk: boolean) {
  const { context, streams } = run;
  const parsing: Parsing = { words, canAsk, help: '', commands: new Map() };
  const { tree } = context.services;
  const program = createProgram(tree, parsing, context.runtime.version, streams.stdout.columns);
  let error: unknown;
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (thrown) {
    error = thrown;
  }
  const path = findPath(program);
  const reached = path.at(-1) ?? program;
  const name = path.map((command) => command.name()).join(' ');
  const typed = { words, name, command: parsing.commands.get(reached), args: reached.args };
  if (!(error instanceof CommanderError)) {
    // A usage failure other than missing input is reported before any prompt.
    if (error !== undefined && canAsk) throw error;
    return { parsing, typed, failure: error === undefined ? undefined : requireFailure(error) };
  }
  if (/^commander\.(help|helpDisplayed|version)$/.test(error.code)) return { parsing, typed };
  const { toUsageFailure } = await import('./help/usage-failure.ts');
  const parse = async (line: readonly string[]) => tryParse(await toCommandWords(tree, line), run, false);
  return { parsing, typed, failure: await toUsageFailure(error, typed, tree, parse) };
}

/** Returns the commands that Commander reached: the program, the noun and the verb. */
function findPath(command: Command): readonly Command[] {
  const [word = ''] = command.args;
  const next = command.commands.find((command) => [command.name(), ...command.aliases()].includes(word));
  return [command, ...(next ? findPath(next) : [])];
}
