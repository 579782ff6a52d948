import { type Command, CommanderError } from 'commander';
import { ClosedPipeError, Failure, requireFailure } from '../contract/errors.ts';
import type { OutputStream } from '../process/streams.ts';
import { capitalize } from '../values/text.ts';
import type { ParsedCommand } from './command/command.ts';
import type { Context, Session } from './command/context.ts';
import { isFirstRun } from './connect/connection.ts';
import { redactMistypedKeys } from './connect/secrets.ts';
import { applyDefaultFormat } from './connect/settings.ts';
import { resolveInput } from './flags/references.ts';
import { createProgram, defaultHelpWidth } from './mount.ts';
import { createRun, type Run } from './run-resources.ts';
import { createSession, toRunFailure } from './session.ts';
import { topics } from './tree/help.ts';
import { findEntry } from './tree/tree.ts';

/** Runs one command line (without `node` and the name of the program) and returns its exit code. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  let words = argv;
  const current = createRun(context, () => words);
  const { stderr } = current.streams;
  const { signal, env, forcedExit } = context.runtime;
  try {
    const work = async () => {
      words = await expandFirstWord(argv, context);
      await runCommandLine(words, current);
    };
    await Promise.race([work(), forcedExit]);
    return 0;
  } catch (error) {
    if (error instanceof ClosedPipeError && !signal.aborted) return 0;
    const failure = toRunFailure(error, signal);
    const end = words.indexOf('--');
    const flags = end < 0 ? words : words.slice(0, end);
    const { printFailure } = await import('./print/print-failure.ts');
    await printFailure(redactMistypedKeys(failure), { stderr, env }, flags, current.isDebug);
    return failure.exit;
  } finally {
    await current.close();
  }
}

async function runCommandLine(argv: readonly string[], current: Run): Promise<void> {
  const { context, streams } = current;
  const [first, name = ''] = argv;
  if (first === 'help' && Object.hasOwn(topics, name)) {
    const width = streams.stdout.columns ?? defaultHelpWidth;
    const text = await topics[name]?.text(width, context.services.readPackageFile);
    const { openResultOutput } = await import('./print/paging.ts');
    const { output, close } = openResultOutput({ ...streams, ...context.runtime, ...context.terminal });
    return output.write(text ?? '').finally(close);
  }
  const { version, env } = context.runtime;
  const canAsk = async () => {
    const { isInteractive } = await import('./command/interaction.ts');
    return isInteractive({ ...streams, env, globals: { noInput: argv.includes('--no-input') } });
  };
  const parse = (words: readonly string[], canAsk = async () => false) =>
    parseWords(words, { version, stdout: streams.stdout }, canAsk);
  const parseCommandLine = async (words: readonly string[]) =>
    (await parse(await expandFirstWord(words, current.context))).parsed;
  const login = argv.length === 0 ? await parseCommandLine(['auth', 'login']) : undefined;
  if (login) {
    const session = createSession(current, login, parseCommandLine);
    if (await isFirstRun(session)) return runCommand(login, session);
  }
  const { help, parsed } = await parse(await expandHelpWords(argv), canAsk);
  if (!parsed) return streams.stdout.write(help);
  const globals = await applyDefaultFormat(parsed, {
    ...context.runtime,
    ...context.services,
    ...current,
  });
  const complete = { ...parsed, globals };
  if (globals.output === undefined || globals.output === '-')
    return runCommand(complete, createSession(current, complete, parseCommandLine));
  const { openOutputFile } = await import('../files/output-file.ts');
  const { write, commit, discard } = openOutputFile(globals.output, context.runtime.lockHolder.pid);
  const file: OutputStream = {
    isTerminal: false,
    columns: undefined,
    rows: undefined,
    write: async (...text) => write(...text),
  };
  const toFile = { ...current, streams: { ...streams, stdout: current.openOutput(file) } };
  try {
    await runCommand(complete, createSession(toFile, complete, parseCommandLine), commit);
  } finally {
    discard();
  }
}

/** Expands an alias and `edit`. The settings are read only if the first word is no command. */
async function expandFirstWord(
  argv: readonly string[],
  { runtime: { env }, services: { settings } }: Context,
): Promise<readonly string[]> {
  const [first, second] = argv;
  const word = first === 'help' ? second : first;
  if (word === 'edit') return expandEditWords(argv);
  const isCommand = word === undefined || word.startsWith('-') || word === 'help' || findEntry(word);
  if (isCommand || (first === 'help' && Object.hasOwn(topics, word))) return argv;
  const { expandAlias } = await import('./alias/expand-alias.ts');
  return expandAlias(argv, word, { env, settings });
}

/** Converts `kith edit NOUN ID` to `kith NOUN edit ID`, also after `help`. @throws {Failure} usage without a noun */
function expandEditWords(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('edit');
  const [noun, ...others] = argv.slice(at + 1);
  if (/^(help|-h|--help)$/.test(noun ?? '')) return ['contacts', 'edit', '--help'];
  if (noun !== undefined && !noun.startsWith('-')) return [...argv.slice(0, at), noun, 'edit', ...others];
  if (at > 0) return ['contacts', 'edit', '--help'];
  throw new Failure('usage', 'Missing required argument: NOUN', {
    hint: 'Name a record after the noun, such as: kith edit contacts 0rlnky',
  });
}

/** Runs a command and prints its result, then calls `onPrinted`, also if the result reports a failure. */
async function runCommand(
  { command, input, globals, words, missing }: ParsedCommand,
  session: Session,
  onPrinted?: () => void,
): Promise<void> {
  // An invalid jq expression is reported before anything is sent, not after a write.
  if (globals.jq !== undefined) await (await session.worker()).checkJq(globals.jq);
  if (!command.isLocal && !command.isWorkspaceOptional && (await isFirstRun(session))) {
    const { signIn } = await import('./connect/login.ts');
    await session.note((await signIn(session)).text);
  }
  const picked = missing
    ? await (await import('./prompts/pick-arguments.ts')).pickArguments(session, command, input, missing)
    : input;
  const complete = await resolveInput(session, command, picked);
  if (globals.watch !== undefined) {
    const { watch } = await import('./watch/watch.ts');
    const toFailure = (error: unknown) => toRunFailure(error, session.signal);
    const run = (repeated: Session) => command.run(repeated, complete);
    return watch({ words, seconds: globals.watch, run, toFailure }, session);
  }
  const result = await command.run(session, complete);
  const { printResult } = await import('./print/print.ts');
  try {
    await printResult(result, session, command.isWrite === true && !result.isReadOnly);
    onPrinted?.();
  } catch (error) {
    // A closed pipe must not hide the failure of the command.
    if (result.failure || error instanceof ClosedPipeError) throw result.failure ?? error;
    // The records of a list are still being read while it is printed.
    const isWritten = command.isWrite && !result.isReadOnly && !globals.dryRun && result.kind !== 'records';
    throw isWritten ? reportCompletedWrite(toRunFailure(error, session.signal)) : error;
  }
  if (result.failure) throw result.failure;
}

/** A failed print after a completed write must not look like a failed write. */
function reportCompletedWrite({ code, message, detail }: Failure): Failure {
  return new Failure(code, `${message} The command itself has completed.`, detail);
}

/** Converts `kith help NOUN VERB` and `kith NOUN help VERB` to `kith NOUN VERB --help`, and `kith -v` to `kith --version`. */
async function expandHelpWords(argv: readonly string[]): Promise<readonly string[]> {
  const [first, second, ...others] = argv;
  // Before or after a command, -v is --debug.
  if (first === '-v' && argv.length === 1) return ['--version'];
  if (first === 'help') return toHelpWords(argv.slice(1));
  const entry = second === 'help' ? findEntry(first) : undefined;
  // `help` is a value of a command without a noun: `kith search help`.
  const isNoun = entry && (await entry.commands()).every(({ name }) => name !== entry.name);
  return isNoun ? toHelpWords([entry.name, ...others]) : argv;
}

/** Converts the words after `help` to the words of a command with `--help`. Unknown words stay, to be reported as such. */
async function toHelpWords(words: readonly string[]): Promise<readonly string[]> {
  const [first, verb] = words;
  if (first === undefined) return ['--help'];
  const entry = findEntry(first);
  if (!entry) return [first];
  const isKnown = verb === undefined || (await entry.commands()).some(({ name }) => name === verb);
  return isKnown ? [...words, '--help'] : words.slice(0, 2);
}

/** The command of a command line, or the text of its help. */
interface ParsedWords {
  help: string;
  parsed?: ParsedCommand;
}

type ParserStreams = Pick<Session, 'version' | 'stdout'>;

/**
 * Parses words: returns the command, or the text of `--help` or `--version` or the help of a noun without a verb. If
 * `canAsk` returns true, what a person can be asked for may be missing.
 * @throws {Failure} usage
 */
async function parseWords(
  words: readonly string[],
  streams: ParserStreams,
  canAsk: () => Promise<boolean>,
): Promise<ParsedWords> {
  const { result, failure } = await tryParse(words, streams, false);
  if (!failure) return result;
  if (!(await canAsk())) throw failure;
  const retried = await tryParse(words, streams, true);
  const { parsed } = retried.result;
  if (!parsed) throw failure;
  return { help: '', parsed: { ...parsed, missing: failure } };
}

async function tryParse(words: readonly string[], streams: ParserStreams, canAsk: boolean) {
  const result: ParsedWords = { help: '' };
  const addHelp = (text: string) => {
    result.help += text;
  };
  const onCommand = (parsed: Omit<ParsedCommand, 'words'>) => {
    result.parsed = { ...parsed, words };
  };
  const program = createProgram(words, streams, addHelp, { onCommand, canAsk });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      // Another usage failure than that of something missing is reported before a person is asked.
      if (canAsk) throw error;
      return { result, failure: requireFailure(error) };
    }
    const isHelp = /^commander\.(help|helpDisplayed|version)$/.test(error.code);
    if (!isHelp) return { result, failure: toUsageFailure(error, findTypedName(program)) };
  }
  return { result };
}

/** Converts an error of Commander; `typed` is the command that it belongs to, such as `kith contacts get`. */
function toUsageFailure({ message, code }: CommanderError, typed: string): Failure {
  const [, sentence = '', guesses] =
    /^(?:error: )?([^\n]*?)\.?(?:\n\(Did you mean (?:one of )?(.*)\?\))?$/s.exec(message) ?? [];
  const [, word = ''] = /'(.*)'/s.exec(sentence) ?? [];
  const prefix = code === 'commander.unknownCommand' ? `${typed} ` : '';
  const guess = guesses?.split(', ').map((name) => `\`${prefix}${name}\``);
  return new Failure('usage', describeUsageError(code, sentence, word), {
    hint: guess ? `Did you mean ${guess.join(' or ')}?` : `See \`${typed} --help\`.`,
  });
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
  const next = program.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
  return next ? `${program.name()} ${findTypedName(next)}` : program.name();
}
