import { createHash } from 'node:crypto';
import { isRecorded, markUnrecorded, resolveWorkspaceLogs } from '../../cli/change-log.ts';
import type { Session } from '../../cli/command/context.ts';
import type { Client } from '../../client/client.ts';
import { takeLock } from '../../files/lock.ts';
import { toPathKey } from '../../records/path.ts';
import { type CreateMatch, findCreated } from '../../writes/created.ts';
import { findInterrupted, type InterruptedCommand } from '../../writes/interrupted.ts';
import type { LogSubject } from '../../writes/log.ts';
import { createLogFolder } from '../../writes/log-files.ts';
import type { Write } from '../../writes/nouns.ts';
import type { Recorder } from '../../writes/recorder.ts';
import { isSameJson } from '../../writes/values.ts';

/** The log of a command that writes many records. */
export interface BulkLog {
  /** undefined if the setting `undo` is off. */
  readonly recorder: Recorder | undefined;
  readonly interrupted: InterruptedCommand | undefined;
  /** Lets another process run the same command. */
  readonly close: () => void;
}

/** A command, and everything that decides its writes. The same command with the same input continues an interrupted one. */
export interface BulkSubject {
  /** The command in the change log: `contacts update`. */
  readonly command: string;
  readonly input: unknown;
}

/**
 * Opens the log of a command, and continues the log of an interrupted run. `client`: finds the records of creates whose
 * response was lost. `describe`: returns what the interrupted run has done.
 * @throws {Failure} busy if another process runs the same command
 */
export async function openBulkLog(
  session: Session,
  { command, input }: BulkSubject,
  client: Client,
  describe: (interrupted: InterruptedCommand) => string,
): Promise<BulkLog> {
  const folder = await resolveWorkspaceLogs(session);
  if (!(await isRecorded(session, true))) {
    markUnrecorded(session, folder, command);
    return { recorder: undefined, interrupted: undefined, close: () => {} };
  }
  const many = createHash('sha256')
    .update(JSON.stringify([command, input]))
    .digest('hex')
    .slice(0, 32);
  const subject: LogSubject = { command, many };
  createLogFolder(folder);
  const lock = { path: `${folder}/${many}.lock`, work: `is running \`kith ${command}\` with the same input` };
  const release = await takeLock(lock, session.runtime.lockHolder);
  try {
    const interrupted = findInterrupted(folder, subject, session.runtime.now().getTime());
    const recorder = await session.connections.createRecorder(subject, interrupted);
    if (interrupted) {
      await findLostCreates(client, recorder, interrupted);
      await session.messages.note(
        `Continuing the interrupted \`kith ${command}\`: ${describe(interrupted)} done before.`,
      );
    }
    return { recorder, interrupted, close: release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Finds the records of the creates whose response the interrupted run lost, and adds them to the log. */
async function findLostCreates(
  client: Client,
  recorder: Recorder,
  { lostCreates, at, addedIds, rows }: InterruptedCommand,
): Promise<void> {
  if (lostCreates.length === 0) return;
  const usedIds = new Set<string>();
  for (const { after } of [...rows.values()].flat()) if (after) usedIds.add(String(after.id));
  const matches = await findCreated(client, { writes: lostCreates, at }, usedIds);
  for (const [index, { n, body }] of lostCreates.entries()) {
    const isUnused = ({ record, isNew }: CreateMatch) => isNew && !usedIds.has(String(record.id));
    const candidates = (matches.get(n) ?? []).filter(isUnused);
    const [first] = candidates;
    // Equal creates may each have one of the records.
    const equalCreates = lostCreates.slice(index).filter((create) => isSameJson(create.body, body));
    if (candidates.length > equalCreates.length) continue;
    recorder.open().append(first ? { n, after: first.record } : { n, refused: true });
    if (!first) continue;
    usedIds.add(String(first.record.id));
    addedIds.add(String(body.entryable_id));
    for (const [row, writes] of rows)
      rows.set(
        row,
        writes.map((write) => (write.n === n ? { ...write, after: first.record } : write)),
      );
  }
}

/**
 * Removes the deletions of a record from the log that an interrupted run did not carry out, after this run has deleted
 * it. Otherwise, an undo would create the related records twice.
 */
export function replaceLostDeletions({ recorder, interrupted }: BulkLog, write: Write): void {
  if (write.action !== 'delete') return;
  for (const n of interrupted?.lostDeletions.get(toPathKey(write)) ?? [])
    recorder?.open().append({ n, refused: true });
}
