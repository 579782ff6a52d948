import { defineCommand } from '../../cli/command/command.ts';
import { createFlag, createIntegerOption } from '../../cli/command/options.ts';
import { isArchiveWord } from './place.ts';

export const workspaceCopy = defineCommand({
  name: 'copy',
  effects: 'updates',
  recording: 'own',
  isFileBased: true,
  isWorkspaceOptional: true,
  exitCodes: [6],
  readsOnly: ({ to }) => isArchiveWord(String(to)),
  summary: 'Copy a workspace to another one, or to an archive',
  description:
    'Copy a workspace to another one, or to an archive. FROM and TO are profiles, workspace files, PostgreSQL URLs, ' +
    'or archives (a folder, or a .tar.gz file). A copy to an empty or missing file or database keeps all ids, keys ' +
    'and times; between files and databases it also keeps the API keys. If such a copy fails or is interrupted, TO is ' +
    'unchanged. FROM may be in use: the copy holds one moment of it. To move a workspace, stop its servers first. A copy to an ' +
    'archive is a backup. Any other copy adds the records to the workspace TO through its API: custom fields and ' +
    'lists are matched by name, organizations by domain and name, contacts by email and phone, entries and notes by ' +
    'their record and values. A matched record only gets missing values; its other values stay. Meetings, recordings, ' +
    'and fields that the API cannot write are not copied; a warning names them first. Run an interrupted copy again ' +
    'to continue it; `kith undo` with the profile TO reverts it. The output counts the records for each action: create, ' +
    'update, same (nothing to add), skip (not copied) and fail. The column kept counts the values that differ in TO.',
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
