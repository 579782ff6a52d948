import {
  isWritableNoun,
  type Noun,
  singularNouns,
  type WritableNoun,
  writableNouns,
} from '../../contract/singular-nouns.ts';
import { listUnknownFields } from '../../merge/combine-fields.ts';
import { formatCount, toPlural } from '../../values/text.ts';
import type { Archive } from '../archive.ts';
import type { RecordPlan, TransferAction } from './plan-record.ts';
import { listSourceRecords, type SourceRecord } from './transfer-nouns.ts';

/** The nouns that the API cannot create. */
const readOnlyNouns = ['events', 'recordings'] as const;

/** The outcome of a record; `fail`: its write was refused, or its response was lost. */
export type TransferStatus = TransferAction | 'fail';

export interface NounCounts extends Record<TransferStatus, number> {
  readonly noun: Noun;
  readonly records: number;
  /** The number of values that differ in the target, which keeps its values. */
  kept: number;
}

/** Values of a field, or records, that are not copied, for one reason. */
export interface Problem {
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

interface CountedOutcome extends Pick<RecordPlan, 'kept' | 'lost'> {
  readonly action: TransferStatus;
  readonly reason?: string | undefined;
  /** Whether the record was counted before. */
  readonly isPartial?: boolean | undefined;
}

export class TransferTally {
  readonly counts: readonly NounCounts[];
  readonly #problems = new Map<string, Problem>();

  constructor({ manifest }: Archive) {
    const zero = { create: 0, update: 0, same: 0, skip: 0, fail: 0, kept: 0 };
    this.counts = [
      ...writableNouns.map((noun) => ({ noun, records: manifest.files[noun].records, ...zero })),
      ...readOnlyNouns.map((noun) => {
        const { records } = manifest.files[noun];
        return { noun, records, ...zero, skip: records };
      }),
    ];
  }

  add({ noun, record }: SourceRecord, { action, kept, lost, reason, isPartial }: CountedOutcome): void {
    const counts = this.counts.find((other) => other.noun === noun);
    if (counts && !isPartial) counts[action] += 1;
    if (counts) counts.kept += kept.length;
    if (reason !== undefined) this.#addProblem({ noun, field: undefined, reason }, record.id);
    for (const { field, reason } of lost) this.#addProblem({ noun, field, reason }, record.id);
  }

  #addProblem(problem: Pick<Problem, 'noun' | 'field' | 'reason'>, id: string): void {
    const key = JSON.stringify(Object.values(problem));
    const known = this.#problems.get(key) ?? { ...problem, count: 0, ids: [] };
    known.count += 1;
    if (known.ids.length < maxIdsPerProblem) known.ids.push(id);
    this.#problems.set(key, known);
  }

  get problems(): readonly Problem[] {
    return [...this.#problems.values()];
  }

  sum(action: keyof Omit<NounCounts, 'noun'>): number {
    return this.counts
      .filter(({ noun }) => isWritableNoun(noun))
      .reduce((sum, counts) => sum + counts[action], 0);
  }
}

/** Properties of records that the API cannot write. */
export interface Losses {
  /** Descriptions of what is not copied, such as `3 meetings`. */
  readonly records: readonly string[];
  /** Names of fields that no request accepts, with the number of their values. */
  readonly fields: readonly string[];
}

/** Fields whose values the service sets. */
const serviceFields = ['archived_at', 'closed_at'] as const;

/** Finds the records and fields that the API cannot write. */
export function findLosses(archive: Archive): Losses {
  const { files } = archive.manifest;
  const fields = new Map<string, number>();
  for (const noun of writableNouns)
    for (const { record } of listSourceRecords(archive, noun)) {
      const names = [
        ...listUnknownFields(noun, record as Parameters<typeof listUnknownFields>[1]),
        ...serviceFields.filter((name) => record[name]),
      ];
      for (const name of names) {
        const label = `${name} of ${toPlural(singularNouns[noun])}`;
        fields.set(label, (fields.get(label) ?? 0) + 1);
      }
    }
  return {
    records: readOnlyNouns.flatMap((noun) =>
      files[noun].records > 0 ? [formatCount(files[noun].records, singularNouns[noun])] : [],
    ),
    fields: Array.from(fields, ([label, count]) => `${label} (${formatCount(count, 'record')})`),
  };
}
