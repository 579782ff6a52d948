import { resolve } from 'node:path';
import type { Client, WriteInterceptor } from '../../client/client.ts';
import { getErrorMessage } from '../../contract/errors.ts';
import { getWorkspaceKey } from '../../settings/connection.ts';
import { resolveDataFolder } from '../../settings/paths.ts';
import { createJournal, hashWorkspace, resolveUndoFolder, type UndoSubject } from '../../undo/journal.ts';
import { createRecorder } from '../../undo/recorder.ts';
import type { ImportModel } from '../command.ts';
import { resolveConnectionWithKey } from '../connect/connection.ts';
import type { Session } from '../context.ts';
import { isUndoOn, readUndoSetting } from '../flags/settings.ts';
import { isInteractive } from '../interaction.ts';

/** The folder of the journals, and the start of the names of those of the workspace in use. */
export async function resolveUndoPlace(session: Session) {
  const connection = await resolveConnectionWithKey(session, session.globals);
  // A base URL may serve many workspaces, but a key only one.
  const key = connection.kind === 'hosted' ? connection.key : '';
  const workspace = hashWorkspace(`${getWorkspaceKey(connection)} ${key}`);
  return { folder: resolveUndoFolder(resolveDataFolder(session.env)), workspace };
}

/** Returns an interceptor that records the writes of a command. It passes them on if the setting is off. */
export async function openRecorder(
  session: Session,
  subject: UndoSubject,
  { client, hasSecret }: { readonly client: Client; readonly hasSecret: (text: string) => boolean },
): Promise<WriteInterceptor> {
  const setting = await readUndoSetting(session);
  if (setting === 'off') return (_, send) => send();
  const { folder, workspace } = await resolveUndoPlace(session);
  return createRecorder({
    client,
    hasSecret,
    // A script that deletes a thousand contacts must not read all lists a thousand times.
    isBrief: setting === undefined && !isInteractive(session),
    open: () => createJournal(folder, workspace, { ...subject, at: session.now().toISOString() }),
    onFailure: (reason) => warnOfFailure(session, reason),
  });
}

/** Records an import, which has its own journal. `model`: the kind of records; undefined for entries. */
export const recordImport = (session: Session, model: ImportModel | undefined, report: string) =>
  recordCommand(session, {
    command: `${model === undefined ? 'entries' : `${model}s`} import`,
    import: resolve(report),
  });

/** Records that a command undid an import, which cannot be reverted. */
export const recordImportUndo = (session: Session, report: string) =>
  recordCommand(session, { command: 'import --undo', undone_import: resolve(report) });

async function recordCommand(session: Session, subject: UndoSubject): Promise<void> {
  if (!(await isUndoOn(session))) return;
  try {
    const { folder, workspace } = await resolveUndoPlace(session);
    createJournal(folder, workspace, { ...subject, at: session.now().toISOString() });
  } catch (error) {
    await warnOfFailure(session, getErrorMessage(error));
  }
}

const warnOfFailure = ({ warn }: Session, reason: string) =>
  warn(`This command is not recorded for \`kith undo\`: ${reason}`);
