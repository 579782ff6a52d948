import type { AnyCommand, CommandInput } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import type { CommandEffects } from '../command/effects.ts';

/** Refuses a command that a guard forbids, before it sends a request. @throws {Failure} blocked */
export async function checkGuards(
  { call: { commandLine }, guards, globals }: Session,
  command: CommandEffects,
  input: CommandInput,
): Promise<void> {
  if (!globals.dryRun) await guards.checkCommand(command, input, commandLine?.path);
}

/**
 * Checks the guards of a command, and replaces the words in the input of a command that name records by ids.
 * @throws {Failure} blocked, not_found, or usage if several records match
 */
export async function resolveInput(
  session: Session,
  command: Pick<AnyCommand, 'args' | 'options'> & CommandEffects,
  input: CommandInput,
): Promise<CommandInput> {
  await checkGuards(session, command, input);
  const { args = {}, options = {} } = command;
  const named = Object.keys(args).filter((name) => args[name]?.names);
  const referring = Object.keys(options).filter((name) => options[name]?.reference);
  if ([...named, ...referring].every((name) => input[name] === undefined)) return input;
  const { resolveWords } = await import('./resolve-words.ts');
  return resolveWords(session, command, input);
}
