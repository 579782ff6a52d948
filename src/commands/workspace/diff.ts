import type { Archive } from '../../archive/archive.ts';
import { compareArchives, mergeUnread } from '../../archive/compare.ts';
import { type CommandResult, defineCommand } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import { toTypedNoun } from '../../contract/singular-nouns.ts';
import { type DifferenceRow, renderDifferences } from '../../render/differences.ts';
import { views } from '../../render/views.ts';
import { yieldToSignals } from '../../values/concurrency.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { formatCount } from '../../values/text.ts';
import { createUnreadFailure } from './backup.ts';
import { checkIntact } from './incomplete-archive.ts';
import { openArchive, type Place, resolveSource } from './place.ts';

const place = 'a profile, a workspace file, a PostgreSQL URL, or an archive';

export const diff = defineCommand({
  name: 'diff',
  output: { records: ['difference[]'] },
  isFileBased: true,
  isWorkspaceOptional: true,
  exitCodes: [6],
  summary: 'Compare two workspaces or archives',
  description:
    'List the records that were added, removed or changed between A and B, with the fields that changed. Each ' +
    `place is ${place}. If B is omitted, A is compared with the workspace in use. Exits with 0 if A and B are ` +
    'equal, with 1 if they differ, and with 6 if a record could not be read.',
  args: {
    a: { summary: `Place to compare: ${place}`, completion: 'files' },
    b: {
      summary: 'Place to compare A with (default: the workspace in use)',
      completion: 'files',
      isOptional: true,
    },
  },
  examples: ['workspace diff kith-backup', 'workspace diff demo.sqlite copy.sqlite --json'],
  async run(session, { a, b }) {
    const before = await resolveSource(session, a, 'A');
    const after = b === undefined ? undefined : await resolveSource(session, b, 'B');
    const comparison = new Comparison(session, before, after);
    const result: CommandResult = {
      kind: 'records',
      batches: comparison.read(),
      view: views.differences,
      render: (style) => (rows) => renderDifferences(rows, style),
    };
    return Object.defineProperty(result, 'failure', { get: () => comparison.failure });
  },
});

/** The number of differences that are printed at once. */
const batchSize = 100;

/** A comparison of two places, and the number of differences so far. */
class Comparison {
  readonly #session: Session;
  readonly #before: Place;
  readonly #after: Place | undefined;
  readonly #counts = { added: 0, removed: 0, changed: 0 };
  /** Names the records that could not be compared. */
  #unread: Failure | undefined;

  /** `after`: if omitted, the workspace in use. */
  constructor(session: Session, before: Place, after: Place | undefined) {
    this.#session = session;
    this.#before = before;
    this.#after = after;
  }

  /** The failure that sets the exit code to 1 or 6; undefined if there is no difference. */
  get failure(): Failure | undefined {
    return this.#unread ?? this.#difference;
  }

  get #difference(): Failure | undefined {
    const counts = Object.entries(this.#counts).filter(([, count]) => count > 0);
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    if (total === 0) return undefined;
    const kinds = counts.map(([change, count]) => `${count} ${change}`).join(', ');
    return new Failure('different', `${formatCount(total, 'record differs', 'records differ')}: ${kinds}.`);
  }

  async *read(): AsyncGenerator<Batch> {
    const before = await openArchive(this.#session, this.#before);
    try {
      checkIntact(before.archive);
      const after = await openArchive(this.#session, this.#after);
      try {
        checkIntact(after.archive);
        yield* this.#compare(before.archive, after.archive);
      } finally {
        await after.close();
      }
    } finally {
      await before.close();
    }
  }

  async *#compare(before: Archive, after: Archive): AsyncGenerator<Batch> {
    let rows: DifferenceRow[] = [];
    for (const { change, noun, id, name, fields } of compareArchives(before, after)) {
      this.#counts[change] += 1;
      rows.push({ change, noun: toTypedNoun(noun), id, name, fields });
      if (rows.length < batchSize) continue;
      await yieldToSignals(this.#session.signal);
      yield toRecords(rows, true);
      rows = [];
    }
    const difference = this.#difference?.message ?? 'No differences.';
    this.#unread = createUnreadFailure(
      mergeUnread(before, after),
      `These records were not compared. All other records: ${difference}`,
    );
    if (!this.failure) await this.#session.messages.note('No differences.');
    yield toRecords(rows, false);
  }
}

const toRecords = (rows: readonly DifferenceRow[], hasMore: boolean): Batch => ({
  records: rows.map(toRawJson),
  total: undefined,
  hasMore,
});
