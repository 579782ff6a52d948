import { defineCommand, toMessageResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { createFlag } from '../../cli/command/options.ts';
import { resolveHomeFolder } from '../../settings/paths.ts';
import { formatCount, formatInteger, quoteShellWord } from '../../values/text.ts';
import { topFolders } from './folders.ts';
import { onlyOption } from './only-option.ts';
import type { UpdateResult } from './update-folder.ts';

export const checkout = defineCommand({
  name: 'checkout',
  output: 'text',
  isFileBased: true,
  effects: 'prunes',
  writingFlags: ['yes'],
  exitCodes: [6],
  summary: 'Write the records of a workspace as files, or bring the files up to date',
  description:
    'Write one YAML file for each contact, organization, list, entry and custom field, and Markdown files for notes and ' +
    'meetings. Edit them, and send the changes with `kith workspace push`. Run the command again to bring the files up to ' +
    'date: files that you edited or deleted are left as they are. The folder contains no key and works in Git; each clone ' +
    'needs its own checkout, because Git ignores the state in .kith.',
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
