import type { Archive } from '../../../archive/archive.ts';
import { type Losses, readOnlyNouns } from '../../../archive/transfer/losses.ts';
import { type CommandResult, toBatch } from '../../../cli/command/command.ts';
import type { Session } from '../../../cli/command/context.ts';
import { formatName, labelRecord } from '../../../cli/writes/record-labels.ts';
import { Failure } from '../../../contract/errors.ts';
import {
  isWritableNoun,
  type Noun,
  singularNouns,
  toTypedNoun,
  type WritableNoun,
  writableNouns,
} from '../../../contract/singular-nouns.ts';
import { views } from '../../../render/views.ts';
import type { JsonObject } from '../../../values/json-object.ts';
import { toRawJson } from '../../../values/raw-json.ts';
import { formatInteger, joinNames } from '../../../values/text.ts';
import { RunSummary, type WriteStatus } from '../../../writes/outcome.ts';
import { findIncompleteness } from '../incomplete-archive.ts';
import { withTypedNoun } from '../place.ts';
import type { TransferOutcome } from './transfer-run.ts';

/** Values of a field, or records, that are not copied, for one reason. */
interface Problem {
  readonly noun: WritableNoun;
  /** Undefined if whole records are not copied. */
  readonly field: string | undefined;
  readonly reason: string;
  count: number;
  /** The ids of the first records in the source. */
  readonly ids: string[];
}

/** Maximum number of records that a problem names. */
const maxIdsPerProblem = 10;

/** The statuses as which the actions of a transfer are counted. */
const statuses = {
  create: 'added',
  update: 'updated',
  same: 'unchanged',
  skip: 'skipped',
  fail: 'failed',
} as const satisfies Readonly<Record<TransferOutcome['action'], WriteStatus>>;

/** Collects the outcomes of a transfer, or of its plan. */
export class TransferReport {
  readonly #archive: Archive;
  readonly #isVerbose: boolean;
  readonly #counts = new Map(writableNouns.map((noun) => [noun, new RunSummary()]));
  /** The number of values that differ in the target, which keeps its values. */
  readonly #kept = new Map<WritableNoun, number>();
  readonly #all = new RunSummary();
  readonly #problems = new Map<string, Problem>();
  /** Names the problems. */
  readonly #summary = new RunSummary();
  /** The outcome of each record, if they are printed. */
  readonly #records: unknown[] = [];
  /** The failure that stopped the transfer. */
  stop: Failure | undefined;

  constructor(archive: Archive, isVerbose: boolean) {
    this.#archive = archive;
    this.#isVerbose = isVerbose;
  }

  add(outcome: TransferOutcome): void {
    const { source, action, kept, lost, failure, isPartial } = outcome;
    const { noun, record } = source;
    const reason = outcome.reason ?? failure?.message;
    const name = formatName(labelRecord(noun, record, record.id));
    const label = `${singularNouns[noun]} ${name}`;
    const counted = { name: label, status: statuses[action] };
    if (!isPartial) for (const counts of [this.#all, this.#counts.get(noun)]) counts?.add(counted);
    this.#kept.set(noun, (this.#kept.get(noun) ?? 0) + kept.length);
    const problems = [reason === undefined ? [] : { field: undefined, reason }, lost].flat();
    for (const problem of problems) this.#addProblem({ noun, ...problem }, record.id);
    const sentences = problems.map(({ field, reason }) =>
      field === undefined ? reason : `${field}: ${reason}`,
    );
    for (const sentence of sentences)
      this.#summary.add({
        name: label,
        status: 'failed',
        failure: failure ?? new Failure('partial', sentence),
      });
    if (problems.length === 0) this.#summary.add({ name: label, status: 'done' });
    if (!this.#isVerbose) return;
    this.#records.push({
      noun: toTypedNoun(noun),
      action,
      id: record.id,
      target_id: outcome.id ?? null,
      name,
      kept,
      problem: sentences.length > 0 ? sentences.join(' ') : null,
    });
  }

  #addProblem(problem: Pick<Problem, 'noun' | 'field' | 'reason'>, id: string): void {
    const key = JSON.stringify(Object.values(problem));
    const known = this.#problems.get(key) ?? { ...problem, count: 0, ids: [] };
    known.count += 1;
    if (known.ids.length < maxIdsPerProblem) known.ids.push(id);
    this.#problems.set(key, known);
  }

  /** The number of records with an outcome. */
  get count(): number {
    return this.#all.total;
  }

  /** Whether there is something to create or to update. */
  get hasChanges(): boolean {
    const { added, updated } = this.#all.counts;
    return added + updated > 0;
  }

  get failure(): Failure | undefined {
    const hint =
      'Everything else is in the output. Correct the records or the target, and run the command again.';
    return this.stop ?? this.#summary.createFailure('copied', hint) ?? findIncompleteness(this.#archive);
  }

  /** Describes the numbers of records: `create 12, update 3, unchanged 100`. */
  describe(): string {
    const { added, updated, unchanged, skipped, failed } = this.#all.counts;
    return Object.entries({ create: added, update: updated, unchanged, skip: skipped, failed })
      .filter(([name, count]) => count > 0 || name === 'create')
      .map(([name, count]) => `${name} ${formatInteger(count)}`)
      .join(', ');
  }

  toResult(state: 'planned' | 'copied', losses: Losses): CommandResult {
    const nouns = [...writableNouns, ...readOnlyNouns].flatMap((noun) => this.#describeNoun(noun));
    const records = this.#isVerbose ? this.#records : nouns;
    const not_copied = [...losses.records, ...losses.fields];
    const document = {
      state,
      nouns,
      problems: [...this.#problems.values()].map(withTypedNoun),
      not_copied,
      ...(this.#isVerbose && { records }),
    };
    return {
      kind: 'records',
      batches: toBatch(records.map(toRawJson)),
      view: this.#isVerbose ? views.transferRecords : views.transferCounts,
      document: toRawJson(document),
      failure: this.failure,
    };
  }

  /** Returns the numbers of a noun's records. Those that the API cannot create are skipped. */
  #describeNoun(noun: Noun): JsonObject[] {
    const { records } = this.#archive.manifest.files[noun];
    if (records === 0) return [];
    const { counts } = (isWritableNoun(noun) && this.#counts.get(noun)) || new RunSummary();
    const numbers = Object.entries(statuses).map(([action, status]) => [action, counts[status]]);
    return [
      withTypedNoun({
        noun,
        records,
        ...Object.fromEntries(numbers),
        ...(!isWritableNoun(noun) && { skip: records }),
        kept: (isWritableNoun(noun) && this.#kept.get(noun)) || 0,
      }),
    ];
  }
}

/** Names the records and fields that the API cannot write, before the first request. */
export async function announceLosses(
  session: Session,
  name: string,
  { records, fields }: Losses,
): Promise<void> {
  await session.messages.note(`New records in ${name} get new ids, entry keys and times.`);
  if (records.length > 0)
    await session.messages.warn(
      `Not copied, because the API cannot create them: ${records.join(' and ')}. A copy to an empty workspace file keeps them.`,
    );
  if (fields.length > 0)
    await session.messages.warn(`Not copied, because the API cannot write them: ${joinNames(fields)}.`);
}
