import { listFields } from '../../contract/list-fields.ts';
import type { ListedNoun } from '../../contract/singular-nouns.ts';
import type { Column } from '../../render/columns.ts';
import { isFieldContainer } from '../../values/field-values.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';

/**
 * Returns the id, the key and the fields of a record that a write has sent. `columns`: the columns of the record. If one
 * column shows several fields, such as both names of a contact, returns all of them.
 */
export function pickSent(
  record: JsonObject,
  sentBody: JsonObject,
  noun: ListedNoun | undefined,
  columns: readonly Column[],
): JsonObject {
  const fields = noun ? listFields(noun) : [];
  const isInBody = (name: string) =>
    Object.hasOwn(sentBody, fields.find(({ key }) => key === name)?.body ?? name);
  const shownTogether = (name: string) =>
    columns.find((column) => column.fields?.includes(name))?.fields ?? [name];
  const isSent = (name: string) => shownTogether(name).some(isInBody);
  const pickDefined = (container: string, value: unknown) => {
    const sentNames = listSentNames(sentBody[container]);
    return Object.fromEntries(
      Object.entries(readObject(value)).filter(([id, field]) =>
        [id, readObject(field).name].some((name) => sentNames.has(name)),
      ),
    );
  };
  return Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => name === 'id' || name === 'key' || isSent(name))
      .map(([name, value]) => [name, isFieldContainer(name) ? pickDefined(name, value) : value]),
  );
}

/** Returns the names and ids of the custom fields of a body: a list of fields, or an object with the fields by name. */
function listSentNames(fields: unknown): ReadonlySet<unknown> {
  if (!Array.isArray(fields)) return new Set(Object.keys(readObject(fields)));
  return new Set(fields.map(readObject).flatMap(({ id, name }) => [id, name]));
}
