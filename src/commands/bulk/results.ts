import { toErrorDocument } from '../../contract/documents/error.ts';
import type { Failure } from '../../contract/errors.ts';
import { createPlainColumn, type View } from '../../render/columns.ts';
import { readObject } from '../../values/json-object.ts';
import { joinMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';
import type { WriteStatus } from '../../writes/outcome.ts';
import type { Target } from './targets.ts';

/** The outcome of one of many writes. */
export interface BulkOutcome {
  readonly target: Target;
  readonly status: WriteStatus;
  /** The record after the write, if the service returned it. */
  readonly record?: RawJson | undefined;
  readonly failure?: Failure;
}

/** Returns an outcome as the record that kith prints. */
export function toResultRecord({ target, status, record, failure }: BulkOutcome, now: Date): RawJson {
  return joinMembers([
    ['id', toRawJson(target.id)],
    ...(target.list_id === undefined ? [] : [['list_id', toRawJson(target.list_id)] as const]),
    ['status', toRawJson(status)],
    ...(failure ? [['error', toRawJson(toErrorDocument(failure, now))] as const] : []),
    ...(record ? [['record', record] as const] : []),
  ]);
}

const columns = [
  createPlainColumn('id'),
  createPlainColumn('status'),
  createPlainColumn('error', { cell: ({ error }) => readObject(error).message ?? '' }),
];

/** The columns of results in a table, CSV and TSV. */
export const resultView: View = () => columns;
