import { type WritableNoun, writableNouns } from '../../contract/singular-nouns.ts';
import { readTexts } from '../../values/field-values.ts';
import { isSameNumber } from '../../values/phone.ts';
import { listFullNameKeys } from '../../values/record-names.ts';
import type { Archive } from '../archive.ts';
import { buildCopyBody, getEntryableNoun, UsableFields } from './build-body.ts';
import { CopiedIds, Deals } from './copied-ids.ts';
import { readLookupKeys } from './match-keys.ts';
import { findMissingValues } from './missing-values.ts';
import { type PlanOptions, RecordPlanner } from './plan-record.ts';
import type { TargetRecords } from './target-records.ts';
import { listSourceRecords, type SourceRecord, type TransferRecord } from './transfer-nouns.ts';

/**
 * Matches all records of the source with those of the target, and returns the planner of their copies. `createdIds`: the
 * ids of the records that an interrupted run has created, by row.
 */
export function matchRecords(
  archive: Archive,
  target: TargetRecords,
  createdIds: ReadonlyMap<number, string> = new Map(),
): RecordPlanner {
  // Only `Deals` asks for entries, and it has read them from the source.
  const isInSource = (noun: WritableNoun, key: string) =>
    noun === 'entries' || archive.getOffsets(noun).has(key);
  const context = {
    ids: new CopiedIds(isInSource),
    fields: new UsableFields(),
    deals: Deals.read(archive),
  };
  for (const { record } of listSourceRecords(archive, 'customFields'))
    context.fields.set(record.model, record.name);
  for (const { record } of listSourceRecords(archive, 'lists'))
    for (const { name } of [record.fields].flat() as readonly { readonly name?: unknown }[])
      context.fields.set(record.id, name);
  new Matcher({ ...context, archive, target, createdIds }).match();
  return new RecordPlanner({ ...context, archive, target });
}

interface MatchOptions extends PlanOptions {
  /** The ids of the records that an interrupted run has created, by row. */
  readonly createdIds: ReadonlyMap<number, string>;
}

const addressNouns: readonly WritableNoun[] = ['organizations', 'contacts'];

/**
 * Finds the records of the target that are copies of source records. A noun is matched in steps over all records, so that
 * a vague match never takes the record of a certain one: created by an interrupted run, an equal address, equal values,
 * and the next record with the same name.
 */
class Matcher {
  readonly #options: MatchOptions;

  constructor(options: MatchOptions) {
    this.#options = options;
  }

  match(): void {
    for (const noun of writableNouns) {
      if (this.#options.createdIds.size > 0) this.#matchEach(noun, (source) => this.#findCreated(source));
      if (addressNouns.includes(noun)) this.#matchEach(noun, (source) => this.#findByAddress(source));
      this.#matchEach(noun, (source) => this.#findEqual(source));
      this.#matchEach(noun, (source) => this.#findNext(source));
    }
  }

  #matchEach(noun: WritableNoun, find: (source: SourceRecord) => string | undefined): void {
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
    const { createdIds, ids } = this.#options;
    const id = createdIds.get(row);
    return id === undefined ? undefined : ids.toTargetKey(noun, id, record.list_id);
  }

  #findByAddress({ noun, record }: SourceRecord): string | undefined {
    const { target, ids } = this.#options;
    const { addresses } = readLookupKeys(noun, record);
    const matches = addresses.flatMap((address) => target.listMatches(noun, address));
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
  #listCandidates(source: SourceRecord): { readonly key: string; readonly record: TransferRecord }[] {
    const { noun, record } = source;
    const { target, ids } = this.#options;
    const mapped = this.#mapReferences(source);
    if (!mapped) return [];
    const { others } = readLookupKeys(noun, mapped);
    const keys = new Set(others.flatMap((key) => target.listMatches(noun, key)));
    return [...keys].flatMap((key) => {
      const candidate = ids.isTaken(noun, key) ? undefined : target.find(noun, key);
      const isMatch = candidate && (noun !== 'contacts' || isSamePerson(record, candidate));
      return isMatch ? [{ key, record: candidate }] : [];
    });
  }

  /** Returns a record with the ids of the target in the references that its keys have; undefined if one has no copy. */
  #mapReferences({ noun, record }: SourceRecord): TransferRecord | undefined {
    const { ids } = this.#options;
    const references: Partial<Record<WritableNoun, readonly [string, WritableNoun][]>> = {
      contacts: [['organization_id', 'organizations']],
      entries: [
        ['list_id', 'lists'],
        ['entryable_id', getEntryableNoun(record)],
      ],
      notes: [['organization_id', 'organizations']],
    };
    const mapped: Record<string, unknown> & { readonly id: string } = { ...record };
    for (const [field, referred] of references[noun] ?? []) {
      const id = record[field];
      if (typeof id !== 'string') continue;
      const copy = ids.get(referred, id);
      // A contact with an address is matched without its organization.
      if (copy === undefined && (noun !== 'contacts' || isBare(record))) return undefined;
      mapped[field] = copy;
    }
    return mapped;
  }
}

const isBare = ({ emails, phone_numbers }: TransferRecord) =>
  readTexts(emails).length === 0 && readTexts(phone_numbers).length === 0;

/** Whether two contacts that share a phone number, or have neither address nor number, are one person. */
function isSamePerson(source: TransferRecord, target: TransferRecord): boolean {
  if (isBare(source)) return true;
  const numbers = readTexts(target.phone_numbers);
  const sharesNumber = readTexts(source.phone_numbers).some((number) =>
    numbers.some((stored) => isSameNumber(stored, number)),
  );
  const [names, stored] = [listFullNameKeys(source), listFullNameKeys(target)];
  const haveNames = names[0] !== '' && stored[0] !== '';
  return sharesNumber && (!haveNames || names.some((name) => stored.includes(name)));
}
