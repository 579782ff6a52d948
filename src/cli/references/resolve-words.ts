import { entries } from '../../contract/entries.ts';
import { Failure, type FailureDetail } from '../../contract/errors.ts';
import { readRecordId } from '../../values/domain.ts';
import type { AnyCommand, Argument, CommandInput } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { isInteractive } from '../command/interaction.ts';
import { stdinWord } from '../flags/bulk.ts';
import { findKeyInList, resolveKeys } from './entry-keys.ts';
import { shareNameSearch } from './name-search.ts';
import { getReferenceCache } from './reference-cache.ts';
import { addWord, resolvePathId } from './resolve-path-id.ts';
import { resolveOption, resolveReference, tryCall } from './resolve-reference.ts';

/**
 * Replaces references in a command's input with ids. An argument that may be an id is passed through: the first
 * request shows whether it is an id (`PathIds`).
 * @throws {Failure} not_found, or usage if several records match
 */
export async function resolveWords(
  session: Session,
  { args = {}, options = {} }: Pick<AnyCommand, 'args' | 'options'>,
  input: CommandInput,
): Promise<CommandInput> {
  const ids: Record<string, unknown> = {};
  if (typeof input.tz === 'string') getReferenceCache(session).zone = input.tz;
  // One after the other: a terminal shows one prompt at a time.
  for (const [name, { names, isRepeatable, takesMany }] of Object.entries(args)) {
    const value = input[name];
    const words = [value].flat();
    const isBulk = takesMany && (words.length === 0 || words.includes(stdinWord));
    if (!names || value === undefined || isBulk) continue;
    if (names === 'entry' && input.list === undefined) {
      const entryArguments = await resolveKeys(session, [value].flat().map(String));
      ids.list = entryArguments.list;
      const entryIds = await resolveEach(session, names, entryArguments.ids, entryArguments.list);
      ids[name] = isRepeatable ? entryIds : entryIds[0];
      continue;
    }
    ids[name] =
      typeof value === 'string'
        ? await resolveArgument(session, names, value, String(ids.list))
        : await resolveEach(session, names, value as readonly string[], String(ids.list)); // a repeatable argument
  }
  for (const [name, { reference }] of Object.entries(options)) {
    const value = input[name];
    if (!reference || typeof value !== 'string') continue;
    ids[name] = await resolveOption(session, reference, value, input[reference.createFlag ?? ''] === true);
  }
  return { ...input, ...ids };
}

/** Resolves an argument to the id to send in a path. `list_id`: the list of an entry. */
async function resolveArgument(
  session: Session,
  reference: NonNullable<Argument['names']>,
  text: string,
  list_id: string,
): Promise<string> {
  if (reference === 'id') return readRecordId(text);
  return reference === 'entry'
    ? resolveEntry(session, list_id, text)
    : resolvePathId(session, reference, text);
}

/**
 * Resolves the words of a repeatable argument. Unresolved words are passed through, so that only their own deletion
 * fails.
 */
async function resolveEach(
  session: Session,
  reference: NonNullable<Argument['names']>,
  texts: readonly string[],
  list_id: string,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const [only = '', ...others] = texts;
  if (others.length === 0) return [await resolveArgument(session, reference, only, list_id)];
  if (reference === 'id' || reference === 'entry') {
    for (const text of texts) ids.push(await resolveArgument(session, reference, text, list_id));
    return ids;
  }
  shareNameSearch(session, reference, texts);
  // The question before a deletion is about records that exist.
  const isAsked = isInteractive(session) && !session.globals.yes;
  for (const text of texts) {
    const resolve = isAsked ? resolveReference : resolvePathId;
    const resolved = await tryCall(() => resolve(session, reference, text));
    if ('failure' in resolved && (isAsked || session.globals.dryRun || text === '')) throw resolved.failure;
    if ('failure' in resolved) addWord(session, reference, text, { id: text, isName: true });
    ids.push('value' in resolved ? resolved.value : text);
  }
  return ids;
}

/** Resolves the id or key of an entry, such as `DEAL-7`, to the id to send in a path. */
async function resolveEntry(session: Session, list_id: string, text: string): Promise<string> {
  const id = readRecordId(text);
  if (!/.-\d+$/.test(id)) return id;
  const lookUp = async (detail: FailureDetail) => {
    const entry = await findKeyInList(session, list_id, id);
    if (entry) return entry.id;
    throw new Failure('not_found', `No entry has the id or key "${id}".`, detail);
  };
  if (!session.globals.dryRun) {
    session.references.pathIds.add('entries', id, { isName: false, lookUp });
    return id;
  }
  const client = await session.client();
  const asId = await tryCall(() => client.read(entries.get, { list_id, id }));
  return 'value' in asId ? id : lookUp(asId.failure.detail);
}
