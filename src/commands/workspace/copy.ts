import { defineCommand } from '../../cli/command/command.ts';
import { createFlag, createIntegerOption } from '../../cli/command/options.ts';
import { isArchiveWord } from './place.ts';

export const workspaceCopy = defineCommand({
  name: 'copy',
  output: { records: ['copied-table[]', 'incomplete-copy', 'merged-copy', 'backup-result', 'planned-copy'] },
  effects: 'updates',
  recording: 'own',
  isFileBased: true,
  isWorkspaceOptional: true,
  exitCodes: [6],
  readsOnly: ({ to }) => isArchiveWord(String(to)),
  summary: 'Copy a workspace to another one, or to an archive',
  description:
    'Copy a workspace to another one, or to an archive. FROM and TO are profiles, workspace files, PostgreSQL ' +
    'URLs or archives. A copy to an empty workspace keeps all ids; another copy matches records and adds only ' +
    'missing values. Run an interrupted copy again. See kith help backup.',
  args: {
    from: { summary: 'Profile, workspace file, PostgreSQL URL or archive to copy', completion: 'files' },
    to: { summary: 'Profile, workspace file, PostgreSQL URL or archive to write', completion: 'files' },
  },
  options: {
    verbose: createFlag('Print each record instead of counts'),
    concurrency: createIntegerOption(
      'Maximum number of records written at once (default 4; 1 for a workspace file)',
      'N',
      1,
      32,
    ),
  },
  examples: [
    'workspace copy demo.sqlite postgres://kith@db.example.com/kith',
    'workspace copy demo.sqlite copy.sqlite',
    'workspace copy kith-backup restored.sqlite',
    'workspace copy demo.sqlite kith-backup/',
    'workspace copy kith-backup staging --dry-run --verbose',
  ],
  run: async (session, input) => (await import('./copy-place.ts')).copyPlace(session, input),
});
