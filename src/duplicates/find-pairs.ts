import { yieldToSignals } from '../values/concurrency.ts';
import { hashText } from '../values/hash.ts';

/** The evidence that two records are duplicates. */
export interface Match {
  /** From 0 to 100. */
  readonly score: number;
  readonly reasons: readonly string[];
}

/** Two likely duplicates, by their positions in the list. */
interface Pair extends Match {
  readonly first: number;
  readonly second: number;
}

/** How records are compared. */
export interface PairRules<T> {
  /** Returns keys of which two duplicates have at least one in common. */
  readonly listKeys: (record: T) => readonly string[];
  /** Compares two records with a common key; undefined if nothing suggests a duplicate. */
  readonly compare: (left: T, right: T) => Match | undefined;
}

/** If more records share a key, each is compared only with the first of them: n records have n² pairs. */
const maxGroup = 20;

/** Records between two checks for signals. */
const batchSize = 2000;

/** Finds the pairs of records that may be duplicates, the most likely first, then in the order of the list. */
export async function findPairs<T>(
  records: readonly T[],
  { listKeys, compare }: PairRules<T>,
  { minScore, signal }: { readonly minScore: number; readonly signal: AbortSignal },
): Promise<Pair[]> {
  const keys = createKeyTable();
  for (const [index, record] of records.entries()) {
    for (const key of new Set(listKeys(record))) keys.add(key, index);
    if (index % batchSize === 0) await yieldToSignals(signal);
  }
  const pairs = new Map<number, Pair>();
  const add = (first: number, second: number) => {
    const id = first * maxRecords + second;
    const [left, right] = [records[first], records[second]];
    if (first === second || pairs.has(id) || left === undefined || right === undefined) return;
    const match = compare(left, right);
    if (match && match.score >= minScore) pairs.set(id, { first, second, ...match });
  };
  let count = 0;
  for (const group of keys.iterateGroups()) {
    for (const [position, first] of group.entries()) {
      if (position > 0 && group.length > maxGroup) break;
      for (const second of group.slice(position + 1)) add(first, second);
    }
    count += 1;
    if (count % batchSize === 0) await yieldToSignals(signal);
  }
  return [...pairs.values()].sort((a, b) => b.score - a.score || a.first - b.first || a.second - b.second);
}

/** Combines independent evidence: each further reason makes a pair more likely. */
export function combineScores(scores: readonly number[]): number {
  return Math.round(100 - 100 * scores.reduce((doubt, score) => doubt * (1 - score / 100), 1));
}

/** A key is stored as one number: 30 bits of a hash, and 23 bits for the position of its record. */
const maxRecords = 2 ** 23;

/** Collects the keys of records by their hashes, in 8 bytes each. */
function createKeyTable() {
  let table = new Float64Array(1024);
  let size = 0;
  return {
    add(key: string, index: number): void {
      if (size === table.length) {
        const largerTable = new Float64Array(2 * size);
        largerTable.set(table);
        table = largerTable;
      }
      table[size] = (hashText(key)[0] >>> 2) * maxRecords + index;
      size += 1;
    },
    /** Yields the positions of records with the same hash, in ascending order. */
    *iterateGroups(): Generator<number[]> {
      const sortedKeys = table.subarray(0, size).sort();
      let hash = -1;
      let group: number[] = [];
      for (const entry of sortedKeys) {
        const next = Math.floor(entry / maxRecords);
        if (next !== hash && group.length > 1) yield group;
        if (next !== hash) group = [];
        hash = next;
        group.push(entry % maxRecords);
      }
      if (group.length > 1) yield group;
    },
  };
}
