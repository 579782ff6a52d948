import { isDeepStrictEqual } from 'node:util';
import type { CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { noteWrite } from '../../cli/writes/writing.ts';
import { Failure } from '../../contract/errors.ts';
import { isSameFieldValue } from '../../records/compare.ts';
import { views } from '../../render/views.ts';
import { findDefinedValue, isFieldContainer } from '../../values/field-values.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { foldName } from '../../values/names.ts';
import { joinMembers, listRawMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { listFullNameKeys } from '../../values/record-names.ts';
import { chooseField, type Existing, findExisting, type MatchRequest } from './find-existing.ts';

/** Sends a request body and returns the result of the command. */
type SendBody = (body: JsonObject) => Promise<CommandResult>;

/**
 * Creates a record, or returns the existing record that has the same value in a field. The JSON of either has the key
 * `created`.
 */
export async function createIfAbsent(
  session: Session,
  request: MatchRequest,
  create: SendBody,
): Promise<CommandResult> {
  return useOrCreate(session, request, create, (found) =>
    showExisting(session, request, found, 'nothing was created'),
  );
}

/** Updates the record that has the same value in a field, if it differs; creates one if there is none. */
export async function upsertRecord(
  session: Session,
  request: MatchRequest,
  create: SendBody,
  update: (id: string, changes: JsonObject) => Promise<CommandResult>,
): Promise<CommandResult> {
  const by = chooseField(request);
  return useOrCreate(session, { ...request, by }, create, async (found) => {
    const changes = await findChanges({ ...request, by }, found.value);
    if (Object.keys(changes).length === 0)
      return showExisting(session, request, found, 'nothing has changed');
    return addCreated(await update(found.value.id, changes), false);
  });
}

/** Uses the record that matches, or creates one. If the service refuses it because another process did, uses that record. */
async function useOrCreate(
  session: Session,
  request: MatchRequest,
  create: SendBody,
  use: (found: Existing) => Promise<CommandResult>,
): Promise<CommandResult> {
  const existing = await findExisting(session, request);
  if (existing) return use(existing);
  try {
    return addCreated(await create(request.body), true);
  } catch (error) {
    const found =
      error instanceof Failure && error.code === 'invalid' && (await findExisting(session, request));
    if (!found) throw error;
    return use(found);
  }
}

async function showExisting(
  session: Session,
  { noun }: MatchRequest,
  record: Existing,
  outcome: string,
): Promise<CommandResult> {
  const { id } = record.value;
  await noteWrite(
    session,
    ({ formatLabel, labelRecord }) =>
      `The ${formatLabel(noun, labelRecord(noun, readObject(record.value), id))} exists; ${outcome}.`,
  );
  return addCreated({ kind: 'record', record, view: views[noun], isReadOnly: true }, false);
}

/** Adds `created` to the record of a result; a preview and an empty response have none. */
function addCreated(result: CommandResult, created: boolean): CommandResult {
  if (result.kind !== 'record') return result;
  const { text, value } = result.record;
  const members = listRawMembers({ text, value }).filter(([name]) => name !== 'created');
  const json: RawJson = joinMembers([...members, ['created', toRawJson(created)]]);
  return { ...result, record: { text: json.text, value: { ...readObject(value), created } } };
}

/** Returns the values of a request body that a record does not have yet. The matched name keeps its form. */
async function findChanges({ noun, by, body }: MatchRequest, existing: unknown): Promise<JsonObject> {
  const { findChangedFields, listImported } = await import('../../import/own-fields.ts');
  const record = readObject(existing);
  const own = new Set(listImported(noun).map(({ key, body: name = key }) => name));
  const ownChanges = Object.entries(findChangedFields(noun, body, record)).filter(
    ([name, value]) =>
      !(name === 'organization_id' && value === 'auto') &&
      !(by === 'name' && isSameName(noun, name, body, record)),
  );
  const others = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (own.has(name)) return [];
    if (!isFieldContainer(name)) return isDeepStrictEqual(record[name], value) ? [] : [[name, value]];
    const values = [value].flat().filter((item) => !hasValue(record[name], item));
    return values.length > 0 ? [[name, values]] : [];
  });
  return Object.fromEntries([...ownChanges, ...others]);
}

/** Whether a field is a part of the name by which the record was found. */
function isSameName(
  noun: MatchRequest['noun'],
  field: string,
  body: JsonObject,
  record: JsonObject,
): boolean {
  if (noun !== 'contacts')
    return field === 'name' && foldName(String(body.name)) === foldName(String(record.name));
  const keys = listFullNameKeys(record);
  return /^(first|last)_name$/.test(field) && listFullNameKeys(body).some((key) => keys.includes(key));
}

/** Whether a record has the value of a custom field. */
function hasValue(container: unknown, item: unknown): boolean {
  const { name, value } = readObject(item);
  return (
    typeof name === 'string' &&
    isSameFieldValue(findDefinedValue(container, name), value, { key: name, type: 'text' })
  );
}
