import type { OpenRun } from '../../../cli/write-run.ts';
import type { Client } from '../../../client/client.ts';
import type { Result } from '../../../contract/documents/results.ts';
import { Failure } from '../../../contract/errors.ts';
import { toSingularNoun, type WritableNoun, writableNouns } from '../../../contract/singular-nouns.ts';
import { isObject, type JsonObject } from '../../../values/json-object.ts';
import { readTagged, type Write } from '../../../writes/nouns.ts';
import { buildWrites, listDifferences, mergeChanges } from '../../edit/edit-document.ts';
import { listDocumentFields } from '../document-fields.ts';
import type { PlannedDeletion, PlannedUpdate, PushPlan } from './plan-push.ts';
import type { PushedFiles } from './pushed-files.ts';
import { type NewRecord, readProvisionalId } from './read-new.ts';

/** The outcome of one record of a push. `skipped`: the file refers to a new record that was not created. */
type PushStatus = Result<'pushed-file'>['status'];

export interface PushOutcome {
  readonly status: PushStatus;
  readonly noun: WritableNoun;
  readonly id: string | null;
  readonly file: string;
  readonly failure?: Failure;
}

type SentRecord = Pick<PushOutcome, 'status'> & Partial<PushOutcome>;

/** A record to write. */
export type PushItem =
  | { readonly action: 'create'; readonly record: NewRecord }
  | { readonly action: 'update'; readonly update: PlannedUpdate }
  | { readonly action: 'delete'; readonly deletion: PlannedDeletion };

/** Returns the records to write in steps. Records of one step do not depend on each other. */
export function listSteps({ creates, updates, deletions }: PushPlan): readonly (readonly PushItem[])[] {
  const isDefinition = (noun: WritableNoun) => noun === 'customFields' || noun === 'lists';
  const create = (noun: WritableNoun): PushItem[] =>
    creates.filter((record) => record.noun === noun).map((record) => ({ action: 'create', record }));
  const update = (isFirst: boolean): PushItem[] =>
    updates
      .filter(({ edited }) => isDefinition(edited.noun) === isFirst)
      .map((planned) => ({ action: 'update', update: planned }));
  const remove = (noun: WritableNoun): PushItem[] =>
    deletions
      .filter((deletion) => deletion.noun === noun)
      .map((deletion) => ({ action: 'delete', deletion }));
  return [
    create('customFields'),
    update(true),
    ...writableNouns.slice(1).map(create),
    update(false),
    ...writableNouns.toReversed().map(remove),
  ].filter((step) => step.length > 0);
}

/** Returns the writes of a record. They add values before they remove others, so that a failure loses no value. */
export function listWrites(item: PushItem, replaceIds = (value: unknown) => value): Write[] {
  const toPath = (noun: WritableNoun, id: string | undefined, list_id: string | undefined) => ({
    noun: toSingularNoun(noun),
    ...(id !== undefined && { id }),
    ...(list_id !== undefined && { list_id: String(replaceIds(list_id)) }),
  });
  if (item.action === 'create') {
    const { noun, list_id, body } = item.record;
    const sent = replaceIds(body) as JsonObject; // it replaces texts in it
    return [{ ...toPath(noun, undefined, list_id), action: 'create', body: sent }];
  }
  if (item.action === 'delete') {
    const { noun, entry } = item.deletion;
    return [{ ...toPath(noun, entry.id, entry.list_id), action: 'delete', body: {} }];
  }
  const { edited, changes } = item.update;
  const path = toPath(edited.noun, edited.entry.id, edited.entry.list_id);
  const { body, removals } = buildWrites(
    changes.map((change) => ({ ...change, after: replaceIds(change.after) })),
  );
  return [
    ...(Object.keys(body).length > 0 ? [{ ...path, action: 'update', body } as const] : []),
    ...(Object.keys(removals).length > 0 ? [{ ...path, action: 'remove', body: removals } as const] : []),
  ];
}

/** Sends the writes of a push, and brings each file up to date with the response. */
export class PushSender {
  readonly #client: Client;
  readonly #opened: OpenRun;
  readonly #files: PushedFiles;
  /** The ids of created records by their files. */
  readonly #ids = new Map<string, string>();

  constructor(client: Client, opened: OpenRun, files: PushedFiles) {
    this.#client = client;
    this.#opened = opened;
    this.#files = files;
  }

  async *send(steps: ReturnType<typeof listSteps>): AsyncGenerator<PushOutcome> {
    for (const step of steps)
      yield* this.#opened.run.each(step, {
        write: async (item) => ({ ...describeItem(item), ...(await this.#sendItem(item)) }),
        fail(item, failure, isUnknown): PushOutcome {
          const status = failure.code === 'changed' ? 'conflict' : isUnknown ? 'unknown' : 'failed';
          return { ...describeItem(item), status, failure };
        },
      });
  }

  async #sendItem(item: PushItem): Promise<SentRecord> {
    if (item.action === 'create') return this.#create(item.record);
    const send = (current = {}) =>
      item.action === 'update'
        ? this.#update({ ...item.update, ...current })
        : this.#delete({ ...item.deletion, ...current });
    const { etag } = item.action === 'update' ? item.update : item.deletion;
    try {
      if (etag !== undefined) return await send();
    } catch (error) {
      // The creation of a custom field changes the version of all contacts, and other fields may have changed.
      if (!(error instanceof Failure) || error.code !== 'changed') throw error;
    }
    const current = await this.#readAgain(item);
    if (current) return send(current);
    throw new Failure('changed', 'Someone else has changed the record on the service meanwhile.');
  }

  /** Reads a record again that has another version; undefined if its change is a conflict. */
  async #readAgain(item: Exclude<PushItem, { readonly action: 'create' }>) {
    const { entry, noun } = item.action === 'update' ? item.update.edited : item.deletion;
    const { id, list_id } = entry;
    const read = await readTagged(this.#client, { noun: toSingularNoun(noun), id, list_id });
    if (!read) return undefined;
    const { value, etag } = read;
    const { context } = item.action === 'update' ? item.update.edited : item.deletion;
    const fields = listDocumentFields(noun, value, context);
    const { current } = item.action === 'update' ? item.update : item.deletion;
    const earlier = listDocumentFields(noun, current, context);
    if (item.action === 'update') {
      const { changes, serviceChanges } = mergeChanges(item.update.changes, earlier, fields);
      const isConflict = changes.length > 0 && serviceChanges.length > 0;
      return isConflict ? undefined : { changes, current: value, etag };
    }
    return listDifferences(earlier, fields).length > 0 ? undefined : { current: value, etag };
  }

  async #create(record: NewRecord): Promise<SentRecord> {
    const { file, list_id } = record;
    const missing = [list_id, ...listTexts(record.body)]
      .map(readProvisionalId)
      .find((other) => other !== undefined && !this.#ids.has(other));
    if (missing !== undefined)
      return { status: 'skipped', failure: new Failure('partial', `${missing} was not created.`) };
    const [write] = listWrites({ action: 'create', record }, (value) => this.#replaceIds(value)) as [Write]; // a create has one
    const { run, recorder } = this.#opened;
    const row = recorder ? this.#files.addRow(file) : undefined;
    const sent = await run.write(write, { row });
    const created = sent.record ?? (await run.findCreated(write));
    if (!created)
      throw new Failure('unknown', 'The record was created, but the service did not return its id.');
    const id = String(created.id);
    this.#ids.set(file, id);
    await this.#files.adopt(record, created);
    return { status: 'created', id };
  }

  async #update(planned: PlannedUpdate): Promise<SentRecord> {
    const { edited, changes, current } = planned;
    const ids = changes.flatMap(({ after }) => listTexts({ after })).map(readProvisionalId);
    const missing = ids.find((file) => file !== undefined && !this.#ids.has(file));
    if (missing !== undefined)
      return { status: 'skipped', failure: new Failure('partial', `${missing} was not created.`) };
    const writes = listWrites({ action: 'update', update: planned }, (value) => this.#replaceIds(value));
    let record: JsonObject = current;
    let { etag } = planned;
    for (const write of writes) {
      const sent = await this.#opened.run.write(write, { before: record, ifMatch: etag });
      record = sent.record ?? record;
      etag = undefined; // the service would refuse an earlier version's tag
    }
    const file = await this.#files.update(edited.noun, edited, record);
    return { status: 'updated', file };
  }

  async #delete(deletion: PlannedDeletion): Promise<SentRecord> {
    const { current, etag } = deletion;
    const [write] = listWrites({ action: 'delete', deletion }) as [Write]; // a deletion has one
    await this.#opened.run.write(write, { before: current, ifMatch: etag });
    this.#files.forget(deletion);
    return { status: 'deleted' };
  }

  /** Replaces provisional ids in a value. */
  #replaceIds(value: unknown): unknown {
    const file = readProvisionalId(value);
    if (file !== undefined) return this.#ids.get(file) ?? value;
    if (Array.isArray(value)) return value.map((item) => this.#replaceIds(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#replaceIds(item)]));
  }
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isObject(value) ? Object.values(value).flatMap(listTexts) : [];
}

function describeItem(item: PushItem): Pick<PushOutcome, 'noun' | 'id' | 'file'> {
  if (item.action === 'create') return { noun: item.record.noun, id: null, file: item.record.file };
  if (item.action === 'update') {
    const { noun, entry, file } = item.update.edited;
    return { noun, id: entry.id, file };
  }
  const { noun, entry } = item.deletion;
  return { noun, id: entry.id, file: entry.file };
}
