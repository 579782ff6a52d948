import { type WritableNoun, writableNouns } from '../../contract/singular-nouns.ts';
import type { Archive } from '../archive.ts';
import { CopiedIds, Deals } from './copied-ids.ts';
import { Matcher } from './match-records.ts';
import { type RecordPlan, RecordPlanner } from './plan-record.ts';
import type { TargetRecords } from './target-records.ts';
import { listSourceRecords, type SourceRecord } from './transfer-nouns.ts';
import { UsableFields } from './usable-fields.ts';

/**
 * Matches all records of the source with those of the target. `createdIds`: the ids of the records that an interrupted
 * run has created, by row.
 */
export function matchRecords(
  archive: Archive,
  target: TargetRecords,
  createdIds: ReadonlyMap<number, string> = new Map(),
): RecordPlanner {
  // The deals of notes are known to exist.
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

/** Yields the plan of each record. Nothing is sent. */
export function* planRecords(
  archive: Archive,
  planner: RecordPlanner,
): Generator<{ readonly source: SourceRecord; readonly plan: RecordPlan }> {
  for (const noun of writableNouns)
    for (const source of listSourceRecords(archive, noun)) yield { source, plan: planner.planAhead(source) };
  planner.endPlan();
}
