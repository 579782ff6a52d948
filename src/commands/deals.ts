import type { AnyCommand, CommandInput } from '../cli/command/command.ts';
import type { Session } from '../cli/command/context.ts';
import { createTextOption } from '../cli/command/options.ts';
import { stdinWord } from '../cli/flags/bulk.ts';
import { isEntryKey } from '../cli/flags/references.ts';
import { resolveInput } from '../cli/references/resolve-input.ts';
import { entries } from './entries.ts';
import { lists } from './lists.ts';

const meaning = 'Process, by id or name (default: that of `kith config set process`, or the only one)';

/** Examples of the commands whose examples name a list. */
const examples: Readonly<Record<string, readonly string[]>> = {
  list: [
    'deals list --process "Sales pipeline" --overdue',
    'deals list --process "Sales pipeline" --status Proposal --assignee mina@tidewater.example',
  ],
  get: ['deals get DEAL-1 --json'],
  show: ['deals show DEAL-1', 'deals DEAL-1'],
  add: [
    'deals add --process "Sales pipeline" --organization rl16pk --status Qualified --one-time-value 1200.50',
  ],
  update: ['deals update DEAL-1 --status Won'],
  move: ['deals move DEAL-1 Won'],
  edit: ['deals edit DEAL-1'],
  delete: ['deals delete DEAL-1 --yes'],
  import: ['deals import deals.csv --process "Sales pipeline" --dry-run'],
  report: [
    'report "Sales pipeline"',
    'report "Sales pipeline" --open --by month --html forecast.html',
    'report "Sales pipeline" --format csv',
  ],
};

/** Defines the command of a process that runs a command of `entries` or `lists`, without the argument for the list. */
function toProcessCommand(command: AnyCommand): AnyCommand {
  const { list, ...args } = command.args ?? {};
  const { run, form, name } = command;
  // The command resolves its words, because the process is not an argument.
  const own = Object.entries(args).map(([name, { names: _, ...argument }]) => [name, argument]);
  const isReport = name === 'report';
  const complete = async (session: Session, { process, ...input }: CommandInput) =>
    resolveInput(session, command, { ...input, list: process ?? (await findImpliedProcess(session, input)) });
  return {
    ...command,
    args: isReport
      ? { process: { summary: meaning, completion: 'lists', isOptional: true } }
      : Object.fromEntries(own),
    options: {
      ...(!isReport && { process: createTextOption(meaning, 'ID|NAME', { completion: 'lists' }) }),
      ...command.options,
    },
    examples: examples[name] ?? [],
    run: async (session, input) => run(session, await complete(session, input)),
    ...(form && { form: async (session, input) => form(session, await complete(session, input)) }),
  };
}

/** Returns the process of a command; undefined if the keys of entries, or the ids on stdin, decide it. */
async function findImpliedProcess(session: Session, { id, where }: CommandInput) {
  const words = [id ?? []].flat().map(String);
  const isKnown = words.length > 0 && words.every((word) => word === stdinWord || isEntryKey(word));
  if (isKnown && where === undefined) return undefined;
  return (await import('../cli/references/find-process.ts')).findProcess(session);
}

const find = (commands: readonly AnyCommand[], name: string) =>
  commands.filter((command) => command.name === name).map(toProcessCommand);

/** The report on a process, as a command without a noun. */
export const report = find(lists, 'report');

const [update] = find(entries, 'update');

export const deals: readonly AnyCommand[] = [
  ...entries.map(toProcessCommand),
  ...(update ? [toMove(update)] : []),
  ...report,
];

/** Defines the update of only the status. */
function toMove({ args = {}, options = {}, run, ...update }: AnyCommand): AnyCommand {
  const { process } = options;
  return {
    ...update,
    name: 'move',
    summary: 'Change the status of a deal',
    description: 'Change the status of a deal. - moves the deals whose ids or keys are on stdin.',
    args: { ...args, status: { summary: 'Status', completion: 'statuses' } },
    options: { ...(process && { process }) },
    rules: [],
    examples: examples.move ?? [],
    run,
  };
}
