import { defineCommand } from '../../cli/command/command.ts';
import { createFlag, createIntegerOption } from '../../cli/command/options.ts';

export const push = defineCommand({
  name: 'push',
  effects: 'deletes',
  isFileBased: true,
  recording: 'own',
  exitCodes: [6],
  describeInteraction: (_, { yes, dryRun }) =>
    yes || dryRun ? undefined : 'asks before it sends changes: add --yes',
  summary: 'Send the changes in the files of a working copy to the service',
  description:
    'Send the changes in the files of a working copy: edited files update their records, files without an id create ' +
    'records, and deleted files delete their records. An entry moves to another status with its file. All files are ' +
    'checked first, and nothing is sent if a file has an error. A record that changed both in its file and on the service, ' +
    'in any fields, is a conflict and is not sent, unless both sides made the same change. To continue an interrupted ' +
    'push, run the command again. `kith undo` reverts a push.',
  args: { dir: { summary: 'Working copy (default .)', completion: 'folders', isOptional: true } },
  examples: ['workspace push crm --dry-run', 'workspace push crm --yes'],
  options: {
    delete: createIntegerOption(
      'Number of deleted files; required for more than three files that are more than 10 % of a kind, or for all files of a folder',
      'N',
      1,
    ),
    overwrite: createFlag('Send conflicts too: the values in the files replace the values on the service'),
  },
  run: async (session, { dir = '.', ...flags }) =>
    (await import('./push/run-push.ts')).pushFolder(session, dir, flags),
});
