import { Failure, type FailureCandidate, type FailureDetail } from '../../contract/errors.ts';
import { recordings } from '../../contract/recordings.ts';
import type { ReferenceKind } from '../../contract/singular-nouns.ts';
import type { Reference } from '../../render/collect-references.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { createNameMatcher } from '../../search/query.ts';
import { extractLastPathPart } from '../../values/domain.ts';
import { quoteShellWord } from '../../values/text.ts';
import type { Session } from '../command/context.ts';
import { isInteractive, requireConsent } from '../command/interaction.ts';
import { type Option, toFlagName } from '../command/options.ts';
import { findIndexedIds } from './index-lookups.ts';
import { findMeetingsByDay, isDayName } from './meetings-by-day.ts';
import { createNames } from './name-loader.ts';
import { findByName, type NameMatches, readCandidate } from './name-search.ts';
import { getReferenceCache, toKey } from './reference-cache.ts';
import { type Candidate, isPossibleId, kinds, readLookup, toContact } from './reference-kinds.ts';
import { replaceReference } from './replace-reference.ts';

/**
 * Returns the id of a record that exists, by its id, a URL that ends in the id, or another reference: the email address,
 * phone number or name of a contact, the domain or name of an organization, the name of a list.
 * @throws {Failure} not_found with the closest names; usage with the candidates if several match
 */
export function resolveReference(session: Session, kind: ReferenceKind, text: string): Promise<string> {
  const { ids, records } = getReferenceCache(session);
  const resolve = async () => {
    const word = readPossibleId(kind, text);
    if (word === undefined) return findId(session, kind, text);
    const client = await session.client();
    const asId = await tryCall(() => kinds[kind].read(client, word));
    if ('failure' in asId) return findId(session, kind, text, asId.failure.detail);
    // An argument with the same word may have been looked up already.
    const id = session.references.pathIds.getId(kinds[kind].collection, word);
    records.set(toKey(kind, id), asId.value);
    return id;
  };
  const resolveNew = async () => {
    const resolvedId = await resolve();
    ids.set(toKey(kind, resolvedId), Promise.resolve(resolvedId));
    return resolvedId;
  };
  const id = ids.get(toKey(kind, text)) ?? resolveNew();
  ids.set(toKey(kind, text), id);
  return id;
}

/**
 * Returns the id for a reference that is not an id. `detail` comes from the request that showed this.
 * @throws {Failure} as `resolveReference`
 */
export async function lookUpReference(
  session: Session,
  kind: ReferenceKind,
  text: string,
  detail?: FailureDetail,
): Promise<string> {
  const id = await findId(session, kind, text, detail);
  const { ids } = getReferenceCache(session);
  for (const known of [text, id]) ids.set(toKey(kind, known), Promise.resolve(id));
  return id;
}

/**
 * Returns the id of the record that the value of a flag names. If none matches, the name of the organization to create
 * before the record of the command: with `mayCreate`, or if the person at the terminal agrees.
 * @throws {Failure} as `resolveReference`, cancelled if declined
 */
export async function resolveOption(
  session: Session,
  { kind, literal, createFlag }: NonNullable<Option<unknown>['reference']>,
  text: string,
  mayCreate = false,
): Promise<string> {
  const { newOrganizations } = getReferenceCache(session);
  if (text === literal || newOrganizations.has(text)) return text;
  try {
    return await resolveReference(session, kind, text);
  } catch (error) {
    const isDeclined = error instanceof Failure && error.code === 'cancelled';
    const isMissing = isDeclined || (error instanceof Failure && error.code === 'not_found');
    if (createFlag === undefined || !isMissing) throw error;
    const { code, message, detail } = error;
    if (!mayCreate && !canAsk(session))
      throw new Failure(code, message, { ...detail, hint: `To create it, add ${toFlagName(createFlag)}.` });
    const problem = isDeclined ? '' : `${message} `;
    if (!mayCreate) await requireConsent(session, `${problem}Create the organization ${text}?`);
    newOrganizations.set(text, undefined);
    return text;
  }
}

const canAsk = (session: Session) => isInteractive(session) && !session.globals.quiet;

/** Makes a text name a record that this command is about to create, by a provisional id. */
export function presetReference(session: Session, kind: ReferenceKind, text: string, id: string): void {
  getReferenceCache(session).ids.set(toKey(kind, text), Promise.resolve(id));
}

export const isResolved = (session: Session, kind: ReferenceKind, text: string) =>
  getReferenceCache(session).ids.has(toKey(kind, text));

/** Returns the value of a call, or its failure if nothing was found. */
export async function tryCall<T>(call: () => Promise<T>): Promise<{ value: T } | { failure: Failure }> {
  try {
    return { value: await call() };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
    return { failure: error };
  }
}

/** Returns a word that could be an id, or the id at the end of a URL; undefined if there is none. */
export function readPossibleId(kind: ReferenceKind, text: string): string | undefined {
  if (kind === 'event' && isDayName(text)) return undefined;
  return isPossibleId(text) ? text : extractLastPathPart(text);
}

/** Returns the meeting that a reference names. @throws {Failure} as `resolveReference` */
export async function readMeeting(session: Session, text: string): Promise<Candidate> {
  return readCandidate(session, 'event', await resolveReference(session, 'event', text));
}

async function findId(
  session: Session,
  kind: ReferenceKind,
  text: string,
  detail: FailureDetail = {},
): Promise<string> {
  const { exact, partial, closest } =
    (await findWithoutName(session, kind, text)) ??
    (await findInIndex(session, kind, text)) ??
    (await findByName(session, kind, text));
  const isPartial = exact.length === 0;
  const candidates = isPartial ? partial : exact;
  const { records } = getReferenceCache(session);
  for (const candidate of candidates) records.set(toKey(kind, candidate.id), candidate);
  if (candidates.length > 0) return chooseCandidate(session, { kind, text, candidates, isPartial });
  const meeting = kind === 'event' ? await findMeetingOfRecording(session, text) : undefined;
  if (meeting !== undefined) return meeting;
  throw createNoMatchFailure(kind, text, closest, detail);
}

/** Returns the id of the meeting of a recording; undefined if no recording has the id. */
async function findMeetingOfRecording(session: Session, text: string): Promise<string | undefined> {
  const id = readPossibleId('event', text);
  if (id === undefined) return undefined;
  const client = await session.client();
  const result = await tryCall(() => client.read(recordings.get, { id }));
  return 'value' in result ? result.value.calendar_event_id || undefined : undefined;
}

/** Finds the contacts of an address or a number, or the meetings of a day; undefined if the text is neither. */
async function findWithoutName(
  session: Session,
  kind: ReferenceKind,
  text: string,
): Promise<NameMatches | undefined> {
  const lookup = kind === 'contact' ? readLookup(text) : undefined;
  if (lookup) return { exact: await findContacts(session, lookup), partial: [], closest: [] };
  const { zone } = getReferenceCache(session);
  const meetings = kind === 'event' ? await findMeetingsByDay(session, text, zone) : undefined;
  return meetings && { exact: [], partial: meetings, closest: [] };
}

async function findContacts(
  session: Session,
  lookup: NonNullable<ReturnType<typeof readLookup>>,
): Promise<Candidate[]> {
  const client = await session.client();
  const note = session.call.isWrite ? undefined : session.messages.note; // a write needs certainty
  const matches = await client.findContacts(lookup, { size: session.globals.pageSize, note });
  return matches.map(({ value }) => ({ id: value.id, ...toContact(value) }));
}

/**
 * Finds records by the search index, and reads them: the index may be older than a record. A write does not use it: a
 * newer record may have the same name.
 */
async function findInIndex(
  session: Session,
  kind: ReferenceKind,
  text: string,
): Promise<NameMatches | undefined> {
  if (session.call.isWrite) return undefined;
  const keys = kinds[kind].readKeys(text);
  const hasPart = createNameMatcher(text);
  const records = new Map<string, Candidate | undefined>();
  const client = await session.client();
  for (const comparison of ['whole', 'part'] as const) {
    const ids = await findIndexedIds(session, kind, text, comparison);
    const newIds = ids.filter((id) => !records.has(id));
    const results = await Promise.all(newIds.map((id) => tryCall(() => kinds[kind].read(client, id))));
    for (const [index, id] of newIds.entries()) {
      const result = results[index];
      records.set(id, result && 'value' in result ? result.value : undefined);
    }
    const candidates = [...records.values()].flatMap((record) => record ?? []);
    const exact = candidates.filter((candidate) => candidate.keys.some((key) => keys.includes(key)));
    const partial = comparison === 'whole' ? [] : candidates.filter(({ texts }) => texts.some(hasPart));
    if (exact.length + partial.length > 0) return { exact, partial, closest: [] };
  }
  return undefined;
}

/** Maximum number of candidates that a failure lists. */
const maxListed = 10;

/** Returns the failure for a reference that matches no record, with the closest names and the failed request's detail. */
function createNoMatchFailure(
  kind: ReferenceKind,
  text: string,
  closest: readonly Candidate[],
  detail: FailureDetail,
): Failure {
  const { noun, command, describe } = kinds[kind];
  const names = closest.map(({ id, name }) => `${name} (${id})`);
  const problem = `No ${noun} has the ${describe(text)} "${text}".`;
  if (names.length === 0)
    return new Failure('not_found', problem, { ...detail, hint: `kith ${command} list` });
  return new Failure('not_found', `${problem} Closest names: ${names.join(', ')}.`, {
    ...detail,
    candidates: closest.map((candidate) => toFailureCandidate(candidate)),
  });
}

/** Returns a candidate for a failure. `detail`: distinguishes candidates with the same name. */
const toFailureCandidate = ({ id, name, detail }: Candidate, difference = detail): FailureCandidate => ({
  id,
  name,
  ...(difference && { detail: difference }),
});

/** The records that a reference may mean. */
interface Choice {
  readonly kind: ReferenceKind;
  readonly text: string;
  readonly candidates: readonly Candidate[];
  /** Whether only parts of their names match. */
  readonly isPartial: boolean;
}

/**
 * Returns the id of the only candidate, or asks for the candidate. A write also asks if the only candidate matches in
 * part.
 * @throws {Failure} usage with the candidates if there are several and no terminal, cancelled if the only one is declined,
 * interrupted on Escape
 */
async function chooseCandidate(session: Session, choice: Choice): Promise<string> {
  const { kind, text, candidates, isPartial } = choice;
  const { plural, record } = kinds[kind];
  const noun = plural.replace(/s$/, '');
  const [first, ...others] = candidates;
  if (first && others.length === 0 && !(isPartial && session.call.isWrite)) {
    if (isPartial && session.streams.stderr.isTerminal)
      await session.messages.note(sanitizeLine(`"${text}" matches the ${noun} ${first.name} (${first.id}).`));
    return first.id;
  }
  const problem =
    others.length === 0 ? `1 ${noun} matches "${text}"` : `${candidates.length} ${plural} match "${text}"`;
  if (!canAsk(session)) throw await createAmbiguityFailure(session, choice, problem);
  if (first && others.length === 0) {
    await requireConsent(session, `${problem}: ${first.name} (${first.id}). Use it?`);
    return first.id;
  }
  const { pickCandidate } = await import('./pick-candidate.ts');
  return pickCandidate(session, record, candidates, `${problem}. Which one?`, isPartial ? text : undefined);
}

/** Returns the failure that lists candidates, with the command that names each of them. */
async function createAmbiguityFailure(
  session: Session,
  { text, candidates, isPartial }: Choice,
  problem: string,
): Promise<Failure> {
  const listed = candidates.slice(0, maxListed);
  const differences = await readDifferences(session, listed);
  const descriptions = listed.map(({ id, name }, index) => {
    const details = [isPartial && name, differences[index]].filter(Boolean);
    return details.length > 0 ? `${id} (${details.join(', ')})` : id;
  });
  const more = candidates.length > maxListed ? `, and ${candidates.length - maxListed} more` : '';
  const { commandLine } = session.call;
  const commands = listed.flatMap(
    ({ id }) => (commandLine && replaceReference(commandLine, text, [id])) ?? [],
  );
  const reason = isPartial && session.call.isWrite ? ' A write requires the id or the exact name.' : '';
  return new Failure('usage', `${problem}: ${descriptions.join(', ')}${more}.${reason}`, {
    hint: `Use the id, such as ${quoteShellWord(listed[0]?.id ?? '')}.`,
    commands,
    candidates: listed.map((candidate, index) => toFailureCandidate(candidate, differences[index])),
  });
}

/** Returns the detail that distinguishes each candidate from others with the same name, or its organization. */
async function readDifferences(
  session: Session,
  candidates: readonly Candidate[],
): Promise<(string | undefined)[]> {
  const names = createNames(session);
  const toReferences = ({ detail, organizationId: id }: Candidate): Reference[] =>
    detail || !id ? [] : [{ kind: 'organization', id }];
  await names.load(candidates.flatMap(toReferences));
  return candidates.map((candidate) => {
    const [owner] = toReferences(candidate);
    return owner ? names.get(owner.kind, owner.id) : candidate.detail;
  });
}
