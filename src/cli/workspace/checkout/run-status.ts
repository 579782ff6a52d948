import { Archive } from '../../../archive/archive.ts';
import { Failure } from '../../../contract/errors.ts';
import { createPlainColumn, type View } from '../../../render/views.ts';
import { type CommandResult, toRecordsResult } from '../../command/command.ts';
import type { Session } from '../../command/context.ts';
import { checkDeletionCount } from './deletions.ts';
import { findFormErrors } from './documents.ts';
import { findLocalChanges, type LocalChanges } from './local-changes.ts';
import { LocalFiles } from './local-files.ts';
import { withCurrentArchive } from './read-service.ts';
import { type Definitions, readDefinitions } from './record-files.ts';
import { ServiceComparison } from './service-comparison.ts';
import { listFileRows, readEditedRow, type StatusRow, toStatusRow } from './status-rows.ts';
import { type WorkingCopy, withWorkingCopy } from './working-copy.ts';

const view: View = () => ['state', 'noun', 'id', 'file', 'fields'].map((name) => createPlainColumn(name));

/** Lists the differences between a working copy and the service; `isLocal`: only those in the files. */
export function readStatus(session: Session, path: string, isLocal: boolean): Promise<CommandResult> {
  const work = `is reading the status of ${path}`;
  return withWorkingCopy(session, { path, work }, async (copy) => {
    const files = await LocalFiles.scan(copy.folder, copy.state, session.signal);
    const local = markInvalid(copy, await findLocalChanges(copy, files, session.signal));
    for (const { file, line, message } of local.errors) await session.warn(`${file}:${line}: ${message}`);
    const rows = isLocal
      ? await listLocalRows(session, copy, local, openArchive(copy))
      : await withCurrentArchive(session, copy, async (archive) =>
          new ServiceComparison(session, copy, files, local, archive).listRows(),
        );
    const deleted = new Set(rows.filter(({ state }) => state === 'deleted').map(({ file }) => file));
    const refusal = checkDeletionCount(
      local.deleted.filter(({ entry }) => deleted.has(entry.file)),
      copy,
    );
    if (refusal) await session.note(refusal.message);
    return toRecordsResult(
      rows.toSorted((left, right) => String(left.file).localeCompare(String(right.file))),
      view,
    );
  });
}

/** Moves new files that cannot be read to the errors. */
function markInvalid({ folder }: WorkingCopy, local: LocalChanges): LocalChanges {
  const errors = local.created.flatMap(({ file, noun }) =>
    findFormErrors(noun, folder.read(file) ?? '')
      .slice(0, 1)
      .map(({ line, message }) => ({ file, line, message })),
  );
  const invalid = new Set(errors.map(({ file }) => file));
  return {
    ...local,
    created: local.created.filter(({ file }) => !invalid.has(file)),
    errors: [...local.errors, ...errors],
  };
}

/** Returns the definitions that the last checkout read; empty if it did not read any. */
function openArchive({ archiveFolder }: WorkingCopy): Definitions {
  try {
    const archive = Archive.open(archiveFolder);
    try {
      return readDefinitions(archive);
    } finally {
      archive.close();
    }
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return { customFields: [], lists: new Map() };
    throw error;
  }
}

async function listLocalRows(
  session: Session,
  copy: WorkingCopy,
  local: LocalChanges,
  definitions: Definitions,
): Promise<StatusRow[]> {
  const rows = listFileRows(local);
  for (const edited of local.edited) {
    const row = readEditedRow(copy, edited, definitions);
    if (row.error !== undefined) await session.warn(row.error);
    rows.push(row);
  }
  return rows.map(toStatusRow);
}
