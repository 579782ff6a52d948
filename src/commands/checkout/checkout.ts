import { defineCommand, toMessageResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { createFlag, createIntegerOption, type Option } from '../../cli/command/options.ts';
import { requireValue } from '../../contract/field-types.ts';
import { resolveHomeFolder } from '../../settings/paths.ts';
import { formatCount, formatInteger, quoteShellWord } from '../../values/text.ts';
import { type TopFolder, topFolders } from './places.ts';
import type { UpdateResult } from './update-folder.ts';

/** Limits a checkout to folders. */
const onlyOption: Option<readonly TopFolder[] | undefined> = {
  summary: 'Only these folders, comma-separated:',
  placeholder: 'FOLDERS',
  choices: topFolders,
  parse(text) {
    const words = text
      .split(',')
      .map((word) => requireValue(word.trim(), { type: 'select', options: topFolders }));
    return topFolders.filter((folder) => words.includes(folder));
  },
};

export const checkout = defineCommand({
  name: 'checkout',
  output: { text: ['checkout-result'] },
  isFileBased: true,
  effects: 'prunes',
  writingFlags: ['yes'],
  exitCodes: [6],
  summary: 'Write the records of a workspace as files, or bring the files up to date',
  description:
    'Write one YAML file for each contact, organization, list, entry and custom field, and Markdown files for ' +
    'notes and meetings. Edit them, and send the changes with `kith workspace push`. Run it again to update the ' +
    'files that you have not edited or deleted. In Git, each clone needs its own checkout, because the state ' +
    'in .kith is ignored.',
  args: { dir: { summary: 'Working copy (created if missing)', completion: 'folders' } },
  options: {
    only: onlyOption,
    overwrite: createFlag('Replace files that you edited, and restore files that you deleted'),
    force: createFlag('Allow a new working copy in a folder with other files'),
  },
  examples: ['workspace checkout crm', 'workspace checkout crm --only contacts,lists'],
  async run(session, { dir: path, only, overwrite, force }) {
    const { checkNewFolder, withWorkingCopy } = await import('./working-copy.ts');
    checkNewFolder(path, resolveHomeFolder(session.runtime.env), force);
    const work = `is checking out to ${path}`;
    const result = await withWorkingCopy(session, { path, work, isNew: true }, async (copy) => {
      const { updateWorkingCopy } = await import('./read-service.ts');
      const scope = only ?? (copy.state.only.length > 0 ? copy.state.only : topFolders);
      return updateWorkingCopy(session, copy, { only: scope, overwrite });
    });
    await noteLocalChanges(session, path, result);
    const { counts, edited, deleted, conflicts, failure } = result;
    const json = { ...counts, files: { edited, deleted, conflict: conflicts } };
    return { ...toMessageResult(session, `${path}: ${formatCounts(result)}\n`, json), failure };
  },
});

function formatCounts({ counts }: UpdateResult): string {
  const { unchanged, ...others } = counts;
  const parts = Object.entries(others).flatMap(([name, count]) =>
    count > 0 ? [name === 'conflict' ? formatCount(count, name) : `${formatInteger(count)} ${name}`] : [],
  );
  return [...parts, `${formatInteger(unchanged)} unchanged`].join(', ');
}

async function noteLocalChanges(session: Session, path: string, result: UpdateResult): Promise<void> {
  const { edited, deleted, conflicts } = result;
  const folder = quoteShellWord(path);
  for (const file of conflicts)
    await session.messages.warn(
      `${file}: changed in the file and on the service; kith did not overwrite the file.`,
    );
  if (edited.length + deleted.length > 0)
    await session.messages.note(
      `${formatCount(edited.length + deleted.length, 'file has', 'files have')} changes to send. To list the changes: kith workspace status ${folder}`,
    );
}

export const status = defineCommand({
  name: 'status',
  output: { records: ['file-status[]'] },
  isFileBased: true,
  summary: 'List the files of a working copy that differ from the service',
  description:
    'List the changes in the files of a working copy (edited, new, deleted), the changes on the service since the last ' +
    'checkout (changed, added, removed), and the records that changed on both sides (conflict). A file that cannot be ' +
    'read is invalid. Reads all records of the workspace; --local compares only the files. Exits with 0 even if there ' +
    'are differences.',
  args: { dir: { summary: 'Working copy (default .)', completion: 'folders', isOptional: true } },
  options: { local: createFlag('Compare only the files, without reading the service') },
  examples: ['workspace status crm', 'workspace status crm --local --json'],
  run: async (session, { dir = '.', local }) => (await import('./status.ts')).readStatus(session, dir, local),
});

export const push = defineCommand({
  name: 'push',
  output: { records: ['pushed-file[]', 'request', 'request[]'] },
  effects: 'deletes',
  isFileBased: true,
  recording: 'own',
  exitCodes: [6],
  describeInteraction: (_, { yes, dryRun }) =>
    yes || dryRun ? undefined : 'asks before it sends changes: add --yes',
  summary: 'Send the changes in the files of a working copy to the service',
  description:
    'Send the changes in the files of a working copy: edited files update their records, files without an id ' +
    'create records, and deleted files delete their records. If a file has an error, nothing is sent. A record ' +
    'that changed on both sides is a conflict and is not sent. To continue an interrupted push, run the command ' +
    'again. `kith undo` reverts a push.',
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
