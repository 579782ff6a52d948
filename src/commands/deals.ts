import type { AnyCommand, CommandInput } from '../cli/command/command.ts';
import type { Session } from '../cli/command/context.ts';
import { createTextOption } from '../cli/command/options.ts';
import { stdinWord } from '../cli/flags/bulk.ts';
import { isEntryKey } from '../cli/flags/references.ts';
import { resolveInput } from '../cli/references/resolve-input.ts';
import { entries } from './entries.ts';
import { lists } from './lists.ts';

const summary = 'Process: id or name (default: that of `kith config set process`, or the only one)';
const process = createTextOption(summary, 'ID|NAME', { completion: 'lists' });

/** Defines the command of a process that runs a command of `entries` or `lists`, without the argument for the list. */
function toProcessCommand(command: AnyCommand): AnyCommand {
  const { run, form, examples, options } = command;
  const { list: _, ...args } = command.args ?? {};
  // The command resolves its words, because the process is not an argument.
  const ownArgs = Object.entries(args).map(([name, { names: _, ...argument }]) => [name, argument] as const);
  const complete = async (session: Session, { process, ...input }: CommandInput) =>
    resolveInput(session, command, { ...input, list: process ?? (await findImpliedProcess(session, input)) });
  return {
    ...command,
    args: Object.fromEntries(ownArgs),
    options: { process, ...options },
    examples: examples
      .filter((line) => !line.includes('Newsletter'))
      .slice(0, 2)
      .map(toExample),
    run: async (session, input) => run(session, await complete(session, input)),
    ...(form && { form: async (session, input) => form(session, await complete(session, input)) }),
  };
}

const toExample = (line: string) =>
  line.replace(/^\w+ (\w+)( ".*?")?/, (_, verb: string, list = '') =>
    verb === 'report' ? `report${list}` : `deals ${verb}${list && ` --process${list}`}`,
  );

/** Returns the process of a command; undefined if the keys of entries, or the ids on stdin, determine it. */
async function findImpliedProcess(session: Session, { id, where }: CommandInput) {
  const words = [id ?? []].flat().map(String);
  const isKnown = words.length > 0 && words.every((word) => word === stdinWord || isEntryKey(word));
  if (isKnown && where === undefined) return undefined;
  return (await import('../cli/references/find-process.ts')).findProcess(session);
}

/** The report on a process, which is also a command without a noun. */
export const report = lists
  .filter(({ name }) => name === 'report')
  .map((command): AnyCommand => {
    const args = { process: { summary, completion: 'lists', isOptional: true } } as const;
    return { ...toProcessCommand(command), args, options: command.options ?? {} };
  });

const own = entries.map(toProcessCommand);

/** The update of only the status. */
const move = own
  .filter(({ name }) => name === 'update')
  .map(
    ({ args, form: _, ...update }): AnyCommand => ({
      ...update,
      name: 'move',
      summary: 'Change the status of a deal',
      description: 'Change the status of a deal. Pass - to move the deals whose ids or keys are on stdin.',
      args: { ...args, status: { summary: 'Status', completion: 'statuses' } },
      options: { process },
      rules: [],
      examples: ['deals move DEAL-1 Won'],
    }),
  );

export const deals: readonly AnyCommand[] = [...own, ...move, ...report];
