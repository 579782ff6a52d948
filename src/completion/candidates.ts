import { listRelatedRecords } from '../contract/list-fields.ts';
import { listPermissionWords } from '../contract/permissions.ts';
import { recordFields } from '../contract/record-fields.ts';
import type { ListedNoun } from '../contract/singular-nouns.ts';
import { toolsets } from '../contract/toolsets.ts';
import { listFilterFields } from '../filter/noun-fields.ts';
import { removeEscapes, splitUnescaped } from '../render/cells.ts';
import {
  type FieldName,
  findNames,
  listNamedRecords,
  type NameCache,
  type NamedRecord,
} from '../settings/name-cache.ts';
import { findNamed, foldName } from '../values/names.ts';
import { formatInteger } from '../values/text.ts';

export interface CompletionRequest {
  /** A `CompletionSource` of a flag or an argument. */
  readonly source: string;
  /** The typed part of the word, without quotes. */
  readonly word: string;
  /** The noun on the command line, not its alias. */
  readonly noun: string;
  /** The list on the command line, by id or name. */
  readonly list: string | undefined;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
}

/** A text that names a record, and a description that distinguishes it from other records. */
export interface Candidate {
  readonly text: string;
  readonly description?: string;
}

/** Maximum number of records whose names are offered, apart from lists. */
const maxRecords = 50;

/** Whether a text begins with another one, without regard to case. */
export const startsWith = (text: string, start: string): boolean =>
  text.toLowerCase().startsWith(start.toLowerCase());

/** Returns the candidates for a request that begin with the typed text. */
export function listCandidates(request: CompletionRequest, names: NameCache): readonly Candidate[] {
  const { source, word } = request;
  if (source === 'contacts' || source === 'organizations' || source === 'events' || source === 'notes')
    return findRecords(names, source, word);
  return (lists[source]?.(request, names) ?? []).filter(({ text }) => startsWith(text, word));
}

/** Lists all candidates of sources with few candidates. */
const lists: Readonly<
  Record<string, (request: CompletionRequest, names: NameCache) => readonly Candidate[]>
> = {
  lists: (_, names) => listLists(listNamedRecords(names, 'lists')),
  'lists-and-keys': ({ word }, names) => [
    ...listLists(listNamedRecords(names, 'lists')),
    ...findRecords(names, 'entries', word),
  ],
  subjects: ({ word }, names) =>
    (['organizations', 'contacts', 'entries'] as const).flatMap((noun) => findRecords(names, noun, word)),
  keys: ({ word, list }, names) => findRecords(names, 'entries', word, findList(names, list)?.id),
  statuses: ({ list }, names) => toCandidates(findList(names, list)?.statuses ?? []),
  'status-list': ({ word, list }, names) => {
    const [before = ''] = /^.*(?<!\\),/s.exec(word) ?? [];
    const typed = splitUnescaped(before, ',').map((name) => foldName(removeEscapes(name)));
    const statuses = (findList(names, list)?.statuses ?? []).filter(
      (name) => !typed.includes(foldName(name)),
    );
    return toCandidates(statuses.map((name) => before + name.replaceAll(/[\\,]/g, '\\$&')));
  },
  fields: (request, names) => listAssignments(request, listDefinedFields(request, names)),
  'list-fields': ({ word, list }, names) =>
    listTargets(
      word,
      (findList(names, list)?.fields ?? []).map(({ name }) => name),
    ),
  columns: (request, names) => {
    const [before = ''] = /^.*,/s.exec(request.word) ?? [];
    const columns = listColumns(request, names).map((name) => name.replaceAll(/[\\.,:=]/g, '\\$&'));
    const noun = findFieldNoun(request);
    const relatedNames = noun ? listRelatedRecords(noun).map((name) => `${name}.name`) : [];
    return toCandidates([...columns, ...relatedNames].map((name) => before + name));
  },
  sort: (request, names) => toCandidates(listColumns(request, names)),
};

/** Lists the writes of `--allow`, or the sets of `--tools`, that begin with the typed text. They need no workspace. */
export function listFixed(source: 'permissions' | 'toolsets', word: string): readonly Candidate[] {
  const [before = ''] = /^.*,/s.exec(word) ?? [];
  const words = source === 'permissions' ? listPermissionWords() : Object.keys(toolsets);
  return toCandidates(words.map((name) => before + name)).filter(({ text }) => startsWith(text, word));
}

const toCandidates = (texts: readonly string[]): readonly Candidate[] => texts.map((text) => ({ text }));

/** Finds records by name or address, in alphabetical order. A name of several records is offered once. */
function findRecords(names: NameCache, noun: ListedNoun, start: string, list?: string): readonly Candidate[] {
  const byText = new Map<string, Candidate[]>();
  for (const record of findNames(names, noun, start, maxRecords, list))
    for (const candidate of listTexts(record, start))
      byText.set(candidate.text, [...(byText.get(candidate.text) ?? []), candidate]);
  const candidates = Array.from(byText, ([text, [{ description = '' } = {}, ...others]]) => ({
    text,
    description: others.length === 0 ? description : `${formatInteger(others.length + 1)} ${noun}`,
  }));
  return candidates.sort((a, b) => (a.text < b.text ? -1 : 1));
}

/** Lists a record's name and the addresses that begin with a text; only the name if the text is empty. */
function listTexts({ names, addresses = [], description }: NamedRecord, start: string): Candidate[] {
  const isMatch = (text: string) => startsWith(text, start);
  const name = names.find(isMatch);
  const matches = start === '' ? [] : addresses.filter(isMatch);
  return [
    ...(name === undefined ? [] : [{ text: name, description: description ?? addresses[0] ?? '' }]),
    ...matches.map((text) => ({ text, description: names[0] ?? '' })),
  ];
}

const getName = ({ names: [name = ''] }: NamedRecord) => name;

/** Lists the unique names of lists, and then all ids. */
function listLists(lists: readonly NamedRecord[]): readonly Candidate[] {
  const names = lists.map(getName);
  const unique = names.filter((name) => names.indexOf(name) === names.lastIndexOf(name));
  return [...toCandidates(unique), ...lists.map((list) => ({ text: list.id, description: getName(list) }))];
}

/** Finds a list by its id or name, or by the key of an entry; undefined if several match. */
function findList(names: NameCache, text: string | undefined): NamedRecord | undefined {
  if (text === undefined) return undefined;
  const all = listNamedRecords(names, 'lists');
  const identifier = foldName(text.replace(/-\d+$/, ''));
  const isKeyOf = (list: NamedRecord) => foldName(list.identifier ?? '') === identifier && identifier !== '';
  const matches = [
    all.filter(({ id }) => id === text),
    all.filter((list) => foldName(getName(list)) === foldName(text)),
    /-\d+$/.test(text) ? all.filter(isKeyOf) : [],
  ];
  const [match, ...others] = matches.find(({ length }) => length > 0) ?? [];
  return others.length === 0 ? match : undefined;
}

/** Lists the custom fields of a noun, or the fields of the list of its entries. */
function listDefinedFields({ noun, list }: CompletionRequest, names: NameCache): readonly FieldName[] {
  if (noun === 'entries') return findList(names, list)?.fields ?? [];
  const model = { contacts: 'contact', organizations: 'organization' }[noun];
  const fields = listNamedRecords(names, 'customFields').flatMap((record) => record.fields ?? []);
  return fields.filter((field) => field.model !== undefined && field.model === model);
}

/** Lists `NAME=` for each field, or `NAME=VALUE` for each option of the field that is typed. */
function listAssignments({ word }: CompletionRequest, fields: readonly FieldName[]): readonly Candidate[] {
  const [before, typedPart] = /^((?:\\.|[^=\\])+)=/s.exec(word) ?? [];
  if (typedPart === undefined)
    return toCandidates(fields.map(({ name }) => `${name.replaceAll(/[\\=]/g, '\\$&')}=`));
  const field = findNamed(fields, removeEscapes(typedPart), ({ name }) => name);
  return toCandidates((field?.options ?? []).map((option) => `${before}${option}`));
}

/** Lists `COLUMN=FIELD` for each field, once the column of the spreadsheet is typed. */
function listTargets(word: string, fields: readonly string[]): readonly Candidate[] {
  const [before] = /^(?:\\.|[^=\\])+=/s.exec(word) ?? [];
  if (before === undefined) return [];
  return toCandidates(fields.map((name) => `${before}${name.replaceAll(/[\\=]/g, '\\$&')}`));
}

/** Lists the fields of a noun: those of the API, then the defined ones. */
function listColumns(request: CompletionRequest, names: NameCache): readonly string[] {
  const noun = findFieldNoun(request);
  const ownFields = noun ? listFilterFields(noun) : [];
  return [...ownFields, ...listDefinedFields(request, names)].map(({ name }) => name);
}

function findFieldNoun(request: CompletionRequest): ListedNoun | undefined {
  const noun = request.noun === 'custom-fields' ? 'customFields' : request.noun;
  return Object.hasOwn(recordFields, noun) ? (noun as ListedNoun) : undefined; // a key of the table
}
