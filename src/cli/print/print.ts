import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import type { OutputStream } from '../../process/streams.ts';
import { sanitizeLines } from '../../render/text/sanitize.ts';
import { longWork, yieldToSignals } from '../../values/concurrency.ts';
import type { RawJson } from '../../values/raw-json.ts';
import { formatCount } from '../../values/text.ts';
import { type CommandResult, toBatches } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { type Format, jsonFormats } from '../command/globals.ts';
import { readFirst } from '../command/records.ts';
import { formatIds, formatRecords, readTableStyle } from './format-records.ts';
import { openResultOutput } from './paging.ts';
import type { FieldSelection } from './select-fields.ts';

/**
 * Prints the result of a command to stdout, or through a pager. `isWritten`: whether the command changed the workspace.
 * @throws {Failure} usage if --fields selects an unknown field, unless the command changed the workspace
 */
export async function printResult(
  result: CommandResult,
  session: Session,
  isWritten: boolean,
): Promise<void> {
  const content = await completeRecords(result, session);
  const { output, close } = openResultOutput(session, session.globals.wide && result.kind === 'records');
  let notes: readonly string[] = [];
  try {
    notes = await printContent(content, session, output, isWritten);
  } finally {
    await close();
  }
  // Notes follow the result, after the pager has closed.
  for (const note of notes) await session.messages.note(note);
}

/** The nouns whose CSV has the names of related records beside their ids. */
const namedNouns: readonly (string | undefined)[] = ['entries', 'notes'];

/**
 * Without --fields: adds names to compact rows and CSV records. A CSV or a workbook of records that can be imported gets
 * the columns of an import instead.
 */
async function completeRecords(result: CommandResult, session: Session): Promise<CommandResult> {
  const { format, fields } = session.globals;
  if (result.kind === 'text' || fields !== undefined) return result;
  if (format === 'compact' && !session.call.isWrite) {
    const { readCompactRows } = await import('../selection/related-names.ts');
    return { ...result, kind: 'records', batches: readCompactRows(session, toBatches(result), result.view) };
  }
  const isWorkbook = format === 'xlsx';
  if (format !== 'csv' && !isWorkbook) return result;
  if (result.importModel) {
    const { toImportTable } = await import('./import-table.ts');
    return {
      ...result,
      ...(await toImportTable(session, result.importModel, toBatches(result), isWorkbook)),
    };
  }
  if (isWorkbook || !namedNouns.includes(result.view.noun)) return result;
  return { ...result, ...(await import('../selection/related-names.ts')).addNameColumns(session, result) };
}

/** Returns the JSON document of a result with both records and a document, if the fields of records are not selected. */
export function findDocument(result: CommandResult, fields: string | undefined): RawJson | undefined {
  return result.kind === 'records' && fields === undefined ? result.document : undefined;
}

async function printContent(
  content: CommandResult,
  session: Session,
  out: OutputStream,
  isWritten: boolean,
): Promise<string[]> {
  const format = chooseFormat(content, session, out);
  const document = format === 'json' ? findDocument(content, session.globals.fields) : undefined;
  const result: CommandResult = document ? { kind: 'record', record: document, view: () => [] } : content;
  if (result.kind === 'text' && !jsonFormats.includes(format)) {
    await printText(result, session, out);
    return [];
  }
  let count = 0;
  let last: Batch = { records: [], total: undefined, hasMore: false };
  let isReread = false;
  const readBatches = async function* (batches: AsyncIterable<Batch>) {
    for await (const batch of batches) {
      count += batch.records.length;
      last = batch;
      isReread ||= batch.isReread === true;
      if (batch.records.length >= longWork.records) await yieldToSignals(session.signal);
      yield batch.records;
    }
  };
  const notes: string[] = [];
  const isEnvelope = format === 'json' && session.globals.jsonEnvelope;
  const list = isEnvelope || session.call.start ? await trackResult(result, session) : undefined;
  const source = list?.batches ?? toBatches(result);
  const { batches, selection } = await selectFromBatches(source, result, session.globals.fields, session);
  if (selection?.problem !== undefined) {
    if (!isWritten) throw new Failure('usage', selection.problem);
    notes.push(selection.problem);
  }
  const describeEnd = () => [
    ...notes,
    ...(isReread ? [rereadNote] : []),
    ...(list?.describeChange() ?? []),
    ...describeLimit(last, list?.countShown(last, count) ?? count, session),
  ];
  const listUsedFields = () => last.usedFields ?? [];
  const style = { ...result, format, selection, out, session, listUsedFields, notes };
  const texts = session.globals.idsOnly
    ? formatIds(readBatches(batches), out)
    : isEnvelope
      ? (await import('./format-envelope.ts')).formatEnvelope(readBatches(batches), style, () => ({
          pagination: list?.describe(last, count) ?? null,
          warnings: [...session.messages.warnings, ...describeEnd()],
        }))
      : formatRecords(readBatches(batches), style);
  for await (const text of texts) await out.write(text, format === 'xlsx' ? 'latin1' : undefined);
  const empty = content.kind === 'records' && count === 0 && out.isTerminal ? content.empty : undefined;
  const note = typeof empty === 'function' ? await empty() : empty;
  return [...(note === undefined ? [] : [note]), ...describeEnd()];
}

async function printText(
  { text: source, terminalText, bytes }: CommandResult & { readonly kind: 'text' },
  session: Session,
  out: OutputStream,
): Promise<void> {
  const text = (out.isTerminal && terminalText) || source;
  if (typeof text === 'function') await out.write(await text(await readTableStyle(out, session)));
  else if (out.isTerminal || bytes === undefined)
    await out.write(out.isTerminal ? sanitizeLines(text) : text);
  else await out.write(bytes, 'latin1');
}

/** Skips the records before the start of a list, and follows its position. */
async function trackResult(result: CommandResult, session: Session) {
  const { trackList } = await import('./list-position.ts');
  const list = trackList(session, toBatches(result));
  const describe = (last: Batch, count: number) => {
    if (result.kind !== 'records') return null;
    const isTruncated = describeRemaining(last, list.countShown(last, count)) !== undefined;
    return list.describePagination(last, count, isTruncated);
  };
  return { ...list, describe };
}

/** Resolves the selected fields by the first batch. */
export async function selectFromBatches(
  source: AsyncIterable<Batch>,
  result: CommandResult,
  fields: string | undefined,
  session: Session,
): Promise<{ batches: AsyncIterable<Batch>; selection?: FieldSelection }> {
  if (fields === undefined) return { batches: source };
  const { batches, first } = await readFirst(source);
  const { resolveFieldSelection } = await import('./select-fields.ts');
  const view = result.kind === 'text' ? () => [] : result.view;
  const values = first?.records.map(({ value }) => value) ?? [];
  const selection = await resolveFieldSelection(session, fields, view, values);
  return { batches: selection.addNames?.(batches) ?? batches, selection };
}

/** The note if a list was read again in part. */
export const rereadNote =
  'Records were deleted while the list was read. kith read a part of it again, so that no record is missing.';

/** Describes the records of a list that are not shown; undefined if all are shown. */
export function describeRemaining(
  { total, hasMore, isFiltered }: Pick<Batch, 'total' | 'hasMore' | 'isFiltered'>,
  shownCount: number,
): string | undefined {
  if (!hasMore || (total !== undefined && total <= shownCount)) return undefined;
  if (isFiltered) return 'The list may have more matches';
  return total === undefined ? 'More records follow' : formatCount(total - shownCount, 'more record');
}

function describeLimit(last: Batch, count: number, { call: { commandLine }, globals }: Session): string[] {
  const remaining = describeRemaining(last, count);
  if (remaining === undefined || commandLine?.command.paging !== 'list') return [];
  const flag = globals.limit === undefined ? '--all or --limit N' : '--all or a larger --limit';
  return [`${remaining}. Use ${flag} to see ${remaining.startsWith('1 ') ? 'it' : 'them'}.`];
}

function chooseFormat(result: CommandResult, { globals }: Session, out: OutputStream): Format {
  const { json, format, jq, idsOnly } = globals;
  if (idsOnly) return result.kind === 'text' ? 'text' : 'tsv';
  if (json) return 'json';
  if (format !== undefined) return format as Format; // the flag was checked when it was parsed
  if (jq !== undefined) return 'json';
  if (result.kind === 'text') return 'text';
  if (result.kind === 'records' && result.defaultFormat) return result.defaultFormat;
  return out.isTerminal ? 'table' : findDocument(result, globals.fields) ? 'json' : 'tsv';
}
