import { createHash } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { History } from '../../changes/history.ts';
import { ChangeLog, type ContinuedLog, type LogSubject } from '../../changes/log.ts';
import { nouns } from '../../changes/nouns.ts';
import { Recorder, readResponseRecord } from '../../changes/recorder.ts';
import type { Client } from '../../client/client.ts';
import { toWorkspaceName } from '../../files/workspace-identity.ts';
import type { ImportReport } from '../../import/import-report.ts';
import { type Connection, identifyConnection } from '../../settings/connection.ts';
import { resolveDataFolder } from '../../settings/paths.ts';
import { formatDatabase } from '../../values/database-url.ts';
import { toRawJson } from '../../values/raw-json.ts';
import type { Session } from '../command/context.ts';
import { canConfirm } from '../command/interaction.ts';
import { resolveConnectionWithKey } from '../connect/connection.ts';
import { readUndoSetting } from '../connect/settings.ts';

/** Returns the folder with the logs of the workspace in use. */
export async function resolveWorkspaceLogs(session: Session): Promise<string> {
  const connection = await resolveConnectionWithKey(session, session.globals);
  const name = toWorkspaceName(identifyConnection(connection));
  const folder = join(resolveDataFolder(session.env), 'changes', name);
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
    renameSync(join(dirname(folder), name), folder);
  } catch {
    // The earlier folder does not exist, or another run has renamed it.
  }
}

/** The client and the secrets of a recorder. */
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
  const at = session.now().toISOString();
  return new Recorder({
    client,
    hasSecret,
    isRequired: true,
    findsOrganizations: true,
    open: () =>
      interruptedCommand
        ? ChangeLog.continue(interruptedCommand)
        : ChangeLog.create(folder, { ...subject, at }),
    onLoss: (sentence) => session.warn(sentence),
  });
}

/**
 * Opens the recorder of any other command; undefined if its writes are not recorded. `isByDefault`: whether to record
 * them if the setting is `auto`.
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
    findsOrganizations: true,
    open: () => ChangeLog.create(folder, { ...subject, at }),
    onFailure: (reason) => session.warn(`This command is not recorded for \`kith undo\`: ${reason}`),
    // The question before a deletion has already shown the loss.
    onLoss: async (sentence) => {
      if (session.globals.yes || !canConfirm(session)) await session.warn(sentence);
    },
  });
}

/** Whether writes are recorded. By default, only writes of a person or an agent are. */
export async function isRecorded(session: Session, isByDefault = canConfirm(session)): Promise<boolean> {
  const setting = await readUndoSetting(session);
  return setting === undefined || setting === 'auto' ? isByDefault : setting === 'on';
}

/**
 * Opens the recorder of an import. It may store API keys, because the imported file contains them too. Its first write
 * adds the import to the commands that can be undone, unless the run resumes a recorded import.
 */
export async function createImportRecorder(
  session: Session,
  command: string,
  report: string,
  { log, previousReport }: Pick<ImportReport, 'log' | 'previousReport'>,
): Promise<Pick<Recorder, 'send'>> {
  const addCommand = await prepareImportCommand(
    session,
    { command, report: resolve(report) },
    previousReport,
  );
  const recorder = new Recorder({
    client: await session.client(),
    isRequired: true,
    open: () => {
      addCommand();
      return log;
    },
  });
  return {
    async send(write, context) {
      const response = await recorder.send(write, context);
      const record = readResponseRecord(write, response);
      if (record) session.names.add(nouns[write.noun].update, {}, [toRawJson(record)], false);
      return response;
    },
  };
}

/** Returns a function that records an import command. `previousReport`: the new path of an earlier report. */
async function prepareImportCommand(
  session: Session,
  subject: LogSubject & { readonly report: string },
  previousReport: string | undefined,
): Promise<() => void> {
  if (!(await isRecorded(session, true))) return () => {};
  const folder = await resolveWorkspaceLogs(session);
  const earlier = new History(folder).findImport(subject.report);
  if (earlier && previousReport !== undefined)
    ChangeLog.continue(earlier).append({ report: resolve(previousReport) });
  if (earlier && previousReport === undefined) return () => {};
  return () => void ChangeLog.create(folder, { ...subject, at: session.now().toISOString() });
}

/** Records that an import was undone. */
export async function markImportUndone(session: Session, report: string): Promise<void> {
  const folder = await resolveWorkspaceLogs(session);
  const command = new History(folder).findImport(resolve(report));
  if (!command) return;
  const header = { command: 'undo', undoes: command.number, report: resolve(report) };
  ChangeLog.create(folder, { ...header, at: session.now().toISOString() }).append({ finished: true });
}
