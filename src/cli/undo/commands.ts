import { defineCommand } from '../command/command.ts';
import { createFlag } from '../flags/options.ts';

/** The common parts of both commands. */
const common = {
  output: 'text',
  isWrite: true,
  hasOwnUndo: true,
  mayDelete: true,
  mayFailPartly: true,
} as const;

export const undo = defineCommand({
  ...common,
  name: 'undo',
  summary: 'Revert the last command that changed the workspace',
  description:
    'Revert the last recorded command that created, updated or deleted records in the workspace. Run it again to ' +
    'revert the previous command. kith shows the changes and asks first. If a record has changed since the command, ' +
    'nothing is undone. A deleted record is created again with a new id. If an undo is interrupted, the next one continues it. ' +
    'The last 100 commands of a workspace are kept on this machine: commands in a terminal, imports, merges and ' +
    'writes by agents. `kith config set undo on` records the commands of scripts too.',
  options: { list: createFlag('List the recorded commands instead') },
  readsOnly: ({ list }) => list === true,
  describeInteraction: ({ list }, { yes, dryRun }) =>
    yes || dryRun || list ? undefined : 'asks before it writes: add --yes',
  examples: ['undo', 'undo --dry-run', 'undo --list', 'undo --yes --json'],
  async run(session, { list }) {
    const { listRecorded, revertLast } = await import('./revert-last.ts');
    return list ? listRecorded(session) : revertLast(session, 'undo');
  },
});

export const redo = defineCommand({
  ...common,
  name: 'redo',
  summary: 'Revert the last undo',
  description:
    'Revert the last `kith undo`, if no other command has changed the workspace since. kith shows the changes and asks ' +
    'first. If a record has changed since the undo, nothing is written.',
  describeInteraction: (_, { yes, dryRun }) =>
    yes || dryRun ? undefined : 'asks before it writes: add --yes',
  examples: ['redo', 'redo --dry-run'],
  run: async (session) => (await import('./revert-last.ts')).revertLast(session, 'redo'),
});
