import { resolve } from 'node:path';
import { History } from '../../changes/history.ts';
import { ChangeLog, type LoggedCommand, type LogSubject, resolveLogFolder } from '../../changes/log.ts';
import { Recorder } from '../../changes/recorder.ts';
import type { Client } from '../../client/client.ts';
import { getWorkspaceKey } from '../../settings/connection.ts';
import { resolveDataFolder } from '../../settings/paths.ts';
import { resolveConnectionWithKey } from '../connect/connection.ts';
import type { Session } from '../context.ts';
import { readUndoSetting } from '../flags/settings.ts';
import { isInteractive } from '../interaction.ts';

/** Returns the folder with the logs of the workspace in use. */
export async function resolveWorkspaceLogs(session: Session): Promise<string> {
  const connection = await resolveConnectionWithKey(session, session.globals);
  // A base URL may serve many workspaces, but a key only one.
  const key = connection.kind === 'hosted' ? connection.key : '';
  return resolveLogFolder(resolveDataFolder(session.env), `${getWorkspaceKey(connection)} ${key}`);
}

/** The client and the secrets of a recorder. */
interface RecorderDependencies {
  readonly client: Client;
  readonly hasSecret: (text: string) => boolean;
}

/** Opens the recorder of a command whose log is needed to continue it. `interrupted`: the run that it continues. */
export async function openRequiredRecorder(
  session: Session,
  subject: LogSubject,
  { client, hasSecret }: RecorderDependencies,
  interrupted?: LoggedCommand,
): Promise<Recorder> {
  const folder = await resolveWorkspaceLogs(session);
  const at = session.now().toISOString();
  return new Recorder({
    client,
    hasSecret,
    isRequired: true,
    open: () =>
      interrupted ? ChangeLog.continue(interrupted) : ChangeLog.create(folder, { ...subject, at }),
    onFailure: async () => {},
    onLoss: (sentence) => session.warn(sentence),
  });
}

/**
 * Opens the recorder of any other command; undefined if its writes are not recorded. `isByDefault`: whether they are if
 * the setting is `auto`.
 */
export async function openRecorder(
  session: Session,
  subject: LogSubject,
  { client, hasSecret }: RecorderDependencies,
  isByDefault?: boolean,
): Promise<Recorder | undefined> {
  if (!(await isRecorded(session, isByDefault))) return undefined;
  const folder = await resolveWorkspaceLogs(session);
  const at = session.now().toISOString();
  return new Recorder({
    client,
    hasSecret,
    isRequired: false,
    open: () => ChangeLog.create(folder, { ...subject, at }),
    onFailure: (reason) => session.warn(`This command is not recorded for \`kith undo\`: ${reason}`),
    // A person who was asked before a deletion has read it in the question.
    onLoss: async (sentence) => {
      if (session.globals.yes || !isInteractive(session)) await session.warn(sentence);
    },
  });
}

/** Whether writes are recorded: by default those of a person at a terminal, not those of a script. */
export async function isRecorded(session: Session, isByDefault = isInteractive(session)): Promise<boolean> {
  const setting = await readUndoSetting(session);
  return setting === undefined || setting === 'auto' ? isByDefault : setting === 'on';
}

/**
 * Returns a function to call before each write of an import. The first call records the import, unless it continues a
 * recorded one. `previous`: the new path of an earlier report in the same place.
 */
export async function createImportMark(
  session: Session,
  command: string,
  { report, previous }: { readonly report: string; readonly previous: string | undefined },
): Promise<() => void> {
  if (!(await isRecorded(session, true))) return () => {};
  const folder = await resolveWorkspaceLogs(session);
  const path = resolve(report);
  const earlier = new History(folder).findImport(path);
  if (earlier && previous !== undefined) ChangeLog.continue(earlier).append({ report: resolve(previous) });
  let isMarked = earlier !== undefined && previous === undefined;
  return () => {
    if (isMarked) return;
    ChangeLog.create(folder, { command, report: path, at: session.now().toISOString() });
    isMarked = true;
  };
}

/** Records that an import was undone. */
export async function markImportUndone(session: Session, report: string): Promise<void> {
  const folder = await resolveWorkspaceLogs(session);
  const command = new History(folder).findImport(resolve(report));
  if (!command) return;
  const header = { command: 'undo', undoes: command.number, report: resolve(report) };
  ChangeLog.create(folder, { ...header, at: session.now().toISOString() }).append({ finished: true });
}
