import { CommanderError, Command as Program } from 'commander';
import { serve } from './commands/serve.ts';
import { ClosedPipe, type Context } from './context.ts';
import { failureOf } from './failure.ts';
import { globalOptions } from './globals.ts';
import { groups } from './groups.ts';
import { topics } from './help.ts';
import { addOptions, mountCommand, mountGroup, type OnCommand } from './mount.ts';
import { startRun } from './session.ts';

/** Runs one command line (without `node` and the program's name) and gives its exit code. Never throws. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  const current = startRun(context);
  const said: string[] = [];
  try {
    const topic = argv[0] === 'help' ? topics[argv[1] ?? ''] : undefined;
    if (topic !== undefined) said.push(topic());
    else {
      const program = programFor(context, said, async ({ command, input, globals }) => {
        const session = current.with(globals);
        const answer = await command.run(session, input);
        const { printAnswer } = await import('./print.ts');
        await printAnswer(answer, session);
        if (answer.failure) throw answer.failure;
      });
      await parse(program, argv[0] === 'help' ? helpFor(program, argv.slice(1)) : argv);
    }
    await current.stdout.write(said.join(''));
    return 0;
  } catch (error) {
    if (error instanceof ClosedPipe) return 0;
    const failure = failureOf(error, context.signal);
    const { printFailure } = await import('./print.ts');
    await printFailure(failure, {
      ...current,
      env: context.env,
      color: !argv.includes('--no-color'),
      json: wantsJson(argv),
      debug: argv.includes('--debug'),
    });
    return failure.exit;
  } finally {
    await current.close();
  }
}

/** The program with every noun, and the verbs of the one that is typed; help and version go to `said`. */
function programFor(context: Context, said: string[], onCommand: OnCommand): Program {
  const say = (text: string) => said.push(text);
  const program = new Program('kith')
    .description('A relationship-management workspace in your terminal.')
    .usage('<noun> <verb> [ids...] [flags]')
    .version(context.version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true, helpWidth: context.stdout.columns ?? 100 })
    .configureOutput({ writeOut: say, writeErr: say, outputError: () => {} })
    .exitOverride()
    .addHelpText(
      'after',
      '\nkith help exit-codes    what each exit code means\nkith help NOUN VERB     help for one command',
    );
  addOptions(program, globalOptions);
  const nouns = new Map(groups.map((group) => [mountGroup(program, group), group]));
  mountCommand(program, serve, context, onCommand);
  program.hook('preSubcommand', async (_, typed) => {
    const commands = (await nouns.get(typed)?.commands()) ?? [];
    for (const command of commands) mountCommand(typed, command, context, onCommand);
  });
  return program;
}

/** `kith help NOUN VERB` as `kith NOUN VERB --help`; a noun that there is not stays the complaint that it is. */
function helpFor(program: Program, words: readonly string[]): readonly string[] {
  const [noun] = words;
  const isKnown = program.commands.some(
    (known) => known.name() === noun || known.aliases().includes(noun ?? ''),
  );
  return isKnown || noun === undefined ? [...words, '--help'] : [noun];
}

/** Reads and runs. Help and version are no failures, nor is a noun without a verb: it gets its help. */
async function parse(program: Program, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    const isHelp =
      error instanceof CommanderError && /^commander\.(help|helpDisplayed|version)$/.test(error.code);
    if (!isHelp) throw error;
  }
}

/** Whether failures are to be told as JSON, also when the command line cannot be read. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  return (
    flags.includes('--json') ||
    flags.some(
      (word, index) => word === '--format=json' || (word === '--format' && flags[index + 1] === 'json'),
    )
  );
}
