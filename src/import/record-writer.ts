import type { Client } from '../client/client.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import type { RecordField } from '../contract/field-table.ts';
import { isSameValue, readDataType } from '../contract/field-types.ts';
import { listFields } from '../contract/list-fields.ts';
import { replacedLists } from '../contract/received.ts';
import type { SingularNoun } from '../contract/singular-nouns.ts';
import { isSameFieldValue } from '../records/compare.ts';
import { findDefinedValue, isFieldContainer, readTexts } from '../values/field-values.ts';
import { readObject } from '../values/json-object.ts';
import type { LoggedWrite } from '../writes/log.ts';
import { readRecord, type Write } from '../writes/nouns.ts';
import type { WriteRun } from '../writes/run.ts';
import { pickValues, replaceValues, type StoredRecord, toBody, type Values } from '../writes/values.ts';
import type { NamedValue, RowPlan } from './mapping.ts';
import { type Action, Refusal, type Step } from './outcome.ts';

/** A row whose values are written. */
export interface RowWrites {
  readonly row: number;
  readonly plan: RowPlan;
  /** The row's part of the writes so far. */
  readonly steps: Step[];
}

/** The rows about one record, which are written at once. */
export interface GroupWrites {
  readonly key: string;
  readonly rows: readonly RowWrites[];
  /** Sends writes. If omitted, it is a dry run: nothing is sent. */
  readonly run: WriteRun | undefined;
  /** Creates the fields of --create-fields before the first write. */
  readonly createFields: (row: number) => Promise<unknown>;
  /** Returns the first write of an interrupted run to the record of these rows. */
  readonly findEarlier: (noun: SingularNoun) => Pick<LoggedWrite, 'before'> | undefined;
}

/** The record that a group of rows describes. */
interface RecordPlan {
  /** Returns the own fields of a row for a new record, or those that differ from an existing one. */
  readonly planFields: (row: RowWrites, existing: StoredRecord | undefined) => Values;
  /** Returns the values of its custom fields or list fields. */
  readonly listValues: (row: RowWrites) => readonly NamedValue[];
  /** The keys of the record in the index. */
  readonly keys: readonly string[];
  /** Whether values match the rows. If omitted, any record with a common key matches. */
  readonly isMatch?: (values: Values) => boolean;
  /** Whether the service refused the create because the record may exist. The writer then looks it up. */
  readonly isDuplicate?: (error: unknown) => boolean;
  /** Finds the record on the service, even if the index has it. `onlyNew`: searches only the records added since. */
  readonly lookUp: (onlyNew: boolean) => Promise<StoredRecord | undefined>;
}

/** The part of a row in the write of its record. */
interface RowChange {
  readonly row: RowWrites;
  readonly step: Step;
}

/** A kind of record, and the list of an entry. */
type Place = Pick<Step, 'noun' | 'list_id'>;

/** Writes one kind of record, and tracks the writes whose outcome is unknown. */
export class RecordWriter {
  readonly #client: Client;
  readonly #place: Place;
  /** The member of a record that contains the values of custom fields or list fields. */
  readonly #container: 'custom_fields' | 'list_fields';
  /** The creates whose response was lost, by the keys of their records. */
  readonly #lostCreates = new Map<string, { readonly row: number; readonly body: Values }[]>();
  /** The ids of the records of the groups so far. */
  readonly #savedIds = new Set<string>();

  constructor(client: Client, place: Place) {
    this.#client = client;
    this.#place = place;
    this.#container = place.noun === 'entry' ? 'list_fields' : 'custom_fields';
  }

  /**
   * Updates the values that differ from the current record. If there is no record, creates one, unless it was created
   * since. Sends at most one write for all rows.
   * @throws {Failure} unknown if an earlier create of the same record lost its response and the record is not visible
   */
  async save(group: GroupWrites, current: StoredRecord | undefined, plan: RecordPlan): Promise<StoredRecord> {
    // The rows of another group may have given their record a value of this one.
    const lookUp = async (onlyNew: boolean) => {
      const record = await plan.lookUp(onlyNew);
      return record && this.#savedIds.has(record.id) ? undefined : record;
    };
    const groupPlan = { ...plan, lookUp };
    const existing = current ?? (await this.#findCreated(group, groupPlan));
    const savedRecord = await this.#write(group, existing, groupPlan).catch(async (error: unknown) => {
      const created = !existing && plan.isDuplicate?.(error) ? await lookUp(false) : undefined;
      if (!created) throw error;
      return this.#write(group, created, groupPlan);
    });
    this.#savedIds.add(savedRecord.id);
    return savedRecord;
  }

  /** Returns the record if another run, or a create with a lost response, has created it meanwhile. */
  async #findCreated(
    { run }: GroupWrites,
    { keys, isMatch, lookUp }: RecordPlan,
  ): Promise<StoredRecord | undefined> {
    const lostCreate = keys
      .flatMap((key) => this.#lostCreates.get(key) ?? [])
      .find(({ body }) => isMatch?.(body) ?? true);
    if (!lostCreate) return run && keys.length > 0 ? lookUp(true) : undefined;
    const record = await lookUp(false);
    if (record) return record;
    throw new Failure(
      'unknown',
      `Row ${lostCreate.row} may have created this ${this.#place.noun}: its response was lost, and the service does not show it yet.`,
    );
  }

  async #write(
    group: GroupWrites,
    existing: StoredRecord | undefined,
    plan: RecordPlan,
  ): Promise<StoredRecord> {
    const { noun } = this.#place;
    const changes = this.#planChanges(group.rows, existing, plan);
    const record = await this.#send(group, changes, existing, plan);
    // The interrupted run may have written the record already, so its rows need no further change.
    const earlier = group.findEarlier(noun);
    const steps = earlier ? this.#planChanges(group.rows, earlier.before as StoredRecord, plan) : changes;
    for (const { row, step } of steps) row.steps.push({ ...step, ...(group.run && { recordId: record.id }) });
    return record;
  }

  /** Returns the changes of each row, relative to the rows before it. */
  #planChanges(
    rows: readonly RowWrites[],
    existing: StoredRecord | undefined,
    { planFields, listValues }: RecordPlan,
  ): RowChange[] {
    const container = this.#container;
    let record = existing;
    return rows.flatMap((row): RowChange[] => {
      const values = listValues(row);
      const changedValues = record ? findChangedValues(record[container], values) : values;
      const map = Object.fromEntries(changedValues.map(({ name, value }) => [name, value]));
      const body = { ...planFields(row, record), ...(changedValues.length > 0 && { [container]: map }) };
      if (record && Object.keys(body).length === 0) return [];
      const step = {
        ...this.#place,
        id: record?.id,
        body,
        ...(record && { before: pickValues(body, record) }),
      };
      record = predictRecord(step, record, row.row);
      return [{ row, step }];
    });
  }

  /**
   * Sends the changes of all rows in one write, and returns the record after it. A dry run only predicts the record.
   * @throws {Failure} unknown if the response was lost
   */
  async #send(
    { rows: [first], run, createFields }: GroupWrites,
    changes: readonly RowChange[],
    existing: StoredRecord | undefined,
    { keys, lookUp }: RecordPlan,
  ): Promise<StoredRecord> {
    const row = changes[0]?.row.row ?? first?.row ?? 0;
    const body = changes.map(({ step }) => step.body).reduce(mergeBodies, {});
    const id = existing?.id;
    const predicted = predictRecord({ ...this.#place, id, body }, existing, row);
    if (existing && changes.length === 0) return existing;
    if (!run) return predicted;
    const { noun } = this.#place;
    const write: Write = { ...this.#place, id, action: existing ? 'update' : 'create', body: toBody(body) };
    await createFields(row);
    try {
      const result = await run.write(write, { ...(existing && { before: { ...existing } }), row });
      // The specification shows no response to a write. Without a response, the record has the values of the request.
      const record = result.record ?? (existing ? predicted : await run.findCreated(write));
      if (record) return record as StoredRecord; // as the service returned it
      throw new Failure('unknown', `The ${noun} was created, but the service did not return its id.`);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'unknown') throw error;
      if (!existing)
        for (const key of keys)
          this.#lostCreates.set(key, [...(this.#lostCreates.get(key) ?? []), { row, body }]);
      const reading = id === undefined ? lookUp(false) : readRecord(this.#client, { ...this.#place, id });
      // If the service is down or refuses the key, the import ends, because the other rows would fail too.
      await reading.catch((failure: unknown) => {
        if (!isRecordFailure(failure) && !(failure instanceof Refusal)) throw failure;
      });
      throw error;
    }
  }
}

/** Returns the fields of a record whose values an update adds to. */
const listAdded = (body: Values): RecordField[] =>
  (['contacts', 'organizations'] as const)
    .flatMap(listFields)
    .filter(({ key, listUpdate }) => listUpdate === 'add' && body[key] !== undefined);

/** Merges the bodies of two successive writes to a record. */
function mergeBodies(first: Values, second: Values): Values {
  const mergedValues = Object.entries(second).map(([name, value]) => {
    if (isFieldContainer(name)) return [name, { ...readObject(first[name]), ...readObject(value) }];
    const isAdded = listAdded(second).some(({ key }) => key === name);
    return [name, isAdded ? [...readTexts(first[name] ?? []), ...readTexts(value)] : value];
  });
  return { ...first, ...Object.fromEntries(mergedValues) };
}

/** Returns the new values that differ from the values of a record. */
function findChangedValues(container: unknown, newValues: readonly NamedValue[]): NamedValue[] {
  return newValues.filter(
    ({ name, value, data_type }) =>
      !isSameFieldValue(findDefinedValue(container, name), value, {
        key: name,
        type: readDataType(data_type),
      }),
  );
}

/** The empty lists of a new record. */
const emptyLists = Object.fromEntries(replacedLists.map((name) => [name, []]));

/** Predicts the record after a step. */
export function predictRecord(
  { body, id }: Pick<Step, 'body' | 'id'>,
  current: StoredRecord | undefined,
  row: number,
): StoredRecord {
  const addedTexts = listAdded(body).map(({ key, type }) => {
    const texts = [...readTexts(readObject(current)[key] ?? []), ...readTexts(body[key])];
    const isNew = (text: string, at: number) =>
      texts.findIndex((stored) => isSameValue(stored, text, type)) === at;
    return [key, texts.filter(isNew)];
  });
  return replaceValues(current, {
    ...(!current && emptyLists),
    ...body,
    id: id ?? `row ${row}`,
    ...Object.fromEntries(addedTexts),
  });
}

/** Returns the action of a row. A write to another record makes it an update. */
export function classifySteps(main: SingularNoun, steps: readonly Step[]): Action {
  if (steps.length === 0) return 'same';
  return steps.some(({ noun, id }) => noun === main && id === undefined) ? 'create' : 'update';
}
