import { FieldDefinition } from '../contract/fields.ts';
import type { Route } from '../contract/grammar.ts';
import { isMissing } from '../contract/received.ts';
import type { SingularNoun } from '../contract/singular-nouns.ts';
import { toMatchKey } from '../records/match.ts';
import { isEmpty, isFieldContainer, listDefinedValues, readTexts } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { nouns, type Write } from './nouns.ts';
import { flatten, isSameJson, pickValues, type Values } from './values.ts';

/** Returns a record's values in the fields of a request body, by field name. */
export function pickSentValues(body: JsonObject, record: JsonObject): Values {
  const values = pickValues(fromBody(body), record);
  if (!('fields' in body)) return values;
  const names = new Set([body.fields].flat().map((field) => readObject(field).name));
  return { ...values, fields: listDefinitions(record.fields).filter(({ name }) => names.has(name)) };
}

/** Returns the values of a request body, by field name. */
export const fromBody = (body: JsonObject): Values =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (!isFieldContainer(name)) return [name, value];
      const items = [value].flat().map((item) => readObject(item));
      return [name, Object.fromEntries(items.map((item) => [String(item.name), item.value]))];
    }),
  );

/** Returns the definitions of a list in the form of a request body. */
export function listDefinitions(storedFields: unknown): JsonObject[] {
  return (Array.isArray(storedFields) ? storedFields : []).map((field) => {
    const entries = Object.entries(readObject(field)).filter(([name]) =>
      Object.hasOwn(FieldDefinition.entries, name),
    );
    return Object.fromEntries(entries.filter(([, value]) => !isMissing(value)));
  });
}

/** Returns the body that creates a record again. */
export function toCreateBody(noun: SingularNoun, record: JsonObject): JsonObject {
  const names = Object.keys((nouns[noun].create as Route).body ?? {});
  const { assignee, fields, custom_fields, list_fields, ...values } = record;
  const toItems = (map: unknown) => {
    const items = listDefinedValues(map).filter(({ value }) => !isEmpty(value));
    return items.length > 0 ? items.map(({ name, value }) => ({ name, value })) : undefined;
  };
  const body = {
    ...values,
    assignee_email: readObject(assignee).email,
    ...(noun === 'list' && { fields: listDefinitions(fields) }),
    custom_fields: toItems(custom_fields),
    list_fields: toItems(list_fields),
  };
  const entries = Object.entries(body).filter(([name, value]) => names.includes(name) && !isEmpty(value));
  return Object.fromEntries(entries);
}

/** Whether a record already has exactly the values of an update. An update only adds addresses. */
export function hasSentValues(body: JsonObject, record: JsonObject): boolean {
  const storedValues = flatten(pickSentValues(body, record));
  return Object.entries(flatten(fromBody(body))).every(([name, value]) => {
    const stored = storedValues[name];
    return isAddressField(name)
      ? readTexts(value).every((text) => readTexts(stored).includes(text))
      : isSameJson(value, stored);
  });
}

/** Whether a record has none of the addresses that a request removes. */
export const isRemoved = (body: JsonObject, record: JsonObject): boolean =>
  Object.entries(body).every(([name, sent]) => {
    const stored = toAddressKeys(name, record[name]);
    return toAddressKeys(name, sent).every((key) => !stored.includes(key));
  });

/**
 * Whether a record may have its values from a request. Compares phone numbers and addresses loosely, because the
 * service may format them.
 */
export function matchesBody(body: JsonObject, record: JsonObject): boolean {
  const storedValues = flatten(pickSentValues(body, record));
  return Object.entries(flatten(fromBody(body))).every(([name, value]) =>
    mayBeSameValue(name, value, storedValues[name]),
  );
}

/** Whether two states of a record differ only in the values of a write: nobody else has changed it in between. */
export function isOnlyChange({ noun, action, body }: Write, before: JsonObject, after: JsonObject): boolean {
  const sent = flatten(fromBody(body));
  const [earlier = {}, later = {}] = [before, after].map((record) =>
    flatten(fromBody(toCreateBody(noun, record))),
  );
  return Object.keys({ ...earlier, ...later }).every((name) => {
    if (!Object.hasOwn(sent, name)) return isSameJson(earlier[name], later[name]);
    if (!isAddressField(name)) return true;
    const [own, written] = [earlier, sent].map((values) => toAddressKeys(name, values[name])) as [
      string[],
      string[],
    ];
    const expected = action === 'remove' ? own.filter((key) => !written.includes(key)) : [...own, ...written];
    return isSameJson([...new Set(expected)].sort(), [...new Set(toAddressKeys(name, later[name]))].sort());
  });
}

export const isAddressField = (name: string) => name === 'emails' || name === 'domains';

const toAddressKeys = (name: string, texts: unknown) =>
  readTexts(texts).map((text) => toMatchKey(name === 'emails' ? 'email' : 'domain', text));

function mayBeSameValue(name: string, sent: unknown, stored: unknown): boolean {
  if (name === 'organization_id' && sent === 'auto') return true;
  if (name === 'phone_numbers') return readTexts(sent).length >= readTexts(stored).length;
  if (isAddressField(name)) {
    const keys = toAddressKeys(name, stored);
    return toAddressKeys(name, sent).every((key) => keys.includes(key));
  }
  if (name === 'fields') return listDefinitions(sent).length === listDefinitions(stored).length;
  if (isEmpty(sent)) return isEmpty(stored);
  return isSameJson(sent, stored);
}
