import type { AnyCommand, CommandInput } from '../command/command.ts';
import type { Session } from '../command/context.ts';

/**
 * Replaces the words in the input of a command that name records by ids.
 * @throws {Failure} not_found, or usage if several records match
 */
export async function resolveInput(
  session: Session,
  command: Pick<AnyCommand, 'args' | 'options'>,
  input: CommandInput,
): Promise<CommandInput> {
  const { args = {}, options = {} } = command;
  const named = Object.keys(args).filter((name) => args[name]?.names);
  const referring = Object.keys(options).filter((name) => options[name]?.reference);
  if ([...named, ...referring].every((name) => input[name] === undefined)) return input;
  const { resolveWords } = await import('./resolve-words.ts');
  return resolveWords(session, command, input);
}
