import { Failure } from '../contract/errors.ts';
import { formatHeaderName, parseFieldHeader, stripPrefix } from '../render/field-headers.ts';
import type { Fields } from '../render/fields.ts';
import { plain } from '../render/fields.ts';

/** A column that a kind of record has of itself. */
export interface OwnColumn {
  /** Other names that it goes by. */
  readonly aliases?: readonly string[];
  /** A cell holds several values, parted by `;`. */
  readonly several?: true;
  /** What the column takes, where a text is none of it. */
  readonly unfit?: (text: string) => string | undefined;
}
export type OwnColumns = Readonly<Record<string, OwnColumn>>;

/** What the cells of a column are for; undefined: they are left out. */
export type Target =
  | { readonly kind: 'own'; readonly name: string }
  | { readonly kind: 'custom' | 'list'; readonly field: Fields }
  | undefined;

/** What the columns of a sheet may be. */
export interface Known {
  /** What a row is, in a sentence: `a contact`. */
  readonly what: string;
  readonly own: OwnColumns;
  /** Columns of an export that nobody can write. */
  readonly readOnly: readonly string[];
  /** The definitions of the custom fields, or of the fields of the list where the rows are its entries. */
  readonly fields: readonly Fields[];
  /** What `fields` are: custom fields, or those of a list. */
  readonly kind: 'custom' | 'list';
  /** The fields of the list that the rows are put into besides. */
  readonly listFields: readonly Fields[];
}

/** What the flags say of columns: names of columns, and of what they are for. */
export interface Mapping {
  readonly map: readonly (readonly [column: string, field: string])[];
  readonly ignore: readonly string[];
  readonly listField: readonly (readonly [column: string, field: string])[];
}

/**
 * Says of each column what it is for; `unknown` are those that nothing says anything of. Throws `usage` for flags
 * that name a column or a field that is not there, and for two columns of one value.
 */
export function targetsOf(
  columns: readonly string[],
  known: Known,
  mapping: Mapping,
): { readonly targets: readonly Target[]; readonly unknown: readonly string[] } {
  const named = [...mapping.map, ...mapping.listField].map(([name]) => name);
  for (const name of [...named, ...mapping.ignore]) {
    if (!columns.some((column) => isCalled(column, name))) throw noColumn(name, columns);
  }
  const fieldIn = (pairs: Mapping['map'], column: string) =>
    pairs.findLast(([name]) => isCalled(column, name))?.[1];
  const unknown: string[] = [];
  const targets = columns.map((column): Target => {
    if (column === '' || mapping.ignore.some((name) => isCalled(column, name))) return undefined;
    const listField = fieldIn(mapping.listField, column);
    if (listField !== undefined) return { kind: 'list', field: listFieldNamed(listField, known) };
    const wanted = fieldIn(mapping.map, column);
    const target = targetNamed(wanted ?? column, known);
    const isField = target !== undefined && target !== 'none';
    if (!isField && wanted !== undefined) throw noField(wanted, known);
    if (target === undefined) unknown.push(column);
    return target === 'none' ? undefined : target;
  });
  refuseTwice(columns, targets, known.own);
  return { targets, unknown };
}

/** Whether a flag means a column: by its whole header, or by the name before the type. */
function isCalled(column: string, name: string): boolean {
  return column === name || parseFieldHeader(column).name === name;
}

/** What a header means: what it says exactly goes before what it says in other words, such as `First Name`. */
function targetNamed(name: string, known: Known): Target | 'none' {
  const header = name.toLowerCase();
  const own = ownNamed(header, known.own);
  if (own) return own;
  if (known.readOnly.includes(header)) return 'none';
  const field = [parseFieldHeader(name).name, stripPrefix(name)]
    .map((called) => known.fields.find((one) => one.name === called))
    .find((found) => found !== undefined);
  return field ? { kind: known.kind, field } : ownNamed(header.replace(/[\s-]+/g, '_'), known.own);
}

function ownNamed(header: string, columns: OwnColumns): Target {
  const own = Object.entries(columns).find(
    ([name, { aliases = [] }]) => name === header || aliases.includes(header),
  );
  return own && { kind: 'own', name: own[0] };
}

function listFieldNamed(name: string, { listFields }: Known): Fields {
  const field = listFields.find((one) => one.name === name);
  if (field) return field;
  throw new Failure('usage', `--list-field: the list has no field "${name}".`, {
    hint:
      listFields.length > 0 ? `Its fields are ${listFields.map((one) => one.name).join(', ')}.` : undefined,
  });
}

/** A value comes from one column; several values may come from several. */
function refuseTwice(columns: readonly string[], targets: readonly Target[], own: OwnColumns): void {
  const from = new Map<string, string>();
  for (const [index, target] of targets.entries()) {
    if (!target || (target.kind === 'own' && own[target.name]?.several)) continue;
    const key = target.kind === 'own' ? target.name : `${target.kind}:${plain(target.field.name)}`;
    const other = from.get(key);
    const column = columns[index] ?? '';
    if (other !== undefined) {
      throw new Failure('usage', `The columns "${other}" and "${column}" are for the same value.`, {
        hint: `Leave one of them out: --ignore "${column}"`,
      });
    }
    from.set(key, column);
  }
}

function noColumn(name: string, columns: readonly string[]): Failure {
  return new Failure('usage', `The sheet has no column "${name}".`, {
    hint: `Its columns are ${columns.join(', ')}.`,
  });
}

function noField(name: string, { what, own, fields }: Known): Failure {
  const names = [...Object.keys(own), ...fields.map((field) => formatHeaderName(plain(field.name)))];
  return new Failure('usage', `--map: ${what} has no field "${name}".`, {
    hint: `There are ${names.join(', ')}.`,
  });
}

/** Columns that are for nothing. */
export function unknownColumns(unknown: readonly string[], { what }: Known): Failure {
  const called = unknown.map((column) => parseFieldHeader(column).name);
  const names = called.map((name) => `"${name}"`).join(', ');
  const many = unknown.length > 1;
  const [one = ''] = called;
  return new Failure(
    'usage',
    `${many ? 'The columns' : 'The column'} ${names} ${many ? 'are no fields' : 'is no field'} of ${what}.`,
    { hint: `Say what to do: --map "${one}=FIELD", --ignore "${one}" or --create-fields.` },
  );
}
