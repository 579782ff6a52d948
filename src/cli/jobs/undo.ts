import { defineCommand } from '../command.ts';

export const undo = defineCommand({
  name: 'undo',
  summary: 'Revert the last command that changed the workspace',
  description:
    'Revert the last command that created, updated or deleted records in the workspace. kith shows the changes and ' +
    'asks first. If a record has changed since the command, nothing is undone. A deleted record is created again with a ' +
    'new id. A second `kith undo` reverts the undo, or continues it if it was interrupted. Only commands of the last ' +
    '30 days on this machine can be undone. `kith config set undo off` stops recording changes.',
  output: 'text',
  isWrite: true,
  hasOwnUndo: true,
  isFileBased: true,
  describeInteraction: (_, { yes, dryRun }) =>
    yes || dryRun ? undefined : 'asks before it writes: add --yes',
  examples: ['undo', 'undo --dry-run', 'undo --yes --json'],
  run: async (session) => (await import('./undo-job.ts')).undoLastCommand(session),
});
