import type { RecordPath } from '../records/path.ts';
import type { RelatedRecord } from '../records/referrers.ts';
import { isFieldContainer, listDefinedValues } from '../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import type { LoggedWrite } from './log.ts';

/** Own fields that name another record. */
const referenceFields = ['organization_id', 'entryable_id', 'contact_id', 'deal_id'];

/** Returns the current id of a record; any other id unchanged. `field`: the field, or the container of the field. */
export type MapId = (id: string, field?: string) => string;

/** Returns the names of the defined fields that refer to contacts. A text in another field may only look like an id. */
export function listReferenceNames(...records: readonly (JsonObject | undefined)[]): Set<string> {
  const fields = records.flatMap((record) =>
    [record?.custom_fields, record?.list_fields].flatMap(listDefinedValues),
  );
  return new Set(fields.flatMap(({ name, dataType }) => (dataType === 'contact' ? [name] : [])));
}

/** Returns a function that follows a record through all its ids. */
export function createIdMap(newIds: ReadonlyMap<string, string>): MapId {
  const followedIds = new Set<string>();
  const map: MapId = (id) => {
    const next = newIds.get(id);
    if (next === undefined || followedIds.has(id)) return id;
    followedIds.add(id);
    const last = map(next);
    followedIds.delete(id);
    return last;
  };
  return map;
}

/** Returns a path with the current ids. */
export const mapPath = <P extends RecordPath>(path: P, map: MapId): P => ({
  ...path,
  ...(path.list_id !== undefined && { list_id: map(path.list_id) }),
  ...(path.id !== undefined && { id: map(path.id) }),
});

const mapValue = (value: unknown, map: MapId, field: string): unknown =>
  Array.isArray(value)
    ? value.map((item) => mapValue(item, map, field))
    : typeof value === 'string'
      ? map(value, field)
      : value;

/** Returns a record with current ids in its references. Other texts stay unchanged. */
function mapRecord(record: JsonObject, map: MapId): JsonObject {
  const mapFields = (name: string, container: unknown) =>
    Object.fromEntries(
      Object.entries(readObject(container)).map(([id, field]) => {
        const isReference = isObject(field) && field.data_type === 'contact';
        return [id, isReference ? { ...field, value: mapValue(field.value, map, name) } : field];
      }),
    );
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      if (referenceFields.includes(name)) return [name, mapValue(value, map, name)];
      return [name, isFieldContainer(name) && isObject(value) ? mapFields(name, value) : value];
    }),
  );
}

/**
 * Returns a request body with the current ids in its references. `names`: the defined fields that name contacts.
 * `isPending`: whether a record does not exist yet, so that references to it are omitted.
 */
export function mapBody(
  body: JsonObject,
  names: ReadonlySet<string>,
  map: MapId,
  isPending: (id: string, field: string) => boolean = () => false,
): JsonObject {
  const hasPending = (value: unknown, field: string) =>
    [value].flat().some((id) => isPending(String(id), field));
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
      if (referenceFields.includes(name))
        return hasPending(value, name) ? [] : [[name, mapValue(value, map, name)]];
      if (!isFieldContainer(name) || !Array.isArray(value)) return [[name, value]];
      const items = value.filter((item) => !names.has(item.name) || !hasPending(item.value, name));
      return [
        [
          name,
          items.map((item) =>
            names.has(item.name) ? { ...item, value: mapValue(item.value, map, name) } : item,
          ),
        ],
      ];
    }),
  );
}

/** Returns a write with the current ids in its path and its records. */
export function mapWrite(write: LoggedWrite, map: MapId): LoggedWrite {
  const { before, after } = write;
  const names = listReferenceNames(before, after);
  return {
    ...write,
    ...(write.list_id !== undefined && { list_id: map(write.list_id) }),
    ...(write.id !== undefined && { id: map(write.id) }),
    body: mapBody(write.body, names, map),
    before: before && mapRecord(before, map),
    after: after && {
      ...mapRecord(after, map),
      ...(after.id !== undefined && { id: map(String(after.id)) }),
    },
    related: write.related.map((related) => mapRelated(related, write, map)),
  };
}

function mapRelated(related: RelatedRecord, write: LoggedWrite, map: MapId): RelatedRecord {
  const path = mapPath(related, map);
  if ('record' in path) return { ...path, record: mapRecord(path.record, map) };
  return { ...path, body: mapBody(path.body, listRelatedReferences(path.body, write), map) };
}

/** Returns the names of the fields that refer to contacts, in a body that a deletion cleared. */
export function listRelatedReferences(body: JsonObject, { noun, before }: LoggedWrite): Set<string> {
  if (noun !== 'contact' && before?.data_type !== 'contact') return new Set();
  const items = [body.custom_fields, body.list_fields].flat();
  return new Set(items.flatMap((item) => (isObject(item) ? [String(item.name)] : [])));
}
