import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '../client/client.ts';
import { getErrorMessage } from '../contract/errors.ts';
import { renameFile } from '../files/atomic-write.ts';
import { toWorkspaceName } from '../files/workspace-identity.ts';
import { isRunByAgent } from '../settings/agents.ts';
import { type Connection, identifyConnection } from '../settings/connection.ts';
import { resolveDataFolder } from '../settings/paths.ts';
import { History } from '../undo/history.ts';
import { once } from '../values/concurrency.ts';
import { formatDatabase } from '../values/database-url.ts';
import { ChangeLog, type ContinuedLog, type LogSubject } from '../writes/log.ts';
import { listLogs } from '../writes/log-files.ts';
import { Recorder } from '../writes/recorder.ts';
import { leaveMark, sendMarked } from '../writes/unrecorded.ts';
import type { Session } from './command/context.ts';
import { canConfirm, isInteractive } from './command/interaction.ts';
import { readUndoSetting } from './connect/settings.ts';

export async function resolveWorkspaceLogs(session: Session): Promise<string> {
  const connection = await session.connections.resolve();
  const name = toWorkspaceName(identifyConnection(connection));
  const folder = join(resolveDataFolder(session.runtime.env), 'changes', name);
  if (!existsSync(folder)) renameEarlierFolder(folder, connection);
  return folder;
}

/**
 * Renames the folder of an earlier build, which had a folder for each profile. A merge log in it may have the only copy
 * of an address.
 */
function renameEarlierFolder(folder: string, connection: Connection): void {
  const [place, key] =
    connection.kind === 'local'
      ? [formatDatabase(connection.database), '']
      : [connection.baseUrl, connection.key];
  const secret = `${JSON.stringify([connection.profile ?? null, place])} ${key}`;
  const name = createHash('sha256').update(secret).digest('hex').slice(0, 16);
  try {
    renameFile(join(dirname(folder), name), folder);
  } catch {
    // The earlier folder does not exist, or another run has renamed it.
  }
}

/** Creates the log of a command. A log of a script does not replace one of a person. */
function createLog(session: Session, folder: string, subject: LogSubject): ChangeLog {
  const isScript = subject.undoes === undefined && !isInteractive(session);
  const at = session.runtime.now().toISOString();
  return ChangeLog.create(folder, { ...subject, at, ...(isScript && { is_script: true }) });
}

const notRecorded = 'This command is not recorded for `kith undo`:';

interface RecorderDependencies {
  readonly client: Client;
  readonly hasSecret: (text: string) => boolean;
}

/**
 * Opens the recorder of a command whose log is needed to continue it. `interruptedCommand`: the interrupted run to
 * continue.
 */
export async function openRequiredRecorder(
  session: Session,
  subject: LogSubject,
  { client, hasSecret }: RecorderDependencies,
  interruptedCommand?: ContinuedLog,
): Promise<Recorder> {
  const folder = await resolveWorkspaceLogs(session);
  const isImport = subject.report !== undefined;
  return new Recorder({
    client,
    // An imported file may contain an API key.
    ...(!isImport && { hasSecret }),
    isRequired: true,
    findsOrganizations: !isImport,
    open: () =>
      interruptedCommand ? ChangeLog.continue(interruptedCommand) : createLog(session, folder, subject),
    onLoss: (sentence) => session.messages.warn(sentence),
  });
}

/**
 * Opens the recorder of any other command, or marks the command if its writes are not recorded. `isByDefault`: whether to
 * record them if the setting is `auto`.
 */
export async function openRecorder(
  session: Session,
  subject: LogSubject,
  { client, hasSecret }: RecorderDependencies,
  isByDefault?: boolean,
): Promise<Pick<Recorder, 'intercept'>> {
  const folder = await resolveWorkspaceLogs(session);
  if (!(await isRecorded(session, isByDefault))) {
    const canRecord = await isRecorded(session, true);
    const hint = 'To record deletions, set KITH_UNDO=on.';
    const note = once(() => session.messages.note(`\`kith undo\` cannot revert this deletion. ${hint}`));
    return sendMarked(
      () => markUnrecorded(session, folder, subject.command),
      async () => void (canRecord && (await note())),
    );
  }
  return new Recorder({
    client,
    hasSecret,
    isRequired: false,
    findsOrganizations: true,
    open: () => createLog(session, folder, subject),
    onFailure: (reason) => session.messages.warn(`${notRecorded} ${reason}`),
    // The question before a deletion has already shown the loss.
    onLoss: async (sentence) => {
      if (session.globals.yes || !canConfirm(session)) await session.messages.warn(sentence);
    },
  });
}

/** Whether writes are recorded. By default, only writes of a person or an agent are. */
export async function isRecorded(
  session: Session,
  isByDefault = canConfirm(session) || isRunByAgent(session.runtime.env),
): Promise<boolean> {
  if (session.call.commandLine?.command.recording === 'none') return false;
  const setting = await readUndoSetting(session);
  return setting === undefined || setting === 'auto' ? isByDefault : setting === 'on';
}

/** Marks a command before it writes without being recorded. Returns the function that removes the mark. */
export function markUnrecorded(session: Session, folder: string, command: string): () => void {
  try {
    return leaveMark(folder, { command, at: session.runtime.now().toISOString() });
  } catch (error) {
    // Without an older log, an undo needs no mark: a script may run without a folder that it can write to.
    const needsMark = listLogs(folder).length > 0;
    if (needsMark)
      void session.messages.warn(
        `The next \`kith undo\` will not know about this command: ${getErrorMessage(error)}`,
      );
    return () => {};
  }
}

/** Records a change of action items, or marks it, before it is made. */
export async function recordItems(
  session: Session,
  command: string,
  items: NonNullable<LogSubject['items']>,
): Promise<void> {
  try {
    const folder = await resolveWorkspaceLogs(session);
    if (await isRecorded(session, true)) createLog(session, folder, { command, items });
    else markUnrecorded(session, folder, command);
  } catch (error) {
    // The ledger needs no API key, but the log does.
    await session.messages.warn(`${notRecorded} ${getErrorMessage(error)}`);
  }
}

/** `report`: the absolute path of the report of an import. */
export async function markImportUndone(session: Session, report: string): Promise<void> {
  const folder = await resolveWorkspaceLogs(session);
  const history = new History(folder);
  const command = history.findImport(report);
  const isRecordedImport = history.commands.some((command) => command.report === report);
  if (!command && !isRecordedImport)
    markUnrecorded(session, folder, `${session.call.commandLine?.path.join(' ')} --undo`);
  if (!command) return;
  const subject = { command: 'undo', undoes: command.number, report };
  createLog(session, folder, { ...subject, ...(command.is_script && { is_script: true }) }).append({
    finished: true,
  });
}
