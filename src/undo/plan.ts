import type { Client } from '../client/client.ts';
import type { Noun } from '../records/nouns.ts';
import { findDifferences, flatten } from '../records/reversal.ts';
import { readTexts } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { getRecordName, pickSentValues } from './bodies.ts';
import { type Check, checkRecords, resolveOutcomes } from './check.ts';
import { getWrittenId, type StoredCommand, type StoredWrite } from './journal.ts';
import { describeLosses, describeMissing } from './losses.ts';
import { describeSkipped } from './skipped-references.ts';
import { findReversal, listRelatedSteps } from './steps.ts';

/** A change that an undo makes. */
export interface PlannedChange {
  readonly action: 'update' | 'delete' | 'create';
  readonly record: Noun;
  /** The id of the record; of one that is created again, its earlier id. */
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** The values of an updated record, by field. */
  readonly fields?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  /** The number of records that are created again with it, by kind. */
  readonly related?: Readonly<Partial<Record<Noun, number>>>;
  /** The number of other records that get their values back, by kind. */
  readonly references?: Readonly<Partial<Record<Noun, number>>>;
}

/** The changes and limits of an undo. */
export interface UndoPlan extends Check {
  readonly command: StoredCommand;
  readonly changes: readonly PlannedChange[];
  /** Properties that cannot be restored, as sentences. */
  readonly losses: readonly string[];
}

/** Plans the undo of a command. @throws {Failure} usage if it is not known what the command did */
export async function planUndo(client: Client, stored: StoredCommand): Promise<UndoPlan> {
  const command = await resolveOutcomes(client, stored);
  const reversed = command.writes.toReversed();
  const check = await checkRecords(client, command);
  const skipped = new Set(check.skipped.map(({ key }) => key));
  const changes = reversed.map((write) => toChange(write, skipped)).filter(hasEffect);
  const losses = new Set([...reversed.flatMap(listLosses), ...describeSkipped(check.skipped)]);
  return { command, changes, losses: [...losses], ...check };
}

const hasEffect = ({ action, fields = {} }: PlannedChange) =>
  action !== 'update' || Object.keys(fields).length > 0;

function toChange(write: StoredWrite, skipped: ReadonlySet<string>): PlannedChange {
  const { what: record, before, after, body } = write;
  const common = { record, id: getWrittenId(write), name: getRecordName(record, after ?? before) };
  if (write.action === 'create') return { ...common, action: 'delete' };
  if (write.action === 'delete') return { ...common, action: 'create', ...countRelated(write, skipped) };
  return { ...common, action: 'update', fields: compareFields(body, before ?? {}, after ?? {}) };
}

function countRelated(write: StoredWrite, skipped: ReadonlySet<string>) {
  const related: Partial<Record<Noun, number>> = {};
  const references: Partial<Record<Noun, number>> = {};
  for (const { key, what, action } of listRelatedSteps(write)) {
    if (skipped.has(key)) continue;
    const counts = action === 'create' ? related : references;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return { related, references };
}

function compareFields(body: JsonObject, before: JsonObject, after: JsonObject) {
  const [earlier, later] = [pickSentValues(body, before), pickSentValues(body, after)];
  const [from, to] = [flatten(later), flatten(earlier)];
  const names = findDifferences(earlier, later);
  return Object.fromEntries(names.map((name) => [name, { from: from[name] ?? null, to: to[name] ?? null }]));
}

function listLosses(write: StoredWrite): string[] {
  const { what, action, before = {}, after = {}, missing } = write;
  if (action === 'create') return [];
  if (action === 'delete') return [...describeLosses(what, before), ...missing.map(describeMissing)];
  const lost = findReversal(write).lost.map((name) => `The interface cannot restore the ${name}.`);
  const reordered = ['emails', 'domains'].filter((name) =>
    isReordered(readTexts(before[name]), readTexts(after[name])),
  );
  const isReopened = before.closed_at !== after.closed_at && typeof before.closed_at === 'string';
  return [
    ...lost,
    ...reordered.map((name) => `The restored ${name} come after the others.`),
    ...(isReopened ? ['The entry gets a new closing time.'] : []),
    ...(what === 'list' && closesAgain(before.statuses, after.statuses)
      ? ['Entries that are closed again get new closing times.']
      : []),
  ];
}

/** Whether a status that closed entries no longer does. */
function closesAgain(before: unknown, after: unknown): boolean {
  const listOfType = (statuses: unknown, isActive: boolean) =>
    (Array.isArray(statuses) ? statuses : [])
      .map(readObject)
      .filter(({ type }) => (type === 'active') === isActive)
      .map(({ name }) => name);
  const active = listOfType(after, true);
  return listOfType(before, false).some((name) => active.includes(name));
}

/** Whether removed texts came before others that still exist. */
function isReordered(before: readonly string[], after: readonly string[]): boolean {
  const restored = [
    ...after.filter((text) => before.includes(text)),
    ...before.filter((text) => !after.includes(text)),
  ];
  return restored.join('\n') !== before.join('\n');
}

/** Returns a plan as JSON output has it. */
export const toPlanDocument = ({ command, changes, losses }: UndoPlan, isUndone: boolean) => ({
  command: command.command,
  at: command.at,
  changes: changes.map((change) => readObject(change)),
  not_restored: losses,
  undone: isUndone,
});
