import * as v from 'valibot';
import type { Contact } from '../contract/contacts.ts';
import type { Entry } from '../contract/entries.ts';
import { Failure } from '../contract/errors.ts';
import type { Organization } from '../contract/organizations.ts';
import type { Received } from '../contract/received.ts';
import { splitValues, unescapeFormula } from '../render/cells.ts';
import { parseFieldHeader } from '../render/field-headers.ts';
import { parseFieldValue } from '../values/field-values.ts';
import type { FieldType, OwnColumns, Target } from './mapping.ts';
import type { Row } from './table.ts';

/** A value for a field, by the field's name. */
export interface NamedValue {
  readonly name: string;
  readonly value: unknown;
  readonly data_type: unknown;
}

/** The values that a row has for its record. An empty cell changes nothing. */
export interface RowPlan {
  /** By the names of the own columns. */
  readonly own: Readonly<Record<string, readonly string[]>>;
  readonly custom: readonly NamedValue[];
  readonly list: readonly NamedValue[];
  /** The id of the row's record, if the file is the report of an earlier import. */
  readonly recordId?: string | undefined;
}

/** A validation error of a row. */
export interface CellError {
  /** If omitted, the error is about the whole row. */
  readonly column?: string;
  readonly message: string;
}

export interface ParsedRow {
  readonly row: Row;
  readonly plan: RowPlan;
  readonly errors: readonly CellError[];
}

/** Returns a function that parses rows according to the targets of their columns. */
export function createRowParser(
  columns: readonly string[],
  targets: readonly Target[],
  ownColumns: OwnColumns,
): (row: Row) => ParsedRow {
  const names = columns.map((column) => parseFieldHeader(column).name);
  return (row) => {
    const own: Record<string, string[]> = {};
    const values: Record<'custom' | 'list', NamedValue[]> = { custom: [], list: [] };
    const errors: CellError[] = row.error === undefined ? [] : [{ message: row.error }];
    for (const [index, target] of targets.entries()) {
      const text = unescapeFormula(row.cells[index] ?? '');
      const column = names[index] ?? '';
      const cellError = row.cellErrors?.[index];
      if (target && cellError !== undefined) errors.push({ column, message: cellError });
      if (!target || cellError !== undefined || text.trim() === '') continue;
      const reject = (one: string, wanted: string) =>
        errors.push({ column, message: `"${one}" is not ${wanted}.` });
      if (target.kind === 'own') {
        const { isMultiple, check } = ownColumns[target.name] ?? {};
        const texts = isMultiple ? splitValues(text) : [text];
        for (const one of texts) {
          const wanted = check?.(one);
          if (wanted !== undefined) reject(one, wanted);
        }
        own[target.name] = [...(own[target.name] ?? []), ...texts];
      } else {
        const { name, data_type } = target.field;
        const value = parseCell(text, target.field, reject);
        values[target.kind].push({ name: name ?? '', value, data_type });
      }
    }
    return { row, plan: { own, ...values, recordId: row.recordId }, errors };
  };
}

/** Parses a cell for a field, which may accept several values. Only texts and options keep the spaces around them. */
function parseCell(text: string, field: FieldType, reject: (text: string, wanted: string) => void): unknown {
  const parse = (one: string) => {
    const parsed = parseFieldValue(one, field);
    if ('value' in parsed) return parsed.value;
    return reject(one, parsed.wanted);
  };
  if (field.accepts_multiple_values === true) return splitValues(text).map(parse);
  const isText = [undefined, 'text', 'textarea'].some((type) => type === field.data_type);
  const isOption = Array.isArray(field.options) && field.options.includes(text);
  return parse(isText || isOption ? text : text.trim());
}

/** Returns the errors of a row in one line. */
export function formatErrors(errors: readonly CellError[]): string {
  return errors
    .map(({ column, message }) => (column === undefined ? message : `${column}: ${message}`))
    .join(' ');
}

/** A contact, organization or entry, as the service returned it or as a dry run predicts it. */
export type StoredRecord = Received<Contact & Organization & Entry> & {
  /** Whether it exists only in a dry run. */
  readonly isPredicted?: boolean;
};

/** Values of a record or a request body, by field name. */
export type Values = Readonly<Record<string, unknown>>;

const FieldValues = v.record(v.string(), v.unknown());
const place = {
  what: v.picklist(['contact', 'organization', 'entry']),
  /** The list of an entry. */
  list_id: v.exactOptional(v.string()),
};

/** A write that a row asks for. */
export const Step = v.object({
  ...place,
  /** The record to update; if omitted, one is created. */
  id: v.exactOptional(v.string()),
  body: FieldValues,
  /** The values that the fields of the body had, by field name. */
  before: v.exactOptional(FieldValues),
});
export type Step = Readonly<v.InferOutput<typeof Step>>;

/** The records that an import writes. */
export type RecordKind = Step['what'];

/** A step that the service has carried out. */
export const CompletedStep = v.object({
  ...place,
  id: v.pipe(v.string(), v.nonEmpty()),
  /** The earlier values; if omitted, the record was created. */
  before: v.exactOptional(FieldValues),
  /** The new values of the changed fields, or the whole created record. */
  after: FieldValues,
});
export type CompletedStep = Readonly<v.InferOutput<typeof CompletedStep>>;

/** The possible actions of a row, in the order in which they are counted. */
export const actions = ['create', 'update', 'same', 'refused', 'unknown'] as const;

/** The action of a row; `unknown` if a write was sent and its response was lost. */
export type Action = (typeof actions)[number];

/** The outcome of a row, or of its dry run. */
export interface Outcome {
  readonly action: Action;
  /** The record of the row. */
  readonly id?: string | undefined;
  /** Why the row was refused. */
  readonly error?: string | undefined;
  /** The ids of the records that match the row, if several do. */
  readonly candidates?: readonly string[] | undefined;
  /** The writes that the row needs, in order. */
  readonly steps: readonly Step[];
  readonly completed: readonly CompletedStep[];
}

/** The refusal of one row. The other rows are still imported. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly candidates: readonly string[] | undefined;

  constructor(message: string, candidates?: readonly string[]) {
    super(message);
    this.candidates = candidates;
  }
}

/**
 * Returns the only record among matches, undefined if there is none. `message` introduces the ids of several.
 * @throws {Refusal} if several records match: kith does not guess
 */
export function requireOne(matches: readonly StoredRecord[], message: string): StoredRecord | undefined {
  const byId = new Map(matches.map((record) => [record.id ?? '', record]));
  if (byId.size < 2) return [...byId.values()][0];
  const ids = [...byId.keys()];
  throw new Refusal(`${message}: ${ids.join(', ')}.`, ids);
}

/** Whether the service refused a write because another record has one of its values. */
export function isTaken(error: unknown): boolean {
  const fieldErrors = error instanceof Failure ? error.detail.fieldErrors : undefined;
  return fieldErrors?.some(({ code }) => code === 'taken') ?? false;
}
