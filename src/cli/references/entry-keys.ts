import { contacts } from '../../contract/contacts.ts';
import { type Entry, entries } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { readAll } from '../../records/read-all.ts';
import { foldName } from '../../values/names.ts';
import { quoteShellWord } from '../../values/text.ts';
import type { Session } from '../command/context.ts';
import { isInteractive } from '../command/interaction.ts';
import { toEntryKind } from '../flags/references.ts';
import { findIndexedEntries } from './index-lookups.ts';
import { replaceReference } from './replace-reference.ts';
import { tryCall } from './resolve-reference.ts';

/** An entry that a key names. */
export interface EntryMatch {
  readonly list_id: string;
  /** The name of the list; empty if it was not read. */
  readonly listName: string;
  readonly entry: Received<Entry>;
}

/** The arguments of a command about entries, with ids. */
interface EntryArguments {
  readonly list: string;
  readonly ids: readonly string[];
}

const isSameKey = ({ key }: Received<Entry>, text: string) => foldName(key ?? '') === foldName(text);

export async function findKeyInList(
  session: Session,
  list_id: string,
  key: string,
): Promise<Received<Entry> | undefined> {
  const client = await session.client();
  for await (const { value } of client.records(entries.list, { list_id }))
    if (isSameKey(value, key)) return value;
  return undefined;
}

/**
 * Resolves keys without a list. The first word may also be the id or the exact name of a list, because a name may look
 * like a key. The other words are then entries of this list.
 * @throws {Failure} not_found, or usage if several entries have a key, or keys belong to several processes
 */
export async function resolveKeys(session: Session, words: readonly string[]): Promise<EntryArguments> {
  const [first = '', ...others] = words;
  const indexMatches = others.length === 0 ? await findKeyInIndex(session, first) : [];
  if (indexMatches.length > 0) return toArguments([await chooseEntry(session, first, indexMatches)]);
  const all = await readLists(session);
  const list = all.find(({ id, name }) => id === first || foldName(name) === foldName(first));
  if (list) return { list: list.id, ids: others.length > 0 ? others : [await pickEntry(session, list.id)] };
  const matches: EntryMatch[] = [];
  for (const key of words)
    matches.push(await chooseEntry(session, key, await findKeyInProcesses(session, all, key)));
  return toArguments(matches);
}

/** Finds the entry of a key that is the value of a flag. @throws {Failure} not_found, or usage if several have it */
export async function findEntryByKey(session: Session, key: string): Promise<EntryMatch> {
  const indexMatches = await findKeyInIndex(session, key);
  const matches =
    indexMatches.length > 0 ? indexMatches : await findKeyInProcesses(session, await readLists(session), key);
  return chooseEntry(session, key, matches, 'Pass the id of the entry.');
}

/** Returns the organization of an entry, or of its contact. @throws {Failure} usage if the contact has none */
export async function readEntryOrganization(
  session: Session,
  { key, entryable_id: id, entryable_type }: Received<Entry>,
): Promise<string> {
  if (toEntryKind(entryable_type) === 'organization') return id;
  const { organization_id } = await (await session.client()).read(contacts.get, { contact_id: id });
  if (organization_id) return organization_id;
  throw new Failure('usage', `The contact of ${key} has no organization.`, {
    hint: 'Add the organization: --organization ID|DOMAIN|NAME',
  });
}

/** @throws {Failure} usage if the entries belong to several lists */
function toArguments(matches: readonly EntryMatch[]): EntryArguments {
  const [{ list_id: list = '' } = {}] = matches;
  const stray = matches.find(({ list_id }) => list_id !== list);
  if (!stray) return { list, ids: matches.map(({ entry }) => entry.id) };
  const keys = [matches[0], stray].map((match) => match?.entry.key ?? '');
  throw new Failure('usage', `${keys.join(' and ')} belong to different processes.`, {
    hint: 'Use one command for each process.',
  });
}

async function readLists(session: Session): Promise<Received<List>[]> {
  return readAll(await session.client(), lists.list, {});
}

/** Finds entries by the search index, and reads them. A write must find all: another process may have the same key. */
async function findKeyInIndex(session: Session, key: string): Promise<EntryMatch[]> {
  if (session.call.isWrite) return [];
  const client = await session.client();
  const results = await Promise.all(
    (await findIndexedEntries(session, key)).map(async ({ id, list_id }) => {
      const result = await tryCall(() => client.read(entries.get, { list_id, id }));
      return 'value' in result ? { list_id, listName: '', entry: result.value } : undefined;
    }),
  );
  return results.flatMap((match) => (match && isSameKey(match.entry, key) ? [match] : []));
}

/** @throws {Failure} not_found if no process has the identifier or the key */
async function findKeyInProcesses(
  session: Session,
  all: readonly Received<List>[],
  key: string,
): Promise<EntryMatch[]> {
  const identifier = key.replace(/-\d+$/, '');
  const processes = all.filter(
    (list) => list.identifier && foldName(list.identifier) === foldName(identifier),
  );
  if (processes.length === 0)
    throw new Failure('not_found', `No process has the identifier "${identifier}".`, {
      hint: 'kith lists list',
    });
  const matches: EntryMatch[] = [];
  for (const { id: list_id, name, archived_at } of processes) {
    const entry = await findKeyInList(session, list_id, key);
    if (entry) matches.push({ list_id, listName: archived_at ? `${name}, archived` : name, entry });
  }
  if (matches.length > 0) return matches;
  const names = processes.map(({ name }) => `"${name}"`).join(' or ');
  throw new Failure('not_found', `No entry of ${names} has the key "${key}".`, {
    hint: `kith entries list ${quoteShellWord(processes[0]?.id ?? '')}`,
  });
}

/** Returns the only entry, or asks for the entry. @throws {Failure} usage without a terminal */
async function chooseEntry(
  session: Session,
  key: string,
  matches: readonly EntryMatch[],
  hint = 'Pass the list and the id of the entry.',
): Promise<EntryMatch> {
  const [first, ...others] = matches;
  if (first && others.length === 0) return first;
  const problem = `${matches.length} entries have the key "${key}"`;
  if (isInteractive(session) && !session.globals.quiet) {
    const { chooseItem } = await import('./choose-item.ts');
    const items = matches.map(({ entry: { id, status }, listName }) => ({
      id,
      describe: () => ({ name: listName || id, details: [status, id] }),
    }));
    const id = await chooseItem(session, {
      message: () => `${problem}. Which one?`,
      read: async function* () {
        yield items;
      },
      empty: () => new Failure('not_found', `No entry has the key "${key}".`),
    });
    const chosen = matches.find(({ entry }) => entry.id === id);
    if (chosen) return chosen;
  }
  const { commandLine } = session.call;
  const candidates = matches.map(({ entry, listName }) => `${entry.id} (${listName || entry.list_id})`);
  throw new Failure('usage', `${problem}: ${candidates.join(', ')}.`, {
    hint,
    candidates: matches.map(({ list_id, listName, entry }) => ({
      id: entry.id,
      name: entry.key ?? key,
      ...(listName && { detail: listName }),
      list_id,
    })),
    commands: matches.flatMap(
      ({ list_id, entry }) => (commandLine && replaceReference(commandLine, key, [list_id, entry.id])) ?? [],
    ),
  });
}

/** Lets the person at the terminal choose an entry of a list. @throws {Failure} usage without a terminal */
async function pickEntry(session: Session, list: string): Promise<string> {
  const { pickArguments } = await import('./pick-arguments.ts');
  const missing = new Failure('usage', 'Missing required argument: ID');
  const args = session.call.commandLine?.command.args ?? {};
  const { id } = await pickArguments(session, { args }, { list }, missing);
  return [id].flat().map(String).join();
}
