import type { Archive } from '../../archive/archive.ts';
import { type CommandResult, toRecordsResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { createPlainColumn, type View } from '../../render/columns.ts';
import { checkDeletionCount } from './deletions.ts';
import { findLocalChanges, type LocalChanges } from './local-changes.ts';
import { LocalFiles } from './local-files.ts';
import { type ReadChanges, readChanges } from './read-changes.ts';
import { withCurrentArchive, withLastArchive } from './read-service.ts';
import { readDefinitions } from './record-files.ts';
import { compareWithService } from './service-comparison.ts';
import { listFileRows, type StatusRow, toEditedRow } from './status-rows.ts';
import { type WorkingCopy, withWorkingCopy } from './working-copy.ts';

const view: View = () => ['state', 'noun', 'id', 'file', 'fields'].map((name) => createPlainColumn(name));

/** Lists the differences between a working copy and the service; `isLocal`: only those in the files. */
export function readStatus(session: Session, path: string, isLocal: boolean): Promise<CommandResult> {
  const work = `is reading the status of ${path}`;
  return withWorkingCopy(session, { path, work }, async (copy) => {
    const files = await LocalFiles.scan(copy.folder, copy.state, session.signal);
    const local = await findLocalChanges(copy, files, session.signal);
    const read = async (archive: Archive | undefined) => {
      const definitions = archive ? readDefinitions(archive) : { customFields: [], lists: new Map() };
      const changes = await readChanges(session, copy, local, definitions, isLocal);
      for (const { file, line, message } of changes.errors)
        await session.messages.warn(`${file}:${line}: ${message}`);
      return { ...changes, copy, files, local };
    };
    const rows = isLocal
      ? listLocalRows(copy, await withLastArchive(copy, read))
      : await withCurrentArchive(session, copy, async (archive) =>
          compareWithService(await read(archive), archive, session.signal),
        );
    const deleted = new Set(rows.filter(({ state }) => state === 'deleted').map(({ file }) => file));
    const refusal = checkDeletionCount(
      local.deleted.filter(({ entry }) => deleted.has(entry.file)),
      copy,
    );
    if (refusal) await session.messages.note(refusal.message);
    return toRecordsResult(
      rows.toSorted((left, right) => String(left.file).localeCompare(String(right.file))),
      view,
    );
  });
}

function listLocalRows(
  { state }: WorkingCopy,
  { local, edited, errors }: ReadChanges & { readonly local: LocalChanges },
): StatusRow[] {
  const rows = edited.map((record) => toEditedRow(record, state.read(record.entry).record));
  return [...listFileRows(local, errors), ...rows];
}
