import { customColumnHeaders } from '../contract/column-headers.ts';
import { Failure } from '../contract/errors.ts';
import { fieldPrefix, formatHeaderName, parseFieldHeader } from '../render/field-headers.ts';
import { quoteShellWord } from '../values/text.ts';
import type { ColumnModel, FieldTarget, OwnColumns, ResolvedColumns, Target } from './mapping.ts';

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
 * guessed. `rivals` maps a column without a field to the column that already has its likely field.
 * @throws {Failure} usage if two columns are guessed for a field with one value
 */
export function guessTargets(
  columns: readonly string[],
  targets: readonly Target[],
  unknown: readonly string[],
  model: ColumnModel,
): Pick<ResolvedColumns, 'guesses' | 'rivals'> {
  const owners = new Map<string, string>();
  for (const [index, target] of targets.entries())
    for (const key of target ? listTargetKeys(target, model.ownColumns) : [])
      owners.set(key, columns[index] ?? '');
  const guesses: GuessedColumn[] = [];
  const rivals = new Map<string, string>();
  const findCandidates = createCandidateFinder(model);
  const columnCandidates = unknown.map((column) => ({ column, candidates: findCandidates(column) }));
  // A header that may stand for several fields comes last, and gets a field that no other column has.
  columnCandidates.sort((left, right) => left.candidates.length - right.candidates.length);
  for (const { column, candidates } of columnCandidates) {
    const findOwner = (target: FieldTarget) =>
      listTargetKeys(target, model.ownColumns)
        .map((key) => owners.get(key))
        .find((owner) => owner !== undefined);
    const target = candidates.find((candidate) => findOwner(candidate) === undefined);
    const owner = candidates[0] && findOwner(candidates[0]);
    if (target) {
      guesses.push({ column, target });
      for (const key of listTargetKeys(target, model.ownColumns)) owners.set(key, column);
    } else if (owner !== undefined) {
      const rival = guesses.find((guess) => guess.column === owner);
      if (rival)
        throw new Failure(
          'usage',
          `"${owner}" and "${column}" may both be the field ${formatTarget(rival.target)}.`,
          {
            hint: `Pass ${formatMapping(rival)} --ignore ${quoteShellWord(column)}, or --map the columns to other fields.`,
          },
        );
      rivals.set(column, owner);
    }
  }
  return {
    guesses: guesses.sort((left, right) => unknown.indexOf(left.column) - unknown.indexOf(right.column)),
    rivals,
  };
}

const formatTarget = (target: FieldTarget) =>
  target.kind === 'own' ? target.name : formatHeaderName(target.field.name);

/** Returns the flag that maps a column to its guessed field. */
export function formatMapping({ column, target }: GuessedColumn): string {
  const escapeSeparator = (text: string) => text.replace(/[=\\]/g, '\\$&');
  return `--map ${quoteShellWord(`${escapeSeparator(column)}=${escapeSeparator(formatTarget(target))}`)}`;
}

/** Returns a function that lists the fields for which a header may stand, the likeliest first. */
function createCandidateFinder({
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
  return (column) => {
    if (column.startsWith(fieldPrefix) || parseFieldHeader(column).parts) return [];
    const header = normalizeHeader(column);
    const sameName = fieldHeaders.filter((field) => field.header === header);
    if (sameName.length > 0) return sameName.length === 1 ? sameName.map(({ target }) => target) : [];
    const withoutNumber = header.replace(/\d+/g, '');
    const ownTargets = ownHeaders
      .filter(({ headers, isMultiple }) => headers.has(header) || (isMultiple && headers.has(withoutNumber)))
      .map(({ target }) => target);
    if (ownTargets.length > 0) return ownTargets;
    const synonyms = customColumnHeaders
      .map(splitHeaders)
      .filter((group) => group.includes(header))
      .flat();
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
