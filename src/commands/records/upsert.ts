import { isDeepStrictEqual } from 'node:util';
import type { CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { toFlagName } from '../../cli/command/options.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { noteWrite } from '../../cli/writes/writing.ts';
import type { Client } from '../../client/client.ts';
import { contacts } from '../../contract/contacts.ts';
import { customFields } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { organizations } from '../../contract/organizations.ts';
import { type NamedNoun, singularNouns } from '../../contract/singular-nouns.ts';
import { isSameFieldValue } from '../../records/compare.ts';
import { listMatchFields, listMatchKeys, type MatchField } from '../../records/match.ts';
import { repeatIfChanged, requireUnchanged } from '../../records/read-all.ts';
import { views } from '../../render/views.ts';
import { findDefinedValue, isFieldContainer, readTexts } from '../../values/field-values.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { joinMembers, listRawMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { addArticle } from '../../values/text.ts';

/** A record, and the fields by which it is found. */
interface MatchRequest {
  readonly noun: NamedNoun;
  /** If omitted, the first field that the body has. */
  readonly by: MatchField | undefined;
  /** The flag that sets `by`, for a failure. */
  readonly flag: string;
  readonly body: JsonObject;
}

type Existing = RawJson<{ readonly id: string }>;

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

/** Uses the matching record, or creates one. If another process has just created it, uses that record. */
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
      !(by === 'name' && /^((first|last)_)?name$/.test(name)), // it is the same name
  );
  const others = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (own.has(name)) return [];
    if (!isFieldContainer(name)) return isDeepStrictEqual(record[name], value) ? [] : [[name, value]];
    const values = [value].flat().filter((item) => !hasValue(record[name], item));
    return values.length > 0 ? [[name, values]] : [];
  });
  return Object.fromEntries([...ownChanges, ...others]);
}

/** Whether a record has the value of a custom field. */
function hasValue(container: unknown, item: unknown): boolean {
  const { name, value } = readObject(item);
  return (
    typeof name === 'string' &&
    isSameFieldValue(findDefinedValue(container, name), value, { key: name, type: 'text' })
  );
}

const routes = { contacts, organizations, lists, customFields };

/** The fields of a request body by the words for them. */
const bodyFields = { email: 'emails', phone: 'phone_numbers', domain: 'domains' } as const;

/**
 * Finds the record that has the same value as a request body. Compares names and domains as an import does.
 * @throws {Failure} usage if the body has no such value, or if several records match
 */
async function findExisting(session: Session, request: MatchRequest): Promise<Existing | undefined> {
  const { noun, body } = request;
  const by = chooseField(request);
  const client = await session.client();
  const found =
    by === 'email' || by === 'phone'
      ? await lookUpContacts(client, by, readTexts(body[bodyFields[by]]))
      : await searchList(session, client, noun, createMatcher(noun, by, body));
  const matches = [...new Map(found.map((record) => [record.value.id, record])).values()];
  if (matches.length < 2) return matches[0];
  throw await createAmbiguityFailure(session, noun, by, matches);
}

/** Returns the field to match by. @throws {Failure} usage if the body has no value for it */
function chooseField({ noun, by, flag, body }: MatchRequest): MatchField {
  const fields = listMatchFields(noun);
  const chosen = by ?? fields.find((field) => listMatchKeys(noun, field, body).length > 0);
  const title = singularNouns[noun];
  if (chosen === undefined)
    throw new Failure(
      'usage',
      `kith matches ${addArticle(title)} by ${fields.join(', ')}. Pass at least one of these fields.`,
    );
  if (listMatchKeys(noun, chosen, body).length === 0)
    throw new Failure('usage', `${toFlagName(flag)} ${chosen}: the ${title} has no ${chosen}.`, {
      hint: `Pass ${toFlagName(chosen)}.`,
    });
  return chosen;
}

function createMatcher(noun: NamedNoun, by: MatchField, body: JsonObject): (record: JsonObject) => boolean {
  const keys = new Set(listMatchKeys(noun, by, body));
  return (record) =>
    listMatchKeys(noun, by, record).some((key) => keys.has(key)) &&
    // Custom fields of different models may have the same name.
    (noun !== 'customFields' || record.model === body.model);
}

async function lookUpContacts(
  client: Client,
  by: 'email' | 'phone',
  texts: readonly string[],
): Promise<readonly Existing[]> {
  const found: Existing[] = [];
  for (const text of texts)
    found.push(...(await client.findContacts(by === 'email' ? { email: text } : { phone_number: text })));
  return found;
}

/** Reads the whole list, because the API has no lookup for names and domains. */
async function searchList(
  session: Session,
  client: Client,
  noun: NamedNoun,
  isMatch: (record: JsonObject) => boolean,
): Promise<readonly Existing[]> {
  const { list } = routes[noun];
  return withProgress(session, (update) =>
    repeatIfChanged(async () => {
      const found: Existing[] = [];
      let count = 0;
      for await (const { records, total } of requireUnchanged(client.pages(list, {}))) {
        found.push(...records.filter(({ value }) => isMatch(readObject(value))));
        count += records.length;
        update(
          `Searching ${count}${total ? ` of ${total}` : ''} ${noun === 'customFields' ? 'custom fields' : noun}`,
        );
      }
      return found;
    }),
  );
}

/** Maximum number of candidates that a failure lists. */
const maxListed = 10;

async function createAmbiguityFailure(
  { call: { commandLine } }: Session,
  noun: NamedNoun,
  by: MatchField,
  matches: readonly Existing[],
): Promise<Failure> {
  const { labelRecord } = await import('../../cli/writes/record-labels.ts');
  const ids = matches.map(({ value }) => value.id);
  const title = noun === 'customFields' ? 'custom fields' : noun;
  const [command = noun] = commandLine?.path ?? [];
  return new Failure('usage', `${ids.length} ${title} have the same ${by}: ${ids.join(', ')}.`, {
    hint: `To update one of them: kith ${command} update ID [flags]`,
    candidates: matches.slice(0, maxListed).map(({ value }) => {
      const { id, name } = labelRecord(noun, readObject(value), value.id);
      return { id, name };
    }),
  });
}
