import { Failure, type FailureCode, type FieldError } from '../../contract/errors.ts';
import type { RowFault } from '../../import/checked-rows.ts';
import { type Action, actions } from '../../import/outcome.ts';

import type { RowOutcome } from '../../import/run.ts';

/** What became of the rows so far. */
export interface Tally {
  readonly rows: number;
  /** Rows that were refused, or whose outcome is unknown. */
  readonly refused: number;
  /** The first of them. */
  readonly told: readonly RowFault[];
  add(outcome: RowOutcome): void;
  counts(): Readonly<Record<'rows' | Action, number>>;
  /** The counts in one line. */
  line(): string;
}

/** Rows that are named one by one; all stand in the report. */
const named = 20;

const words: Readonly<Record<Action, string>> = {
  create: 'created',
  update: 'updated',
  same: 'same',
  refused: 'refused',
  unknown: 'unknown',
};

/** A tally of no rows yet. */
export function tallied(): Tally {
  const count = new Map<Action, number>();
  const told: RowFault[] = [];
  const of = (action: Action) => count.get(action) ?? 0;
  return {
    get rows() {
      return actions.reduce((sum, action) => sum + of(action), 0);
    },
    get refused() {
      return of('refused') + of('unknown');
    },
    told,
    add({ action, row, error }) {
      count.set(action, of(action) + 1);
      const isRefused = action === 'refused' || action === 'unknown';
      if (isRefused && told.length < named)
        told.push({ row, message: error ?? 'It was refused by the run before.' });
    },
    counts() {
      const { rows } = this;
      return {
        rows,
        create: of('create'),
        update: of('update'),
        same: of('same'),
        refused: of('refused'),
        unknown: of('unknown'),
      };
    },
    line() {
      const shown = actions.filter((action) => action !== 'unknown' || of(action) > 0);
      return `${this.rows} rows: ${shown.map((action) => `${of(action)} ${words[action]}`).join(', ')}`;
    },
  };
}

/** Some rows were refused, the others are imported. */
export function setAside({ refused, told }: Tally, report: string): Failure {
  return rowFailure('partial', `${counted(refused)} refused${someOf(refused, told)}`, told, {
    hint: `Fix them in ${report} and import that file; completed rows are skipped.`,
  });
}

/** Some rows would be. */
export function wouldBeSetAside(name: string, { refused, told }: Tally): Failure {
  return rowFailure('partial', `${name}: ${counted(refused)} refused${someOf(refused, told)}`, told);
}

/** Rows stand in the way of a run that is to bring in all or none. */
export function refusedRows(name: string, count: number, told: readonly RowFault[]): Failure {
  const what = `${name}: ${counted(count)} refused${someOf(count, told)}; nothing was sent`;
  return rowFailure('usage', what, told);
}

/** A single fault stands in the sentence; several are listed below it. */
function rowFailure(
  code: FailureCode,
  what: string,
  told: readonly RowFault[],
  detail?: { readonly hint: string },
): Failure {
  const faults = told.map(faultOf);
  const [only, ...more] = faults;
  const single = only && more.length === 0 ? ` ${only.pointer}: ${only.message}` : '';
  return new Failure(code, `${what}:${single}`, { fieldErrors: faults, ...detail });
}

const counted = (count: number) => (count === 1 ? '1 row is' : `${count} rows are`);

const someOf = (count: number, told: readonly RowFault[]) =>
  told.length < count ? `, of them these ${told.length}` : '';

function faultOf({ row, column, message }: RowFault): FieldError {
  return { pointer: column === undefined ? `row ${row}` : `row ${row}, ${column}`, code: 'value', message };
}
