import { customColumnHeaders, unrelatedHeaders, yieldingHeaders } from '../contract/column-headers.ts';
import { Failure } from '../contract/errors.ts';
import { fieldPrefix, formatHeaderName, parseFieldHeader } from '../render/field-headers.ts';
import { quoteShellWord } from '../values/text.ts';
import type { ColumnModel, FieldTarget, OwnColumns, Target } from './mapping.ts';

/** Returns the keys of the values that a target writes. Targets with a common key write the same value. */
export function listTargetKeys(target: FieldTarget, ownColumns: OwnColumns): readonly string[] {
  if (target.kind !== 'own') return [`${target.kind}:${target.field.name}`];
  const { isMultiple, split } = ownColumns[target.name] ?? {};
  return isMultiple ? [] : [target.name, ...(split?.columns ?? [])];
}

/** A column whose field was guessed from its header. */
export interface GuessedColumn {
  readonly column: string;
  readonly target: FieldTarget;
}

/**
 * Guesses the fields of columns that have no target. A field that another column has by its exact name or a flag is not
 * guessed, and neither is a full name beside columns for its parts.
 * @throws {Failure} usage if two columns are guessed for a field with one value
 */
export function guessTargets(
  columns: readonly string[],
  targets: readonly Target[],
  unknown: readonly string[],
  model: ColumnModel,
): GuessedColumn[] {
  const { ownColumns } = model;
  const owners = new Map<string, string>();
  for (const [index, target] of targets.entries())
    for (const key of target ? listTargetKeys(target, ownColumns) : []) owners.set(key, columns[index] ?? '');
  const guesses: GuessedColumn[] = [];
  const findCandidates = createCandidateFinder(model);
  const isFullName = (target: FieldTarget | undefined) =>
    target?.kind === 'own' && ownColumns[target.name]?.split !== undefined;
  const columnCandidates = unknown.map((column) => {
    const candidates = findCandidates(column);
    const rank = yielding.has(normalizeHeader(column)) ? 2 : isFullName(candidates[0]) ? 1 : 0;
    return { column, candidates, rank };
  });
  // A header that may stand for several fields comes last, and gets a field that no other column has.
  columnCandidates.sort(
    (left, right) => left.rank - right.rank || left.candidates.length - right.candidates.length,
  );
  for (const { column, candidates, rank } of columnCandidates) {
    const findOwners = (target: FieldTarget) =>
      listTargetKeys(target, ownColumns).map((key) => owners.get(key));
    const target = candidates.find((candidate) =>
      findOwners(candidate).every((owner) => owner === undefined),
    );
    const [likeliest] = candidates;
    if (target) {
      guesses.push({ column, target });
      for (const key of listTargetKeys(target, ownColumns)) owners.set(key, column);
    } else if (likeliest && rank < 2) {
      const likelyOwners = findOwners(likeliest);
      // Columns for the first and the last name say the same as the full name.
      const [, ...parts] = isFullName(likeliest) ? likelyOwners : [];
      if (parts.length > 0 && parts.every((owner) => owner !== undefined)) continue;
      const rival = guesses.find((guess) => likelyOwners.includes(guess.column));
      if (rival)
        throw new Failure(
          'usage',
          `"${rival.column}" and "${column}" may both be the field ${formatTarget(rival.target)}.`,
          {
            hint: `Pass ${formatMapping(rival)} --ignore ${quoteShellWord(column)}, or --map the columns to other fields.`,
          },
        );
    }
  }
  return guesses.sort((left, right) => unknown.indexOf(left.column) - unknown.indexOf(right.column));
}

const formatTarget = (target: FieldTarget) =>
  target.kind === 'own' ? target.name : formatHeaderName(target.field.name);

/** Returns the flag that maps a column to its guessed field. */
export function formatMapping({ column, target }: GuessedColumn): string {
  const escapeSeparator = (text: string) => text.replace(/[=\\]/g, '\\$&');
  return `--map ${quoteShellWord(`${escapeSeparator(column)}=${escapeSeparator(formatTarget(target))}`)}`;
}

/** Returns a function that lists the fields for which a header may stand, the likeliest first. */
export function createCandidateFinder({
  ownColumns,
  fields,
  kind,
}: ColumnModel): (column: string) => readonly FieldTarget[] {
  const ownHeaders = Object.entries(ownColumns).map(
    ([name, { aliases = [], headers = '', isMultiple, split }]) => ({
      target: { kind: 'own', name } as const,
      isMultiple,
      rank: split ? 0 : 1,
      headers: new Set([name, ...aliases].map(normalizeHeader).concat(splitHeaders(headers))),
    }),
  );
  ownHeaders.sort((left, right) => left.rank - right.rank);
  const fieldHeaders = fields.map((field) => ({
    target: { kind, field },
    header: normalizeHeader(field.name),
  }));
  const groups = customColumnHeaders.map(splitHeaders);
  return (column) => {
    if (column.startsWith(fieldPrefix) || parseFieldHeader(column).parts) return [];
    const header = normalizeHeader(column);
    if (header === '') return [];
    const sameName = fieldHeaders.filter((field) => field.header === header);
    if (sameName.length > 0) return sameName.length === 1 ? sameName.map(({ target }) => target) : [];
    const withoutNumber = header.replace(/\d+/g, '');
    const ownTargets = ownHeaders
      .filter(({ headers, isMultiple }) => headers.has(header) || (isMultiple && headers.has(withoutNumber)))
      .map(({ target }) => target);
    if (ownTargets.length > 0) return ownTargets;
    const synonyms = groups.filter((group) => group.includes(header)).flat();
    const related = fieldHeaders.filter((field) => synonyms.includes(field.header));
    return related.length === 1 ? related.map(({ target }) => target) : [];
  };
}

const splitHeaders = (headers: string) => headers.split(',').map(normalizeHeader);

/** Returns a header without case, accents, character width, spaces and punctuation, and in American spelling. */
function normalizeHeader(header: string): string {
  const decomposed = header.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  const lowerCase = decomposed.normalize('NFC').toUpperCase().toLowerCase();
  return lowerCase.replace(/[^\p{L}\p{M}\p{N}]/gu, '').replace('isation', 'ization');
}

const yielding: ReadonlySet<string> = new Set(splitHeaders(yieldingHeaders));

/** Whether a column may have several organizations in a cell, although a record has one. */
export const mayHaveSeveral = (column: string) => yielding.has(normalizeHeader(column));

const unrelated: ReadonlySet<string> = new Set(splitHeaders(unrelatedHeaders));

/** Returns the header from which a column differs only by a typo, with the field that the header stands for. */
export function findIntendedHeader(column: string, { ownColumns, fields }: ColumnModel) {
  const header = normalizeHeader(column);
  if (unrelated.has(header)) return undefined;
  const known = [
    ...Object.entries(ownColumns).flatMap(([field, { aliases = [], headers = '' }]) =>
      [field, ...aliases, ...headers.split(',')].map((name) => ({ header: name.trim(), field })),
    ),
    ...fields.map(({ name }) => ({ header: name, field: formatHeaderName(name) })),
  ];
  return known.find((candidate) => isTypingError(header, normalizeHeader(candidate.header)));
}

/** Whether two headers of at least five letters differ by one letter, or by the order of two neighbors. */
function isTypingError(header: string, name: string): boolean {
  const isComparable = /^\p{L}{5,}$/u.test(header) && /^\p{L}{5,}$/u.test(name);
  // A plural is another word.
  if (!isComparable || header === name || header === `${name}s` || name === `${header}s`) return false;
  const start = [...name].findIndex((letter, index) => letter !== header[index]);
  const at = start < 0 ? name.length : start;
  const [left, right] = [header.slice(at), name.slice(at)];
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  const isReplaced = left.slice(1) === right.slice(1);
  return isSwapped || isReplaced || left.slice(1) === right || left === right.slice(1);
}
