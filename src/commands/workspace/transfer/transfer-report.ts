import type { Losses, TransferTally } from '../../../archive/transfer/tally.ts';
import { type CommandResult, toBatch } from '../../../cli/command/command.ts';
import type { Session } from '../../../cli/command/context.ts';
import { formatName, labelRecord } from '../../../cli/writes/record-labels.ts';
import { Failure } from '../../../contract/errors.ts';
import { singularNouns, toTypedNoun } from '../../../contract/singular-nouns.ts';
import { views } from '../../../render/views.ts';
import { toRawJson } from '../../../values/raw-json.ts';
import { formatInteger, joinNames } from '../../../values/text.ts';
import { RunSummary } from '../../../writes/outcome.ts';
import { withTypedNoun } from '../place.ts';
import type { TransferOutcome } from './transfer-run.ts';

/** Collects the outcomes of a transfer, or of its plan. */
export class TransferReport {
  readonly tally: TransferTally;
  readonly #isVerbose: boolean;
  readonly #summary = new RunSummary();
  /** The outcome of each record, if they are printed. */
  readonly #records: unknown[] = [];
  /** The failure that stopped the transfer. */
  stop: Failure | undefined;
  /** Names the records that the archive lacks. */
  incomplete: Failure | undefined;
  count = 0;

  constructor(tally: TransferTally, isVerbose: boolean) {
    this.tally = tally;
    this.#isVerbose = isVerbose;
  }

  add(outcome: TransferOutcome): void {
    const { source, action, kept, lost, failure, isPartial } = outcome;
    const reason = outcome.reason ?? failure?.message;
    const name = formatName(labelRecord(source.noun, source.record, source.record.id));
    if (!isPartial) this.count += 1;
    this.tally.add(source, { action, kept, lost, reason, isPartial });
    const problems = [reason ?? [], lost.map((value) => `${value.field}: ${value.reason}`)].flat();
    const label = `${singularNouns[source.noun]} ${name}`;
    for (const problem of problems)
      this.#summary.add({
        name: label,
        status: 'failed',
        failure: failure ?? new Failure('partial', problem),
      });
    if (problems.length === 0) this.#summary.add({ name: label, status: 'done' });
    if (!this.#isVerbose) return;
    this.#records.push({
      noun: toTypedNoun(source.noun),
      action,
      id: source.record.id,
      target_id: outcome.id ?? null,
      name,
      kept,
      problem: problems.length > 0 ? problems.join(' ') : null,
    });
  }

  get failure(): Failure | undefined {
    const hint =
      'Everything else is in the output. Correct the records or the target, and run the command again.';
    return this.stop ?? this.#summary.createFailure('copied', hint) ?? this.incomplete;
  }

  toResult(state: 'planned' | 'copied', losses: Losses): CommandResult {
    const { counts, problems } = this.tally;
    const nouns = counts.filter(({ records }) => records > 0).map(withTypedNoun);
    const records = this.#isVerbose ? this.#records : nouns;
    const not_copied = [...losses.records, ...losses.fields];
    const document = {
      state,
      nouns,
      problems: problems.map(withTypedNoun),
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
}

/** Describes numbers of records: `create 12, update 3, unchanged 100`. */
export function describePlan(tally: TransferTally): string {
  const parts = [
    ['create', tally.sum('create')],
    ['update', tally.sum('update')],
    ['unchanged', tally.sum('same')],
    ['skip', tally.sum('skip')],
    ['failed', tally.sum('fail')],
  ] as const;
  return parts
    .filter(([name, count]) => count > 0 || name === 'create')
    .map(([name, count]) => `${name} ${formatInteger(count)}`)
    .join(', ');
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
