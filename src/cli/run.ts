import { CommanderError, Command as Program } from 'commander';
import { Failure } from '../contract/errors.ts';
import { redactMistypedKeys } from './connect/key-shapes.ts';
import { ClosedPipeError, type Context, type Session } from './context.ts';
import { toRunFailure } from './failure.ts';
import { formatTopicList, topics } from './help.ts';
import {
  type CommandHandler,
  entryTerm,
  helpOption,
  mountCommand,
  mountEntry,
  mountGlobals,
  mountVerbs,
  type ParsedCommand,
} from './mount.ts';
import { createRun } from './session.ts';
import { commandTree, findEntry } from './tree.ts';

/** Runs one command line (without `node` and the program's name) and gives its exit code. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  const current = createRun(context);
  const said: string[] = [];
  try {
    const topic = topicIn(argv);
    if (topic) said.push(topic.text());
    else {
      const words = argv[0] === 'help' ? await helpFor(argv.slice(1)) : argv;
      const onCommand: CommandHandler = (parsed) => carryOut(parsed, current.with(parsed.globals));
      const ended = parse(programFor(words, context, said, onCommand), words);
      await Promise.race([ended, context.forcedExit]);
    }
    await current.stdout.write(said.join(''));
    return 0;
  } catch (error) {
    if (error instanceof ClosedPipeError && !context.signal.aborted) return 0;
    const failure = toRunFailure(error, context.signal);
    const end = argv.indexOf('--');
    const flags = end < 0 ? argv : argv.slice(0, end);
    const { printFailure } = await import('./print/print-failure.ts');
    await printFailure(redactMistypedKeys(failure), {
      stderr: current.stderr,
      env: context.env,
      color: !flags.includes('--no-color'),
      json: wantsJson(flags),
      debug: flags.includes('--debug') || current.isDebug,
    });
    return failure.exit;
  } finally {
    await current.close();
  }
}

/** Runs a command and prints its answer. Throws what went wrong beside it once that is printed. */
async function carryOut({ command, input, globals }: ParsedCommand, session: Session): Promise<void> {
  // What is no expression is told before anything is sent, not after a write.
  if (globals.jq !== undefined) await (await session.worker()).checkJq(globals.jq);
  const answer = await command.run(session, input);
  const { printResult } = await import('./print/print.ts');
  try {
    await printResult(answer, session);
  } catch (error) {
    // What went wrong is told, also where nobody reads the rest.
    if (answer.failure || error instanceof ClosedPipeError) throw answer.failure ?? error;
    // A list is made as it is printed.
    const isDone = command.isWrite && !answer.isReadOnly && !globals.dryRun && answer.kind !== 'records';
    throw isDone ? unprinted(toRunFailure(error, session.signal)) : error;
  }
  if (answer.failure) throw answer.failure;
}

/** A write whose answer could not be printed: it must not look as if it were not done. */
function unprinted({ code, message, detail }: Failure): Failure {
  return new Failure(code, `${message} What was asked for is done all the same.`, detail);
}

/** Reads a command line and runs nothing; undefined where it only prints help. Throws what `run` would tell. */
export async function parseCommandLine(
  words: readonly string[],
  context: Pick<Context, 'version' | 'stdout' | 'signal'>,
): Promise<ParsedCommand | undefined> {
  let read: ParsedCommand | undefined;
  try {
    const program = programFor(words, context, [], async (parsed) => {
      read = parsed;
    });
    await parse(program, words);
  } catch (error) {
    throw toRunFailure(error, context.signal);
  }
  return read;
}

/**
 * The program with the noun and the verb that are typed first. Where there is no such noun or verb it has them all,
 * and the global flags before it: for a help, and for what may have been meant. Help and version go to `said`.
 */
function programFor(
  [noun = '', verb = '']: readonly string[],
  context: Pick<Context, 'version' | 'stdout'>,
  said: string[],
  onCommand: CommandHandler,
): Program {
  const say = (text: string) => said.push(text);
  const program = new Program('kith')
    .description('A relationship-management workspace in your terminal.')
    .usage('<noun> <verb> [ids...] [flags]')
    .version(context.version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .helpCommand(false)
    // What stands behind the verb is read by the verb alone, for it knows which of its words are values.
    .enablePositionalOptions()
    .configureHelp({
      helpWidth: context.stdout.columns ?? 100,
      subcommandTerm: entryTerm,
      visibleOptions: ({ options }) => [
        ...options.filter(({ helpGroupHeading }) => helpGroupHeading === undefined),
        helpOption,
      ],
    })
    .configureOutput({ writeOut: say, writeErr: say, outputError: () => {} })
    .exitOverride()
    .addHelpText('after', () => formatTopicList());
  const typed = findEntry(noun);
  if (!typed) mountGlobals(program);
  const entries = commandTree.flatMap(({ title, entries }) => entries.map((entry) => ({ title, entry })));
  const mounted = new Map(
    entries
      .filter(({ entry }) => !typed || entry === typed)
      .map(({ title, entry }) => [mountEntry(program, entry, title), entry] as const),
  );
  program.hook('preSubcommand', async (_, word) => {
    const entry = mounted.get(word);
    if (!entry) return;
    if ('command' in entry) return mountCommand(word, await entry.command(), onCommand);
    const commands = await entry.commands();
    // Where a flag comes first, the second word may be its value.
    const meant = typed ? commands.filter(({ name }) => name.split(' ', 1)[0] === verb) : [];
    if (meant.length === 0) mountGlobals(word);
    mountVerbs(word, meant.length > 0 ? meant : commands, onCommand);
  });
  return program;
}

/** The topic that `kith help TOPIC` asks for. */
function topicIn([first, name = '']: readonly string[]) {
  return first === 'help' && Object.hasOwn(topics, name) ? topics[name] : undefined;
}

/** `kith help NOUN VERB` as `kith NOUN VERB --help`; what there is not stays the complaint that it is. */
async function helpFor(words: readonly string[]): Promise<readonly string[]> {
  const [first, verb] = words;
  if (first === undefined) return ['--help'];
  const entry = findEntry(first);
  if (!entry) return [first];
  const verbs = 'commands' in entry ? (await entry.commands()).map(({ name }) => name) : [];
  const isThere = verb === undefined || verbs.includes(verb);
  return isThere ? [...words, '--help'] : words.slice(0, 2);
}

/** Reads and runs. Help and version are no failures, nor is a noun without a verb: it gets its help. */
async function parse(program: Program, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    const isHelp =
      error instanceof CommanderError && /^commander\.(help|helpDisplayed|version)$/.test(error.code);
    if (!isHelp) throw error instanceof CommanderError ? usageFailure(error, typedIn(program)) : error;
  }
}

/** Commander's complaint in our form: one sentence, and its guess as the hint. */
function usageFailure({ message }: CommanderError, typed: string): Failure {
  const [, sentence = '', guess] = /^(?:error: )?([^\n]*?)\.?(?:\n\((.*)\))?$/s.exec(message) ?? [];
  return new Failure('usage', `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`, {
    hint: guess ?? `See ${typed} --help.`,
  });
}

/** The command that Commander came to in its words, as it is typed: `kith contacts get`. */
function typedIn(program: Program): string {
  const [word = ''] = program.args;
  const next = program.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
  return next ? `${program.name()} ${typedIn(next)}` : program.name();
}

/** Whether failures are to be told as JSON, also when the command line cannot be read. */
function wantsJson(flags: readonly string[]): boolean {
  return (
    flags.includes('--json') ||
    flags.some(
      (word, index) => word === '--format=json' || (word === '--format' && flags[index + 1] === 'json'),
    )
  );
}
