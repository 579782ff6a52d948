import type { Session } from '../../cli/command/context.ts';
import { toFlagName } from '../../cli/command/options.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import type { Client } from '../../client/client.ts';
import { contacts } from '../../contract/contacts.ts';
import { customFields } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { organizations } from '../../contract/organizations.ts';
import { type NamedNoun, singularNouns } from '../../contract/singular-nouns.ts';
import { repeatIfChanged, requireUnchanged } from '../../records/read-all.ts';
import { normalizeDomain } from '../../values/domain.ts';
import { readTexts } from '../../values/field-values.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { foldName } from '../../values/names.ts';
import type { RawJson } from '../../values/raw-json.ts';
import { listFullNameKeys } from '../../values/record-names.ts';
import { addArticle, quoteShellWord } from '../../values/text.ts';
import { listMatchFields, type MatchField } from './match-fields.ts';

/** A record, and the fields by which it is found. */
export interface MatchRequest {
  readonly noun: NamedNoun;
  /** If omitted, the first field that the body has. */
  readonly by: MatchField | undefined;
  /** The flag that sets `by`, for a failure. */
  readonly flag: string;
  readonly body: JsonObject;
}

export type Existing = RawJson<{ readonly id: string }>;

const routes = { contacts, organizations, lists, customFields };

/** The fields of a request body by the words for them. */
const bodyFields = { email: 'emails', phone: 'phone_numbers', domain: 'domains' } as const;

/**
 * Finds the record that has the same value as a request body. Compares names and domains as an import does.
 * @throws {Failure} usage if the body has no such value, or if several records match
 */
export async function findExisting(session: Session, request: MatchRequest): Promise<Existing | undefined> {
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
export function chooseField({ noun, by, flag, body }: MatchRequest): MatchField {
  const fields = listMatchFields(noun);
  const chosen = by ?? fields.find((field) => listKeys(noun, field, body).length > 0);
  const title = singularNouns[noun];
  if (chosen === undefined)
    throw new Failure(
      'usage',
      `kith matches ${addArticle(title)} by ${fields.join(', ')}. Pass at least one of these fields.`,
    );
  if (listKeys(noun, chosen, body).length === 0)
    throw new Failure('usage', `${toFlagName(flag)} ${chosen}: the ${title} has no ${chosen}.`, {
      hint: `Pass ${chosen === 'name' && noun === 'contacts' ? '--first-name' : toFlagName(chosen)}.`,
    });
  return chosen;
}

/** Returns the comparison forms of a record's values. */
function listKeys(noun: NamedNoun, by: MatchField, record: JsonObject): readonly string[] {
  if (by === 'domain') return readTexts(record.domains).map(normalizeDomain);
  if (by !== 'name') return readTexts(record[bodyFields[by]]);
  const keys = noun === 'contacts' ? listFullNameKeys(record) : [foldName(String(record.name ?? ''))];
  return keys.filter((key) => key !== '');
}

function createMatcher(noun: NamedNoun, by: MatchField, body: JsonObject): (record: JsonObject) => boolean {
  const keys = new Set(listKeys(noun, by, body));
  return (record) =>
    listKeys(noun, by, record).some((key) => keys.has(key)) &&
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
    hint: `To update one of them: kith ${command} update ${ids[0]}`,
    commands: ids.slice(0, maxListed).map((id) => `kith ${command} update ${quoteShellWord(id)}`),
    candidates: matches.slice(0, maxListed).map(({ value }) => {
      const { id, name } = labelRecord(noun, readObject(value), value.id);
      return { id, name };
    }),
  });
}
