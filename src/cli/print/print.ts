import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import type { Pager } from '../../process/child-processes.ts';
import type { OutputStream } from '../../process/streams.ts';
import { sanitizeLines } from '../../render/sanitize.ts';
import { type Path, parsePaths, readPath } from '../../render/select.ts';
import { longWork, yieldToSignals } from '../../values/concurrency.ts';
import { readObject } from '../../values/json-object.ts';
import type { RawJson } from '../../values/raw-json.ts';
import { formatCount } from '../../values/text.ts';
import { type CommandResult, toBatch } from '../command.ts';
import { type Session, wrapOutput } from '../context.ts';
import type { Format } from '../flags/globals.ts';
import { formatRecords, readTableStyle } from './format-records.ts';

/** Prints the result of a command to stdout, or through a pager. */
export async function printResult(result: CommandResult, session: Session): Promise<void> {
  const content = await applyImportModel(result, session);
  const { output, close } = openResultOutput(session);
  let notes: readonly string[] = [];
  try {
    notes = await printContent(content, session, output);
  } finally {
    await close();
  }
  // Notes follow the result, after the pager has closed.
  for (const note of notes) await session.note(note);
}

/** With --format csv and without --fields, returns the records with the columns of an import. */
async function applyImportModel(result: CommandResult, session: Session): Promise<CommandResult> {
  const { format, fields } = session.globals;
  if (result.kind === 'text' || !result.importModel || format !== 'csv' || fields !== undefined)
    return result;
  const { toImportTable } = await import('./import-model.ts');
  return toImportTable(await session.client(), result.importModel, toBatches(result));
}

function toBatches(result: CommandResult): AsyncIterable<Batch> {
  if (result.kind === 'records') return result.batches;
  return toBatch([result.kind === 'record' ? result.record : result.json]);
}

async function printContent(result: CommandResult, session: Session, out: OutputStream): Promise<string[]> {
  const format = chooseFormat(result, session, out);
  if (result.kind === 'text' && format !== 'json' && format !== 'ndjson') {
    const { text, bytes } = result;
    if (typeof text === 'function') await out.write(text(await readTableStyle(out, session)));
    else if (out.isTerminal || bytes === undefined)
      await out.write(out.isTerminal ? sanitizeLines(text) : text);
    else await out.write(bytes, 'latin1');
    return [];
  }
  const { fields } = session.globals;
  const paths = fields === undefined ? undefined : parsePaths(fields);
  const missing = new Set(paths);
  let count = 0;
  let last: Batch = { records: [], total: undefined, hasMore: false };
  const readBatches = async function* () {
    for await (const batch of toBatches(result)) {
      count += batch.records.length;
      last = batch;
      for (const path of missing) {
        if (batch.records.some(({ value }) => readPath(value, path) !== undefined)) missing.delete(path);
      }
      if (batch.records.length >= longWork.records) await yieldToSignals(session.signal);
      yield batch.records;
    }
  };
  const texts = formatRecords(readBatches(), { ...result, format, paths, out, session });
  for await (const text of texts) await out.write(text);
  return [
    ...(count > 0 ? describeUnknownFields([...missing], last.records[0]) : []),
    ...describeLimit(last, count, session),
  ];
}

/** A field that no record has is probably misspelled. */
function describeUnknownFields(missing: readonly Path[] = [], record: RawJson | undefined): string[] {
  if (missing.length === 0) return [];
  const available = Object.keys(readObject(record?.value)).join(', ');
  const names = missing.map((path) => `"${path.join('.')}"`).join(', ');
  return [`Unknown ${missing.length === 1 ? 'field' : 'fields'} ${names}. Available fields: ${available}.`];
}

/** Describes the records of a list that follow those shown; undefined if there are none. */
export function describeRemaining(
  { total, hasMore, isFiltered }: Pick<Batch, 'total' | 'hasMore' | 'isFiltered'>,
  shown: number,
): string | undefined {
  if (!hasMore || (total !== undefined && total <= shown)) return undefined;
  if (isFiltered) return 'The list may have more matches';
  return total === undefined ? 'More records follow' : formatCount(total - shown, 'more record');
}

function describeLimit(last: Batch, count: number, { globals }: Session): string[] {
  const remaining = describeRemaining(last, count);
  if (remaining === undefined) return [];
  const flag = globals.limit === undefined ? '--all or --limit N' : '--all or a larger --limit';
  return [`${remaining}. Use ${flag} to see them.`];
}

function chooseFormat(result: CommandResult, { globals }: Session, out: OutputStream): Format {
  const { json, format, jq } = globals;
  if (json) return 'json';
  if (format !== undefined) return format as Format; // the flag was checked when it was parsed
  if (jq !== undefined) return 'json';
  if (result.kind === 'text') return 'text';
  return (result.kind === 'records' && result.defaultFormat) || (out.isTerminal ? 'table' : 'tsv');
}

/** Opens the output of a result: stdout, or `$PAGER` in a terminal if the result is longer than the screen. */
function openResultOutput({ stdout, env, programs, signal }: Session): Pager {
  const command = env.PAGER?.trim() ?? '';
  const { rows } = stdout;
  // 0 rows means that the size of the terminal is unknown.
  if (!stdout.isTerminal || !rows || env.TERM === 'dumb' || ['', 'cat'].includes(command)) {
    return { output: stdout, close: async () => {} };
  }
  let buffer = '';
  let pager: Pager | undefined;
  const write = async (text: string): Promise<void> => {
    if (pager) return pager.output.write(text);
    buffer += text;
    if (buffer.split('\n').length <= rows) return;
    pager = await (await programs()).openPager(command);
    await pager.output.write(buffer);
  };
  const close = async () => {
    if (pager) {
      await pager.close();
      // The user has not quit the pager.
      if (signal.reason instanceof Failure && signal.reason.code === 'terminated') throw signal.reason;
    } else await stdout.write(buffer);
  };
  return { output: wrapOutput(stdout, write), close };
}
