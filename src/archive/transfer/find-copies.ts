import { type WritableNoun, writableNouns } from '../../contract/singular-nouns.ts';
import {
  haveOtherNames,
  isNamedNoun,
  listAddressKeys,
  listMatchSteps,
  sharesNumber,
} from '../../records/match.ts';
import { readTexts } from '../../values/field-values.ts';
import type { Archive } from '../archive.ts';
import { buildCopyBody, getEntryableNoun, UsableFields } from './build-body.ts';
import { CopiedIds, Deals } from './copied-ids.ts';
import { findMissingValues } from './missing-values.ts';
import { type PlanOptions, RecordPlanner } from './plan-record.ts';
import type { TargetRecords } from './target-records.ts';
import { listSourceRecords, type SourceRecord, type TransferRecord } from './transfer-nouns.ts';

/**
 * Finds the records of the target that are copies of records of the source, and returns the planner of the transfer.
 * `createdIds`: the ids of the records that an interrupted run has created, by row.
 */
export function findCopies(
  archive: Archive,
  target: TargetRecords,
  createdIds: ReadonlyMap<number, string> = new Map(),
): RecordPlanner {
  // Only `Deals` asks for entries, and it has read them from the source.
  const isInSource = (noun: WritableNoun, key: string) =>
    noun === 'entries' || archive.getOffsets(noun).has(key);
  const fields = new UsableFields();
  for (const { record } of listSourceRecords(archive, 'customFields')) fields.set(record.model, record.name);
  for (const { record } of listSourceRecords(archive, 'lists'))
    for (const { name } of [record.fields].flat() as readonly { readonly name?: unknown }[])
      fields.set(record.id, name);
  const options = { archive, target, fields, ids: new CopiedIds(isInSource), deals: Deals.read(archive) };
  const finder = new CopyFinder(options, createdIds);
  for (const noun of writableNouns) finder.find(noun);
  return new RecordPlanner(options);
}

/** A record of the target, with its key there. */
interface Candidate {
  readonly key: string;
  readonly record: TransferRecord;
}

/**
 * Finds copies in steps over all records of a noun, so that a vague match never takes the record of a certain one. A record
 * of the target is the copy of one record, unless several have one of its addresses.
 */
class CopyFinder {
  readonly #options: PlanOptions;
  readonly #createdIds: ReadonlyMap<number, string>;

  constructor(options: PlanOptions, createdIds: ReadonlyMap<number, string>) {
    this.#options = options;
    this.#createdIds = createdIds;
  }

  find(noun: WritableNoun): void {
    if (this.#createdIds.size > 0) this.#findEach(noun, (source) => this.#findCreated(source));
    if (noun === 'organizations' || noun === 'contacts')
      this.#findEach(noun, (source) => this.#findByAddress(source));
    this.#findEach(noun, (source) => this.#findEqual(source));
    if (isNamedNoun(noun))
      this.#findEach(noun, (source) => this.#listCandidates(source).find(hasExactNameOf(source))?.key);
    this.#findEach(noun, (source) => this.#findNext(source));
  }

  /** `find`: returns the key of the copy. */
  #findEach(noun: WritableNoun, find: (source: SourceRecord) => string | undefined): void {
    const { archive, ids, deals, target } = this.#options;
    for (const source of listSourceRecords(archive, noun)) {
      if (ids.get(noun, source.key) !== undefined) continue;
      const targetKey = find(source);
      const record = targetKey === undefined ? undefined : target.find(noun, targetKey);
      if (targetKey === undefined || !record) continue;
      ids.set(noun, source.key, record.id, targetKey);
      if (noun === 'entries') deals.addCopy(source, record.id, record.key);
    }
  }

  #findCreated({ noun, row, record }: SourceRecord): string | undefined {
    const id = this.#createdIds.get(row);
    return id === undefined ? undefined : this.#options.ids.toTargetKey(noun, id, record.list_id);
  }

  #findByAddress({ noun, record }: SourceRecord): string | undefined {
    const { target, ids } = this.#options;
    const matches = target.listMatches(noun, listAddressKeys(noun, record));
    return matches.find((key) => !ids.isTaken(noun, key)) ?? matches[0];
  }

  #findEqual(source: SourceRecord): string | undefined {
    const candidates = this.#listCandidates(source);
    if (candidates.length === 0) return undefined;
    const { body, hasPending } = buildCopyBody(source, this.#options);
    if (hasPending) return undefined;
    return candidates.find(({ record }) => {
      const missing = findMissingValues(source.noun, body, record);
      return Object.keys(missing.body).length === 0 && missing.kept.length === 0;
    })?.key;
  }

  #findNext(source: SourceRecord): string | undefined {
    const candidates = this.#listCandidates(source);
    if (source.noun !== 'entries' || !this.#mayHaveDuplicates(source)) return candidates[0]?.key;
    // Another entry of the same record is another deal.
    return candidates.find(({ record }) => record.key && record.key === source.record.key)?.key;
  }

  #mayHaveDuplicates({ record }: SourceRecord): boolean {
    const { target, ids } = this.#options;
    const list = target.find('lists', ids.get('lists', String(record.list_id)) ?? '');
    return list?.process === true && list.duplicates_allowed !== false;
  }

  /** Returns the records that may be the copy, and are not the copy of another record. */
  #listCandidates(source: SourceRecord): Candidate[] {
    const { noun, record } = source;
    const { target, ids } = this.#options;
    const steps = listMatchSteps(noun, this.#mapReferences(source));
    const keys = target.listMatches(
      noun,
      steps.flatMap((step) => step.keys),
    );
    return keys.flatMap((key) => {
      const candidate = ids.isTaken(noun, key) ? undefined : target.find(noun, key);
      return candidate && mayBeCopy(noun, record, candidate) ? [{ key, record: candidate }] : [];
    });
  }

  /** Returns a record with the ids of the target in the references by which it is matched. */
  #mapReferences({ noun, record }: SourceRecord): TransferRecord {
    const references: Partial<Record<WritableNoun, Readonly<Record<string, WritableNoun>>>> = {
      contacts: { organization_id: 'organizations' },
      entries: { list_id: 'lists', entryable_id: getEntryableNoun(record) },
      notes: { organization_id: 'organizations' },
    };
    const mapped = Object.entries(references[noun] ?? {}).flatMap(([field, referred]) => {
      const id = record[field];
      // Without a copy, no record of the target has the reference.
      return typeof id === 'string' ? [[field, this.#options.ids.get(referred, id) ?? `missing ${id}`]] : [];
    });
    return { ...record, ...Object.fromEntries(mapped) };
  }
}

/** Returns a function that says whether a record has the same name in the same spelling. */
const hasExactNameOf = (source: SourceRecord) => (candidate: Candidate) =>
  ['name', 'first_name', 'last_name'].every(
    (field) => (source.record[field] ?? '') === (candidate.record[field] ?? ''),
  );

/** Whether a record that is matched by other values than an address may be the copy of another one. */
function mayBeCopy(noun: WritableNoun, source: TransferRecord, target: TransferRecord): boolean {
  const areSame = (...fields: readonly string[]) => fields.every((field) => source[field] === target[field]);
  switch (noun) {
    case 'contacts': {
      const isUnnumbered = readTexts(source.phone_numbers).length === 0; // it is matched by its name
      return isUnnumbered || (sharesNumber(target, source) && !haveOtherNames(source, target));
    }
    case 'customFields':
      return areSame('model', 'name'); // values name their field exactly
    case 'lists':
      return areSame('process', 'entry_type');
    default:
      return true;
  }
}
