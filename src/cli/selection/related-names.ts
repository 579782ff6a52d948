import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import { listRelatedRecords } from '../../contract/list-fields.ts';
import type { ListedNoun } from '../../contract/singular-nouns.ts';
import type { NameKind, Reference } from '../../render/collect-references.ts';
import type { Column, View } from '../../render/columns.ts';
import { findFieldColumn } from '../../render/columns.ts';
import { listItems } from '../../render/display.ts';
import { createPathColumn, omitEmptyValues } from '../../render/select.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { joinMembers, listRawMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { type CommandResult, toBatches } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { readFirst } from '../command/records.ts';
import { createNames } from '../references/name-loader.ts';
import { createEntryOrganizationField } from './related-fields.ts';

/** The records that a field refers to. Their names become the member `name` of a new member of the record. */
export interface Relation {
  /** The name of the new member: `organization`. */
  readonly member: string;
  /** The column with the ids. */
  readonly column: Column;
  /** Reads the ids that the records themselves do not contain. */
  readonly load?: (records: readonly JsonObject[]) => Promise<void>;
}

/** Finds the relation of `--fields MEMBER.name` among the fields of a noun; undefined if it refers to no records. */
export async function findRelation(
  session: Session,
  noun: ListedNoun,
  member: string,
): Promise<Relation | undefined> {
  if (noun === 'entries' && member === 'organization') {
    const field = createEntryOrganizationField(session);
    const cell = (record: JsonObject) => field.read(record)[0];
    return {
      member,
      column: { name: member, cell, reference: () => 'organization' },
      load: async (records) => field.load?.(records, []),
    };
  }
  const column = findFieldColumn(noun, member) ?? findFieldColumn(noun, `${member}_id`);
  return column?.reference && { member, column };
}

/** Loads names. @throws {Failure} if a request fails */
type LoadNames = (references: readonly Reference[]) => Promise<void>;

/** Adds the names of related records to records: `{"organization": {"name": "Hanbit"}}`; null if there is none. */
export async function* addNames(
  session: Session,
  batches: AsyncIterable<Batch>,
  relations: readonly Relation[],
  wrapLoad = (load: LoadNames): LoadNames => load,
): AsyncGenerator<Batch> {
  const names = createNames(session, { isRequired: true });
  const loadNames = wrapLoad((references) => names.load(references));
  for await (const batch of batches) {
    const records = batch.records.map(({ value }) => readObject(value));
    for (const { load } of relations) await load?.(records);
    await loadNames(
      relations.flatMap(({ column }) => records.flatMap((record) => listReferences(column, record))),
    );
    const findName = (kind: NameKind, id: string) => {
      const name = names.get(kind, id);
      return name === id ? null : name;
    };
    yield { ...batch, records: batch.records.map((record) => addMembers(record, relations, findName)) };
  }
}

function addMembers(
  record: RawJson,
  relations: readonly Relation[],
  findName: (kind: NameKind, id: string) => string | null,
): RawJson {
  const object = readObject(record.value);
  const members = relations.map(({ member, column }) => {
    const names = listReferences(column, object).map(({ kind, id }) => findName(kind, id));
    return [member, toRawJson({ name: names.length > 1 ? names : (names[0] ?? null) })] as const;
  });
  return joinMembers([...listRawMembers(record), ...members]);
}

function listReferences(column: Column, record: JsonObject): readonly Reference[] {
  const kind = column.reference?.(record);
  if (kind === undefined) return [];
  const ids = new Set(
    listItems({ ...column, display: column.cell }, record)
      .filter(Boolean)
      .map(String),
  );
  return Array.from(ids, (id) => ({ kind, id }));
}

/** Adds the names of related records to the records of a result. Removes the empty values of a noun's records. */
export async function* readCompactRows(
  session: Session,
  batches: AsyncIterable<Batch>,
  ownView: View,
): AsyncGenerator<Batch> {
  const { noun, recordType } = ownView;
  const others = noun
    ? listRelatedRecords(noun).flatMap((name) => findFieldColumn(noun, `${name}_id`) ?? [])
    : [];
  const view: View = (records) => [...ownView(records), ...others];
  for await (const batch of addListedNames(session, batches, view))
    yield recordType ? { ...batch, records: batch.records.map(omitEmptyValues) } : batch;
}

/** Adds a column with the name beside each column with an id: `organization.name` beside `organization_id`. */
export function addNameColumns(
  session: Session,
  result: Exclude<CommandResult, { readonly kind: 'text' }>,
): CommandResult {
  const { view } = result;
  return {
    kind: 'records',
    batches: addListedNames(session, toBatches(result), view),
    view: (records) => {
      const columns = view(records);
      const relations = listRelations(columns, records);
      return columns.flatMap((column) => {
        const relation = relations.find((relation) => relation.column === column);
        return relation ? [column, createPathColumn([relation.member, 'name'])] : [column];
      });
    },
  };
}

async function* addListedNames(
  session: Session,
  batches: AsyncIterable<Batch>,
  view: View,
): AsyncGenerator<Batch> {
  const { batches: all, first } = await readFirst(batches);
  const records = first?.records.map(({ value }) => readObject(value)) ?? [];
  const relations = listRelations(view(records), records).filter(
    ({ member }) => !records.some((record) => Object.hasOwn(record, member)),
  );
  yield* addNames(session, all, relations, (load) => skipForbidden(session, load));
}

/** Skips the names of records that the key may not read, because the user has not requested the names. */
function skipForbidden(session: Session, load: LoadNames): LoadNames {
  const forbiddenKinds = new Set<NameKind>();
  const loadKind = async (kind: NameKind, references: readonly Reference[]) => {
    try {
      if (!forbiddenKinds.has(kind)) await load(references.filter((reference) => reference.kind === kind));
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'forbidden')) throw error;
      forbiddenKinds.add(kind);
      await session.messages.warn(`The result has no names of ${kind}s: ${error.message}`);
    }
  };
  return async (references) => {
    const kinds = new Set(references.map(({ kind }) => kind));
    await Promise.all(Array.from(kinds, (kind) => loadKind(kind, references)));
  };
}

/** Returns the relations of columns. A built-in field gets the name of the record's kind, any other keeps its own name. */
function listRelations(columns: readonly Column[], records: readonly JsonObject[]): readonly Relation[] {
  const relations = new Map<string, Relation>();
  for (const column of columns) {
    // The CSV of an empty list has the same header.
    const kinds = (records.length > 0 ? records : [{}]).map((record) => column.reference?.(record));
    const kind = kinds.find((found) => found !== undefined);
    if (kind === undefined) continue;
    const member = /_ids?$/.test(column.name) ? kind : column.name;
    if (!relations.has(member)) relations.set(member, { member, column });
  }
  return [...relations.values()];
}
