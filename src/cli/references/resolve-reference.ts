import { Failure, type FailureDetail } from '../../contract/errors.ts';
import type { Reference } from '../../render/collect-references.ts';
import { extractLastPathPart } from '../../values/domain.ts';
import { readTexts } from '../../values/field-values.ts';
import type { ReferenceKind } from '../../values/names.ts';
import { quoteShellWord } from '../../values/text.ts';
import type { Session } from '../command/context.ts';
import { isInteractive } from '../command/interaction.ts';
import { findIndexedIds } from './index-lookups.ts';
import { createNames } from './name-loader.ts';
import { findByName, getReferenceCache } from './name-search.ts';
import { type Candidate, isPossibleId, kinds, readLookup, toContact } from './reference-kinds.ts';

/**
 * Returns the id of a record that exists, by its id, a URL that ends in the id, or another reference: the email address,
 * phone number or name of a contact, the domain or name of an organization, the name of a list.
 * @throws {Failure} not_found with the closest names; usage with the candidates if several match
 */
export function resolveReference(session: Session, kind: ReferenceKind, text: string): Promise<string> {
  return resolveOnce(session, kind, text, async () => {
    const word = readPossibleId(text);
    if (word === undefined) return findId(session, kind, text);
    const client = await session.client();
    const asId = await tryCall(() => kinds[kind].read(client, word));
    if ('failure' in asId) return findId(session, kind, text, asId.failure.detail);
    // An argument with the same word may have been looked up already.
    const id = session.pathIds.getId(kinds[kind].command, word);
    if (kind === 'contact') getReferenceCache(session).contacts.set(id, asId.value);
    return id;
  });
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

/** Whether a reference has been resolved in this session. */
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
export function readPossibleId(text: string): string | undefined {
  return isPossibleId(text) ? text : extractLastPathPart(text);
}

const toKey = (kind: ReferenceKind, text: string) => `${kind} ${text}`;

function resolveOnce(
  session: Session,
  kind: ReferenceKind,
  text: string,
  resolve: () => Promise<string>,
): Promise<string> {
  const { ids } = getReferenceCache(session);
  const key = toKey(kind, text);
  const resolveNew = async () => {
    const resolvedId = await resolve();
    ids.set(toKey(kind, resolvedId), Promise.resolve(resolvedId));
    return resolvedId;
  };
  const id = ids.get(key) ?? resolveNew();
  ids.set(key, id);
  return id;
}

/** Returns the email addresses of a contact. @throws {Failure} not_found */
export async function readContactEmails(session: Session, id: string): Promise<readonly string[]> {
  const { emails } =
    getReferenceCache(session).contacts.get(id) ?? (await kinds.contact.read(await session.client(), id));
  return readTexts(emails);
}

async function findId(
  session: Session,
  kind: ReferenceKind,
  text: string,
  detail: FailureDetail = {},
): Promise<string> {
  const lookup = kind === 'contact' ? readLookup(text) : undefined;
  const matches = lookup ? await findContacts(session, lookup) : await findInIndex(session, kind, text);
  const { candidates, closest } =
    lookup || matches.length > 0
      ? { candidates: matches, closest: [] }
      : await findByName(session, kind, text);
  if (candidates.length === 0) throw createNoMatchFailure(kind, text, closest, detail);
  return chooseCandidate(session, kind, text, candidates);
}

async function findContacts(
  session: Session,
  lookup: NonNullable<ReturnType<typeof readLookup>>,
): Promise<Candidate[]> {
  const client = await session.client();
  const note = session.isWrite ? undefined : session.note; // a write needs certainty
  const matches = await client.findContacts(lookup, { size: session.globals.pageSize, note });
  const candidates = matches.map(({ value }) => ({ id: value.id, ...toContact(value) }));
  for (const candidate of candidates) getReferenceCache(session).contacts.set(candidate.id, candidate);
  return candidates;
}

/**
 * Finds records by the search index, and reads them: the index may be older than a record. A write does not use it: a
 * newer record may have the same name.
 */
async function findInIndex(session: Session, kind: ReferenceKind, text: string): Promise<Candidate[]> {
  if (session.isWrite) return [];
  const textKeys = kinds[kind].readKeys(text);
  const ids = (await findIndexedIds(session, kind, text)) ?? [];
  const client = await session.client();
  const results = await Promise.all(ids.map((id) => tryCall(() => kinds[kind].read(client, id))));
  return results.flatMap((result) =>
    'value' in result && result.value.keys.some((key) => textKeys.includes(key)) ? [result.value] : [],
  );
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
  return new Failure('not_found', `${problem} Closest names: ${names.join(', ')}.`, detail);
}

/**
 * Returns the id of the only candidate; of several, the one that the person at the terminal chooses.
 * @throws {Failure} usage with the candidates if there are several and no terminal, interrupted on Escape
 */
async function chooseCandidate(
  session: Session,
  kind: ReferenceKind,
  text: string,
  candidates: readonly Candidate[],
): Promise<string> {
  const [first, ...others] = candidates;
  if (first && others.length === 0) return first.id;
  const problem = `${candidates.length} ${kinds[kind].command} match "${text}"`;
  if (isInteractive(session) && !session.globals.quiet) {
    const { chooseItem, toItem } = await import('../prompts/choose-item.ts');
    const items = candidates.map((candidate) => toItem(candidate, [candidate.id]));
    return chooseItem(session, {
      message: () => `${problem}. Which one?`,
      read: async function* () {
        yield items;
      },
      empty: () => createNoMatchFailure(kind, text, [], {}),
    });
  }
  const descriptions = await describeCandidates(session, candidates.slice(0, maxListed));
  const more = candidates.length > maxListed ? `, and ${candidates.length - maxListed} more` : '';
  throw new Failure('usage', `${problem}: ${descriptions.join(', ')}${more}.`, {
    hint: `Use the id, such as ${quoteShellWord(first?.id ?? '')}.`,
  });
}

/** Describes candidates by their ids and what tells them from each other. */
async function describeCandidates(session: Session, candidates: readonly Candidate[]): Promise<string[]> {
  const names = createNames(session);
  const toReferences = ({ detail, organizationId: id }: Candidate): Reference[] =>
    detail || !id ? [] : [{ kind: 'organization', id }];
  await names.load(candidates.flatMap(toReferences));
  return candidates.map((candidate) => {
    const [owner] = toReferences(candidate);
    const difference = owner ? names.get(owner.kind, owner.id) : candidate.detail;
    return difference ? `${candidate.id} (${difference})` : candidate.id;
  });
}
