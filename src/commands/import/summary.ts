import type { CommandResult } from '../../cli/command/command.ts';
import type { Batch } from '../../client/pagination.ts';
import { Failure, type FailureCode, type FieldError } from '../../contract/errors.ts';
import type { CellError } from '../../import/mapping.ts';
import { type Action, isPredictedId, type Step } from '../../import/outcome.ts';
import { type ImportRun, type RowOutcome, runImport } from '../../import/run.ts';
import { formatPlan, type PlannedChange, type PlannedRow } from '../../render/import-plan.ts';
import { views } from '../../render/views.ts';
import { isFieldContainer } from '../../values/field-values.ts';
import { readObject } from '../../values/json-object.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { formatCount, formatInteger, quote } from '../../values/text.ts';
import { rowActions } from '../../writes/log.ts';

/** How many rows are listed one by one. The report has all of them. */
const maxListed = 20;

const labels: Readonly<Partial<Record<Action, string>>> = { create: 'created', update: 'updated' };

export type ImportSummary = ReturnType<typeof createSummary>;

export function createSummary() {
  const counts = { rows: 0, create: 0, update: 0, same: 0, refused: 0, unknown: 0, left_out: 0 };
  /** The errors of the first refused rows. */
  const fieldErrors: FieldError[] = [];
  return {
    counts,
    add(
      {
        action,
        row,
        leftOut,
        error = leftOut ?? 'The earlier run refused it.',
      }: Pick<RowOutcome, 'action' | 'row' | 'error' | 'leftOut'>,
      errors: readonly CellError[] = [{ message: error }],
    ): void {
      counts.rows += 1;
      counts[action] += 1;
      if (leftOut !== undefined) counts.left_out += 1;
      else if (action !== 'refused' && action !== 'unknown') return;
      for (const { column, message } of errors.slice(0, maxListed - fieldErrors.length)) {
        const pointer = column === undefined ? `row ${row}` : `row ${row}, ${column}`;
        fieldErrors.push({ pointer, code: action === 'unknown' ? 'unknown' : 'value', message });
      }
    },
    /** Returns the counts in one line. */
    format(): string {
      const visibleActions = rowActions.filter((action) => action !== 'unknown' || counts[action] > 0);
      const parts = visibleActions.map(
        (action) => `${formatInteger(counts[action])} ${labels[action] ?? action}`,
      );
      const leftOut = counts.left_out > 0 ? [`${formatInteger(counts.left_out)} with cells left out`] : [];
      return `${formatCount(counts.rows, 'row')}: ${[...parts, ...leftOut].join(', ')}`;
    },
    /** Returns the failure if rows were refused, have an unknown outcome or lack cells. `describe` gets their number in words. */
    createFailure(
      code: FailureCode,
      describe: (refusals: string) => string,
      detail?: { readonly hint: string },
    ): Failure | undefined {
      const count = counts.refused + counts.unknown + counts.left_out;
      if (count === 0) return undefined;
      const first = fieldErrors.length < count ? `; the first ${fieldErrors.length}` : '';
      const { refused, unknown, left_out } = counts;
      const refusals = refused > 0 && `${formatCount(refused, 'row')} refused`;
      const losses = unknown > 0 && `${formatCount(unknown, 'row')} with an unknown outcome`;
      const cells = left_out > 0 && `${formatCount(left_out, 'row')} with cells left out`;
      const message = describe(`${[refusals, losses, cells].filter(Boolean).join(', ')}${first}`);
      const [only, ...more] = fieldErrors;
      const single = only && more.length === 0 ? ` ${only.pointer}: ${only.message}` : '';
      return new Failure(code, `${message}:${single}`, { fieldErrors, ...detail });
    },
  };
}

const maxNames = 3;

/** Collects the full names that could not be split. */
export function createWholeNames() {
  const names: string[] = [];
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(row: number, fullName: string): void {
      count += 1;
      if (names.length < maxNames) names.push(`${quote(fullName)} (row ${row})`);
    },
    format: () =>
      `${formatCount(count, 'name')} could not be split: ${names.join(', ')}` +
      `${count > names.length ? ` and ${count - names.length} more` : ''}. The whole name becomes the first_name.`,
  };
}

const batchSize = 100;

/** Returns the result of a dry run: the planned changes of each row, printed while they are computed. */
export function previewRows(
  { name, createRun }: { name: string; createRun: (recording: undefined) => Promise<ImportRun> },
  close: () => Promise<void>,
): CommandResult {
  const summary = createSummary();
  const batches = async function* (): AsyncGenerator<Batch> {
    let plans: PlannedRow[] = [];
    const toBatch = (): Batch => ({ records: plans.map(toRawJson), total: undefined, hasMore: false });
    try {
      for await (const outcome of runImport(await createRun(undefined))) {
        summary.add(outcome);
        plans.push(describeOutcome(outcome));
        if (plans.length < batchSize) continue;
        yield toBatch();
        plans = [];
      }
      yield toBatch();
    } finally {
      await close();
    }
  };
  return {
    kind: 'records',
    batches: batches(),
    view: views.importPlan,
    defaultFormat: 'table',
    render: formatPlan,
    get failure() {
      return summary.createFailure('partial', (refusals) => `${name}: ${refusals}`);
    },
  };
}

/** Returns the outcome of a dry run as --json shows it. */
function describeOutcome({
  row,
  action,
  id,
  steps,
  error,
  leftOut,
  candidates = [],
}: RowOutcome): PlannedRow {
  const existingIds = candidates.filter((candidate) => !isPredictedId(candidate));
  return {
    row,
    action,
    ...(id !== undefined && !isPredictedId(id) && { id }),
    ...(steps.length > 0 && { changes: steps.flatMap(describeStep) }),
    ...(error !== undefined && { error }),
    ...(leftOut !== undefined && { left_out: leftOut }),
    ...(existingIds.length > 0 && { candidates: existingIds }),
  };
}

/** The fields that name the record of an entry: the row has them. */
const entryFields = new Set(['entryable_id', 'entryable_type']);

function describeStep({ noun, id, body, before }: Step): PlannedChange[] {
  const prefix = noun === 'contact' ? '' : `${noun}.`;
  return Object.entries(body).flatMap(([field, value]): PlannedChange[] => {
    if (value === undefined || entryFields.has(field)) return [];
    if (isFieldContainer(field)) {
      const earlier = readObject(before?.[field]);
      return Object.entries(readObject(value)).map(([name, to]) => ({
        field: `${prefix}${name}`,
        ...(id !== undefined && { from: earlier[name] ?? null }),
        to,
      }));
    }
    // The row would create this organization.
    if (field === 'organization_id' && isPredictedId(value)) return [];
    const isAdded = id !== undefined && (field === 'emails' || field === 'domains');
    if (isAdded) return [{ field: prefix + field, to: value, added: true }];
    return [{ field: prefix + field, ...(before && { from: before[field] }), to: value }];
  });
}
