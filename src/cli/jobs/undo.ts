import { defineCommand } from '../command.ts';

export const undo = defineCommand({
  name: 'undo',
  summary: 'Revert the last command that changed the workspace',
  description:
    'Revert the last command of the profile that created, updated or deleted records. kith shows the changes and asks ' +
    'first. If a record has changed since, nothing is done. A deleted record is created again with a new id. A second ' +
    '`kith undo` reverts the undo; after an interruption it continues. Only commands that ran on this machine in ' +
    'the last 30 days are recorded. `kith config set undo off` stops the recording.',
  output: 'text',
  isWrite: true,
  hasOwnUndo: true,
  isFileBased: true,
  describeInteraction: (_, { yes, dryRun }) =>
    yes || dryRun ? undefined : 'asks before it writes: add --yes',
  examples: ['undo', 'undo --dry-run', 'undo --yes --json'],
  run: async (session) => (await import('./undo-job.ts')).undoLastCommand(session),
});
