import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Session } from '../../cli/command/context.ts';
import { startRun } from '../../cli/write-run.ts';
import { Failure } from '../../contract/errors.ts';
import { isSameValue } from '../../contract/field-types.ts';
import { type PartyNoun, pluralNouns } from '../../contract/singular-nouns.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { isNewerFailure } from '../../files/durable-file.ts';
import { readFolderIfExists } from '../../files/read-file.ts';
import { type MergedIds, mergeNouns } from '../../merge/merge-nouns.ts';
import { type MergeRevert, revertMerge } from '../../merge/revert-merge.ts';
import { getLabel } from '../../records/label.ts';
import { History } from '../../undo/history.ts';
import { readTexts } from '../../values/field-values.ts';
import { foldName } from '../../values/names.ts';
import { ChangeLog, type LoggedCommand, listCreatedIds, readCommands } from '../../writes/log.ts';
import { readRecord } from '../../writes/nouns.ts';

/** A merge in the log of a workspace. */
interface LoggedMerge {
  readonly command: LoggedCommand;
  /** The ids of both records, and the other record before the merge. */
  readonly merge: NonNullable<LoggedCommand['merge']>;
}

/** Lists the merges in a folder of logs, except reverted ones. */
export function listMerges(folder: string): LoggedMerge[] {
  const history = new History(folder);
  return history.commands.flatMap((command) =>
    command.merge && !history.isReverted(command) ? [{ command, merge: command.merge }] : [],
  );
}

/** Whether a text names the merged record, by its id or by an address that it had before the merge. */
export function isMergedRecord({ merge: { noun, other } }: LoggedMerge, text: string): boolean {
  const { addresses, addressType } = mergeNouns[noun];
  return other.id === text || readTexts(other[addresses]).some((own) => isSameValue(own, text, addressType));
}

/** Whether a text is the name of the merged record. Another record may have the same name. */
export const isMergedName = ({ merge: { noun, other } }: LoggedMerge, text: string): boolean =>
  foldName(getLabel(pluralNouns[noun], other)) === foldName(text);

/**
 * Reverts the interrupted merges in a folder of logs. Finishes a merge that was interrupted after its last write.
 * Returns the new ids of records that were created again.
 */
export async function revertInterrupted(
  session: Session,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const allIds = new Map<string, string>();
  const client = await session.client();
  for (const { command, merge } of listMerges(folder)) {
    if (command.isFinished) continue;
    const { noun, keep } = merge;
    const other = merge.other.id;
    if (session.globals.dryRun)
      throw new Failure(
        'usage',
        `A merge of ${other} into ${keep} was interrupted. It must be reverted first.`,
        {
          hint: 'Revert it: kith undo',
        },
      );
    const log = ChangeLog.continue(command);
    const isSent = command.writes.some(({ action, id }) => action === 'delete' && id === other);
    const exists = async (id: string) => (await readRecord(client, { noun, id })) !== undefined;
    if (isSent && (await exists(keep)) && !(await exists(other))) {
      log.append({ finished: true });
      continue;
    }
    const { reasons, newIds } = await revertLogged(session, folder, { noun, keep, other }, log);
    for (const [id, newId] of newIds) allIds.set(id, newId);
    await session.messages.note(`Reverted the interrupted merge of ${other} into ${keep}.`);
    for (const reason of reasons) await session.messages.warn(reason);
  }
  return allIds;
}

/** Reverts the merge that a log has. */
export async function revertLogged(
  session: Session,
  folder: string,
  ids: MergedIds,
  log: ChangeLog,
): Promise<MergeRevert> {
  const createdIds = listCreatedIds(readCommands(folder));
  const { run, close } = await startRun(session, {}, async () => ({}));
  try {
    return await revertMerge(await session.client(), run, ids, log, createdIds);
  } finally {
    close();
  }
}

/**
 * Checks that no other log concerns a record.
 * @throws {Failure} usage if another API key started an unfinished merge of it, failed if the log of its merge cannot be used
 */
export function requireUsableLogs(folder: string, place: string, noun: PartyNoun, text: string): void {
  const parent = dirname(folder);
  const foreignMerge = readFolderIfExists(parent)
    .filter((name) => name !== basename(folder))
    .flatMap((name) => listMerges(join(parent, name)))
    .find(
      (logged) =>
        !logged.command.isFinished &&
        logged.merge.noun === noun &&
        logged.merge.place === place &&
        isMergedRecord(logged, text),
    );
  if (foreignMerge)
    throw new Failure(
      'usage',
      `A merge of ${foreignMerge.merge.other.id} with another API key is not finished.`,
      {
        hint:
          'Use the key or profile that started it. If the key was revoked, move its log to another folder; it may have the ' +
          `only copy of the addresses. ${foreignMerge.command.path}`,
      },
    );
  const command = `${pluralNouns[noun]} merge`;
  const unusableMerge = new History(folder).unusableLogs.find(({ path }) => {
    const log = accessFile('read', path, () => readFileSync(path, 'utf8'));
    return log.includes(JSON.stringify(command)) && log.includes(JSON.stringify(text));
  });
  if (!unusableMerge) return;
  const { failure, path } = unusableMerge;
  if (isNewerFailure(failure)) throw failure;
  throw new Failure('failed', `An earlier merge of ${text} left a damaged log: ${path}`, {
    hint: `It may have the ${mergeNouns[noun].addresses} of the ${noun}. Move it to another folder to continue.`,
  });
}
