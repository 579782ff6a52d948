import {
  type CommandResult,
  toRecordResult,
  toRecordsResult,
  toTextResult,
} from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { confirmDeletion } from '../../cli/command/interaction.ts';
import { hasWriteNotes, noteWrite, previewRequests } from '../../cli/writes/writing.ts';
import { Failure, isRecordFailure } from '../../contract/errors.ts';
import { buildRequest, type PathNames, type Route } from '../../contract/grammar.ts';
import type { DeletableNoun } from '../../contract/singular-nouns.ts';
import { views } from '../../render/views.ts';
import type { DeletedRecord } from './deletion-question.ts';

interface Deletion {
  readonly noun: DeletableNoun;
  readonly ids: readonly string[];
  /** Returns the data of a record for the confirmation prompt. */
  readonly describe: (id: string) => Promise<DeletedRecord>;
  /** Returns the request that --dry-run shows. */
  readonly preview: (ids: readonly string[]) => CommandResult | Promise<CommandResult>;
  /** Deletes a record and returns its id. */
  readonly remove: (id: string) => Promise<string>;
}

/** Deletes records with a route of the API; see `deleteEach`. */
export function deleteRecords<R extends Route>(
  session: Session,
  route: R,
  toParams: (id: string) => Readonly<Record<PathNames<R['path']>, string>>,
  deletion: Omit<Deletion, 'preview' | 'remove'>,
): Promise<CommandResult> {
  const collection = route.path.split('/').at(-2) ?? '';
  return deleteEach(session, {
    ...deletion,
    preview: (ids) => previewRequests(ids.map((id) => buildRequest(route, toParams(id)))),
    async remove(word) {
      await (await session.client()).record(route, toParams(word));
      return session.references.pathIds.getId(collection, word);
    },
  });
}

/**
 * Deletes records independently, after a confirmation. A failed deletion does not stop the others. The result then has
 * a failure that names the ids. Its code is `partial`, or the common code if all deletions fail with it.
 */
export async function deleteEach(session: Session, deletion: Deletion): Promise<CommandResult> {
  const { preview, noun, describe } = deletion;
  const ids = [...new Set(deletion.ids)];
  if (session.globals.dryRun) return preview(ids);
  let records: readonly DeletedRecord[] = [];
  await confirmDeletion(session, async () => {
    const { buildDeletionQuestion, maxRecordsInQuestion } = await import('./deletion-question.ts');
    records = await Promise.all(ids.slice(0, maxRecordsInQuestion).map(describe));
    return buildDeletionQuestion(session, noun, records, ids);
  });
  const { deleted, failed } = await removeEach(ids, deletion);
  const deletedIds = deleted.map(({ id }) => id);
  if (deletedIds.length > 0)
    await noteWrite(session, ({ describeDeletion }) => describeDeletion(noun, deletedIds, records));
  const [first] = deleted;
  if (ids.length === 1 && first)
    return removeRepetitions(session, toRecordResult(first, views.deleted), first);
  return {
    ...removeRepetitions(session, toRecordsResult(deleted, views.deleted), deleted),
    failure: failed.length > 0 ? createDeleteFailure(failed, ids.length, deleted.length) : undefined,
  };
}

interface FailedDeletion {
  readonly id: string;
  readonly failure: Failure;
}

/** @throws {Failure} if a single id fails; with several ids only usage, and only before the first deletion */
async function removeEach(ids: readonly string[], { remove }: Deletion) {
  const outcomes = new Map<string, { readonly id: string; readonly deleted: true } | FailedDeletion>();
  let hasDeleted = false;
  // Likely names come first, so that an ambiguous name ends the command before anything is deleted.
  const isLikelyId = (word: string) => Number(/\d|^[a-z]{6,}$/.test(word));
  for (const id of ids.toSorted((left, right) => isLikelyId(left) - isLikelyId(right))) {
    try {
      outcomes.set(id, { id: await remove(id), deleted: true });
      hasDeleted = true;
    } catch (error) {
      if (!(error instanceof Failure) || ids.length === 1) throw error;
      if (error.code === 'usage' && !hasDeleted) throw error;
      outcomes.set(id, { id, failure: error });
      if (!isRecordFailure(error)) break;
    }
  }
  const inOrder = ids.flatMap((id) => outcomes.get(id) ?? []);
  return {
    deleted: inOrder.filter((outcome) => 'deleted' in outcome),
    failed: inOrder.filter((outcome) => 'failure' in outcome),
  };
}

/** Returns an empty text instead of a result that a note has already shown in the terminal. */
function removeRepetitions(session: Session, result: CommandResult, json: unknown): CommandResult {
  const { format, jq, fields, idsOnly } = session.globals;
  const isSelected =
    session.globals.json || idsOnly || [format, jq, fields].some((flag) => flag !== undefined);
  return session.streams.stdout.isTerminal && hasWriteNotes(session) && !isSelected
    ? toTextResult('', json)
    : result;
}

function createDeleteFailure(failed: readonly FailedDeletion[], all: number, deleted: number): Failure {
  const reasons = failed.map(({ id, failure }) => `${id} (${failure.message.replace(/\.$/, '')})`).join('; ');
  const untriedCount = all - deleted - failed.length;
  const [code = 'partial', ...others] = new Set(failed.map(({ failure }) => failure.code));
  const limit = failed.find(({ failure }) => failure.code === 'limit_reached')?.failure;
  return new Failure(
    limit?.code ?? (deleted === 0 && others.length === 0 ? code : 'partial'),
    `Not deleted: ${reasons}.${untriedCount > 0 ? ` Not tried: ${untriedCount}.` : ''}`,
    { hint: limit?.detail.hint },
  );
}
