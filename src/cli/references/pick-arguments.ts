import { Failure } from '../../contract/errors.ts';
import type { ReferenceKind } from '../../contract/singular-nouns.ts';
import { formatInteger } from '../../values/text.ts';
import type { AnyCommand, Argument, CommandInput, RecordKind } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { isInteractive } from '../command/interaction.ts';
import { chooseItem, type Item } from './choose-item.ts';
import { maxRecords, sources } from './pick-sources.ts';
import { readList } from './resolve-path-id.ts';
import { resolveReference } from './resolve-reference.ts';

/**
 * Lets the person at the terminal choose the records that missing arguments name, and returns the complete input.
 * @throws {Failure} `failure` without a terminal, not_found if there is nothing to choose from, interrupted on Escape
 */
export async function pickArguments(
  session: Session,
  { args = {} }: Pick<AnyCommand, 'args'>,
  input: CommandInput,
  failure: Failure,
): Promise<CommandInput> {
  if (!isInteractive(session)) throw failure;
  let completeInput = input;
  const { process } = input;
  let before: Missing['before'] =
    typeof process === 'string' ? { record: 'lists', value: process } : undefined;
  const hasNone = (name: string | undefined) => [completeInput[name ?? ''] ?? []].flat().length === 0;
  const names = Object.keys(args);
  for (const [name, { record, summary, isRepeatable, isKeyImplied }] of Object.entries(args)) {
    const value = completeInput[name];
    const isMissing = hasNone(name);
    const isImplied = isKeyImplied && !hasNone(names[names.indexOf(name) + 1]);
    if (isMissing && (!record || isImplied)) continue; // a form asks for it, or the key of an entry implies it
    const id = record && isMissing ? await pickRecord(session, { record, summary, before }) : String(value);
    if (isMissing) completeInput = { ...completeInput, [name]: isRepeatable ? [id] : id };
    before = { record, value: id };
  }
  return completeInput;
}

/** Maximum number of records that a picker adds from the name cache. */
const maxCached = 100_000;

/** A missing argument, and the argument before it. */
interface Missing extends Pick<Argument, 'summary'> {
  readonly record: RecordKind;
  readonly before?: { readonly record: RecordKind | undefined; readonly value: string } | undefined;
}

/**
 * Lets the person at the terminal choose the record that an argument names, and returns its id.
 * @throws {Failure} not_found if there are no records, interrupted on Escape
 */
async function pickRecord(session: Session, { record, summary, before }: Missing): Promise<string> {
  const { nouns, hint, parent: parentKind, read } = sources[record];
  const [noun = '', forms = 'id'] = summary.split(': ');
  // `Contact to keep` becomes `Which contact do you want to keep?`
  const words = `${noun.charAt(0).toLowerCase()}${noun.slice(1)}`.replace(' to ', ' do you want to ');
  const question = `Which ${words}?`;
  // The entries of a process have no argument for the list.
  const isOfProcess = parentKind === 'list' && before === undefined;
  const parent =
    before?.value ?? (isOfProcess ? await (await import('./find-process.ts')).findProcess(session) : '');
  const parentId = parentKind === undefined ? '' : await resolveParent(session, parentKind, parent);
  let limitNote = '';
  const readItems = async function* (background: Session): AsyncGenerator<readonly Item[]> {
    const idsFromService = new Set<string>();
    let isLimited = false;
    let count: number | undefined;
    for await (const { items, total, hasMore } of read({ session, background, parentId })) {
      isLimited = hasMore;
      for (const { id } of items) idsFromService.add(id);
      count = total;
      if (total !== undefined && total > maxRecords) limitNote = formatLimit(forms, total);
      // A record cannot be merged into itself.
      yield before?.record === record ? items.filter(({ id }) => id !== parent) : items;
    }
    if (!isLimited) return;
    if (limitNote === '') limitNote = formatLimit(forms);
    const cachedItems = await readCachedItems(session, record);
    if (count !== undefined && cachedItems.length >= count) limitNote = '';
    yield cachedItems.filter(({ id }) => !idsFromService.has(id) && id !== parent);
  };
  return chooseItem(session, {
    message: () => `${question}${limitNote}`,
    read: readItems,
    empty: () =>
      new Failure('not_found', `There are no ${nouns} to choose from.`, hint === undefined ? {} : { hint }),
  });
}

/** Returns the id of a record that an argument names. @throws {Failure} not_found, or usage if several match */
async function resolveParent(session: Session, kind: ReferenceKind, text: string): Promise<string> {
  return kind === 'list' ? (await readList(session, text)).id : resolveReference(session, kind, text);
}

/**
 * Returns the contacts or organizations in the name cache, without requests. Writes do not use the cache, because a
 * record may have been renamed.
 */
async function readCachedItems({ call, references }: Session, record: RecordKind): Promise<Item[]> {
  if (call.isWrite || (record !== 'contacts' && record !== 'organizations')) return [];
  const records = await references.names.findNamed(record, '', maxCached);
  return records.map(({ id, names, addresses = [] }) => ({
    id,
    describe: () => ({
      name: names[0],
      details: addresses.slice(0, 1),
      keywords: [...names, ...addresses],
    }),
  }));
}

/** Says that a picker does not show all records, and how to name another record. */
function formatLimit(forms: string, total?: number): string {
  const all = total === undefined ? '' : ` of ${formatInteger(total)}`;
  return ` (the first ${formatInteger(maxRecords)}${all}; to use another, pass its ${forms})`;
}
