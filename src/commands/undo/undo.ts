import { defineCommand } from '../../cli/command/command.ts';
import { createFlag } from '../../cli/command/options.ts';
import { Failure } from '../../contract/errors.ts';

/** The common parts of both commands. */
const common = {
  output: { text: ['revert', 'import-revert', 'recorded-command[]'] },
  effects: 'deletes',
  recording: 'own',
  exitCodes: [6],
} as const;

const numberArgument = {
  number: { summary: 'Number of the command, from `kith undo --list`', isOptional: true },
} as const;

/** @throws {Failure} usage */
function parseNumber(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,14}$/.test(text))
    return text === undefined ? undefined : Number(text);
  throw new Failure('usage', `NUMBER: "${text}" is not a number.`, { hint: 'Numbers: kith undo --list' });
}

export const undo = defineCommand({
  ...common,
  name: 'undo',
  summary: 'Revert the last command that changed the workspace',
  description:
    'Revert the last recorded command that created, updated or deleted records in the workspace. kith shows the ' +
    'changes and asks first. If a record has changed since, nothing is undone. A deleted record gets a new id. ' +
    'Run it again to revert the previous command, or to continue an interrupted undo. See kith help records.',
  args: numberArgument,
  options: { list: createFlag('List the recorded commands instead') },
  readsOnly: ({ list }) => list === true,
  describeInteraction: ({ list }, { yes, dryRun }) =>
    yes || dryRun || list ? undefined : 'asks before it writes: add --yes',
  examples: ['undo', 'undo --dry-run', 'undo --list', 'undo --yes --json'],
  async run(session, { list, number }) {
    const parsed = parseNumber(number);
    if (list && parsed !== undefined)
      throw new Failure('usage', 'NUMBER and --list cannot be used together.');
    const { listRecorded, revertLast } = await import('./revert-last.ts');
    return list ? listRecorded(session) : revertLast(session, 'undo', parsed);
  },
});

export const redo = defineCommand({
  ...common,
  name: 'redo',
  summary: 'Revert the last undo',
  description:
    'Revert the last `kith undo`, if no other command has changed the workspace since. kith shows the changes and asks ' +
    'first. If a record has changed since the undo, nothing is written. If a later command is not recorded, --yes ' +
    'requires the NUMBER of the undo.',
  args: numberArgument,
  describeInteraction: (_, { yes, dryRun }) =>
    yes || dryRun ? undefined : 'asks before it writes: add --yes',
  examples: ['redo', 'redo --dry-run'],
  run: async (session, { number }) =>
    (await import('./revert-last.ts')).revertLast(session, 'redo', parseNumber(number)),
});
