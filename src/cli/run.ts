import { ClosedPipeError, Failure } from '../contract/errors.ts';
import { findEntry, type ParsedCommand } from './command/command.ts';
import type { Context, Session } from './command/context.ts';
import { needsWorkspace, plansWrites } from './command/effects.ts';
import { isInteractive } from './command/interaction.ts';
import { hasFlags } from './command/options.ts';
import { isFirstRun } from './connect/connection.ts';
import { redactMistypedKeys } from './connect/secrets.ts';
import { applyDefaultFormat } from './connect/settings.ts';
import { homeLine, topics } from './help/help.ts';
import { defaultHelpWidth } from './mount.ts';
import { parseWords } from './parse.ts';
import { checkGuards, resolveInput } from './references/resolve-input.ts';
import { createRun, type Run } from './run-resources.ts';
import { createSession, toRunFailure } from './session.ts';
import { expandHelpWords, expandWords } from './words.ts';

/** Runs one command line (without `node` and the name of the program) and returns its exit code. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  let words = argv;
  const current = createRun(context, () => words);
  const { signal, forcedExit } = context.runtime;
  try {
    const work = async () => {
      words = await expandWords(argv, context);
      await runCommandLine(words, current);
    };
    await Promise.race([work(), forcedExit]);
    return 0;
  } catch (error) {
    if (error instanceof ClosedPipeError && !signal.aborted) return 0;
    const failure = toRunFailure(error, signal);
    const { printFailure } = await import('./print/print-failure.ts');
    await printFailure(redactMistypedKeys(failure), { ...context, streams: current.streams }, current);
    return failure.exit;
  } finally {
    await current.close();
  }
}

async function runCommandLine(argv: readonly string[], current: Run): Promise<void> {
  const { context, streams } = current;
  const [first, name = '', verb] = argv;
  // `agents` is a guide and a noun.
  const entry = findEntry(context.services.tree, name);
  if (first === 'help' && Object.hasOwn(topics, name) && (verb === undefined || !entry)) {
    const width = streams.stdout.columns ?? defaultHelpWidth;
    const text = await topics[name]?.text({ ...context.services, width });
    const commandsLine = entry ? `Commands: kith ${entry.name} --help\n\n` : '';
    const { openResultOutput } = await import('./print/paging.ts');
    const { output, close } = openResultOutput({ ...context, streams, signal: context.runtime.signal });
    return output.write(`${commandsLine}${text}\n${homeLine}\n`).finally(close);
  }
  const login = argv.length === 0 ? (await parseWords(['auth', 'login'], current)).parsed : undefined;
  if (login) {
    const session = createSession(current, login);
    if (await isFirstRun(session)) return runCommand(login, session);
  }
  const expandedWords = await expandHelpWords(context.services.tree, argv);
  const { help, parsed } = await parseWords(expandedWords, current, true);
  if (!parsed) {
    const isText = !expandedWords.some((word) => /^--(?:json|jq|format)\b/.test(word));
    const { toCommandsLine } = isText ? {} : await import('./help/help-command.ts');
    const line = await toCommandsLine?.(context.services.tree, expandedWords);
    return line ? runCommandLine(line, current) : streams.stdout.write(help);
  }
  const globals = await applyDefaultFormat(parsed, { ...context, globals: parsed.globals });
  const complete = { ...parsed, globals };
  if (globals.output === undefined || globals.output === '-')
    return runCommand(complete, createSession(current, complete));
  const { output, commit, discard } = await current.openFile(globals.output);
  const fileContext = { ...current, streams: { ...streams, stdout: output } };
  try {
    await runCommand(complete, createSession(fileContext, complete), commit);
  } finally {
    discard();
  }
}

/** Runs a command. The failure of a lost write says how to look for the record, and that of a read names the mirror. */
export async function runCommand(
  parsed: ParsedCommand,
  session: Session,
  onPrinted?: () => void,
): Promise<void> {
  try {
    await printCommand(parsed, session, onPrinted);
  } catch (error) {
    if (error instanceof Failure && error.code === 'network')
      throw await (await import('./connect/offline-hint.ts')).addOfflineHint(session, error);
    if (!(error instanceof Failure) || error.code !== 'unknown') throw error;
    const { addLookupCommand } = await import('./writes/lost-write.ts');
    throw addLookupCommand(session, error);
  }
}

/** Runs a command and prints its result, then calls `onPrinted`, also if the result reports a failure. */
async function printCommand(parsed: ParsedCommand, session: Session, onPrinted?: () => void): Promise<void> {
  const { command, input, globals, missing } = parsed;
  await checkGuards(session, command, input);
  const { runSession, printSession } =
    globals.after === undefined
      ? { runSession: session, printSession: session }
      : (await import('./print/list-position.ts')).continueList(session, globals.after, parsed);
  // An invalid jq expression is reported before anything is sent, not after a write.
  if (globals.jq !== undefined) await (await session.services.worker()).checkJq(globals.jq);
  if (needsWorkspace(command) && (await isFirstRun(session))) {
    const { signIn } = await import('./connect/login.ts');
    await session.messages.note((await signIn(session)).text);
  }
  const pickedValues = missing
    ? await (await import('./references/pick-arguments.ts')).pickArguments(session, command, input, missing)
    : input;
  const complete = await resolveInput(session, command, pickedValues);
  const { form, options = {} } = command;
  const hasMoments = Object.values(complete).some((value) => typeof value === 'function');
  if (hasMoments && session.streams.stdout.isTerminal)
    await (await import('./flags/moment.ts')).noteWeekdays(session, complete);
  const opensForm = form && !hasFlags(options, complete) && isInteractive(runSession);
  const result = await (opensForm ? form(runSession, complete) : command.run(runSession, complete));
  const isWritten = plansWrites(command) && !result.isReadOnly;
  const { printResult } = await import('./print/print.ts');
  try {
    await printResult(result, printSession, isWritten);
    onPrinted?.();
  } catch (error) {
    // A closed pipe must not hide the failure of the command.
    if (result.failure || error instanceof ClosedPipeError) throw result.failure ?? error;
    // The records of a list are still being read while it is printed.
    const isComplete = isWritten && !globals.dryRun && result.kind !== 'records';
    if (!isComplete) throw error;
    // A failed print after a completed write must not look like a failed write.
    const { code, message, detail } = toRunFailure(error, session.signal);
    throw new Failure(code, `${message} The command itself has completed.`, detail);
  }
  if (result.failure) throw result.failure;
}
