import type { Archive } from '../../archive/archive.ts';
import type { Session } from '../../cli/command/context.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import type { RestoreSummary } from '../../contract/workspace.ts';
import { formatNoun } from './place.ts';

/**
 * Stores the records of an archive in an empty workspace file or PostgreSQL database, with their ids, keys and times. A
 * missing file is created. The new workspace has the identity of the archive's workspace, if it was a local one.
 * @throws {Failure} as `restore` of the service does
 */
export async function restoreArchive(
  session: Session,
  archive: Archive,
  location: string,
): Promise<RestoreSummary> {
  const { identity, files } = archive.manifest;
  const source = {
    identity: 'id' in identity && identity.id !== '' ? identity.id : undefined,
    read: archive.records.bind(archive),
  };
  const workspace = await session.services.workspace();
  return withProgress(session, (update) =>
    workspace.restore(
      location,
      source,
      (noun, done) =>
        update({ verb: `Restoring ${formatNoun(noun)}`, done, total: files[noun].records, unit: 'record' }),
      session.signal,
    ),
  );
}
