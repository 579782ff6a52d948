import {
  type CommandResult,
  toRecordResult,
  toRecordsResult,
  toTextResult,
} from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { confirmDeletion } from '../../cli/command/interaction.ts';
import { startRun } from '../../cli/write-run.ts';
import { hasWriteNotes, noteWrite, previewRequests } from '../../cli/writes/writing.ts';
import { Failure } from '../../contract/errors.ts';
import { buildRequest, type PathNames, type Route } from '../../contract/grammar.ts';
import type { DeletableNoun } from '../../contract/singular-nouns.ts';
import { views } from '../../render/views.ts';
import { matchWrite } from '../../writes/nouns.ts';
import { createStopFailure, RunSummary, type WriteStatus } from '../../writes/outcome.ts';
import type { WriteRun } from '../../writes/run.ts';
import type { DeletedRecord } from './deletion-question.ts';

interface Deletion {
  readonly noun: DeletableNoun;
  readonly ids: readonly string[];
  /** Returns the data of a record for the confirmation prompt. */
  readonly describe: (id: string) => Promise<DeletedRecord>;
  /** Returns the request that --dry-run shows. */
  readonly preview: (ids: readonly string[]) => CommandResult | Promise<CommandResult>;
  /** Deletes a record as an item of a run, and returns its id. */
  readonly remove: (id: string, run: WriteRun) => Promise<string>;
}

/** Deletes records with a route of the API; see `deleteEach`. */
export function deleteRecords<R extends Route>(
  session: Session,
  route: R,
  toParams: (id: string) => Readonly<Record<PathNames<R['path']>, string>>,
  deletion: Omit<Deletion, 'preview' | 'remove'>,
): Promise<CommandResult> {
  const toRequest = (id: string) => buildRequest(route, toParams(id));
  const collection = route.path.split('/').at(-2) ?? '';
  return deleteEach(session, {
    ...deletion,
    preview: (ids) => previewRequests(ids.map(toRequest)),
    async remove(word, run) {
      const request = toRequest(word);
      const write = matchWrite(request);
      if (!write) throw new Error(`${request.method} ${request.path} deletes no record`);
      await run.write(write);
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
  const { outcomes, stop } = await removeEach(session, ids, deletion);
  const deletedIds = outcomes.flatMap(({ id }) => id ?? []);
  const deleted = deletedIds.map((id) => ({ id, deleted: true }) as const);
  if (deletedIds.length > 0)
    await noteWrite(session, ({ describeDeletion }) => describeDeletion(noun, deletedIds, records));
  const [first] = deleted;
  const result =
    ids.length === 1 && first
      ? removeRepetitions(session, toRecordResult(first, views.deleted), first)
      : removeRepetitions(session, toRecordsResult(deleted, views.deleted), deleted);
  return { ...result, failure: createDeleteFailure(session, outcomes, ids.length, stop) };
}

/** The outcome for a word of the command line. */
interface DeletionOutcome {
  readonly word: string;
  readonly status: WriteStatus;
  /** The id of the deleted record. */
  readonly id?: string;
  readonly failure?: Failure;
}

/**
 * Returns the outcomes in the order of the words, and the failure that stopped the run.
 * @throws {Failure} if a single id fails; with several ids only usage, and only before the first deletion
 */
async function removeEach(session: Session, words: readonly string[], { remove }: Deletion) {
  // Likely names come first, so that an ambiguous name ends the command before anything is deleted.
  const isLikelyId = (word: string) => Number(/\d|^[a-z]{6,}$/.test(word));
  const sorted = words.toSorted((left, right) => isLikelyId(left) - isLikelyId(right));
  const outcomes = new Map<string, DeletionOutcome>();
  let hasDeleted = false;
  const { run, close } = await startRun(
    session,
    { concurrency: 1, isRecordedByClient: true },
    async () => ({}),
  );
  try {
    const results = run.each(sorted, {
      write: async (word): Promise<DeletionOutcome> => ({
        word,
        status: 'deleted',
        id: await remove(word, run),
      }),
      fail: (word, failure, isUnknown): DeletionOutcome => ({
        word,
        status: isUnknown ? 'unknown' : 'failed',
        failure,
      }),
    });
    for await (const outcome of results) {
      const { word, failure } = outcome;
      if (failure && (words.length === 1 || (failure.code === 'usage' && !hasDeleted))) throw failure;
      outcomes.set(word, outcome);
      hasDeleted ||= !failure;
    }
  } finally {
    close();
  }
  return { outcomes: words.flatMap((word) => outcomes.get(word) ?? []), stop: run.stop };
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

/** Returns the failure to report after the deleted records. `total`: the number of records to delete. */
function createDeleteFailure(
  session: Session,
  outcomes: readonly DeletionOutcome[],
  total: number,
  stop: Failure | undefined,
): Failure | undefined {
  const summary = new RunSummary();
  for (const outcome of outcomes) summary.add({ ...outcome, name: outcome.word });
  const { deleted } = summary.counts;
  if (stop && session.signal.aborted)
    return deleted === total ? stop : createStopFailure(stop, summary.describe('deleted', total), againHint);
  if (deleted === total) return undefined;
  const reasons = outcomes.flatMap(({ word, failure }) =>
    failure ? `${word} (${failure.message.replace(/\.$/, '')})` : [],
  );
  const untriedCount = total - outcomes.length;
  const limit = stop?.code === 'limit_reached' ? stop : undefined;
  return new Failure(
    limit?.code ?? summary.findCommonCode(),
    `Not deleted: ${reasons.join('; ')}.${untriedCount > 0 ? ` Not tried: ${untriedCount}.` : ''}`,
    { hint: limit?.detail.hint },
  );
}

const againHint = 'To delete the other records, run the command again with their ids.';
