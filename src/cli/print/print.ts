import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import { sanitizeLines } from '../../render/sanitize.ts';
import { type Path, parsePaths, readPath, selectFields } from '../../render/select.ts';
import { longWork, yieldToSignals } from '../../values/concurrency.ts';
import { readObject } from '../../values/json-object.ts';
import { compactJson, type RawJson } from '../../values/raw-json.ts';
import { type CommandResult, toBatches } from '../command.ts';
import { type OutputStream, type Pager, type Session, wrapOutput } from '../context.ts';
import type { Format } from '../flags/globals.ts';
import { describeRemaining } from './remaining.ts';
import { createWriter, formatJson, formatLine, formatLines, readTableStyle } from './writers.ts';

/** Prints the result of a command to stdout, or through a pager. */
export async function printResult(result: CommandResult, session: Session): Promise<void> {
  const content = await applyImportModel(result, session);
  const { output, close } = openResultOutput(session);
  let notes: readonly string[] = [];
  try {
    if (content.kind === 'text') await printText(content, session, output);
    else if (content.kind === 'record') notes = await printRecord(content, session, output);
    else notes = await printRecords(content, session, output);
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
  const batches = result.kind === 'records' ? result.batches : toBatches([result.record]);
  const { toImportTable } = await import('./import-model.ts');
  return toImportTable(await session.client(), result.importModel, batches);
}

type ResultOfKind<Kind> = Extract<CommandResult, { readonly kind: Kind }>;

async function printText(
  { text, bytes, json }: ResultOfKind<'text'>,
  session: Session,
  out: OutputStream,
): Promise<void> {
  const { jq } = session.globals;
  if (jq !== undefined)
    return out.write(formatLines(out, await (await session.worker()).runJq(json.text, jq)));
  const format = chooseFormat(session, 'text');
  if (format === 'json') await out.write(`${formatJson(out, json)}\n`);
  else if (format === 'ndjson') await out.write(`${formatLine(out, compactJson(json.text))}\n`);
  else if (out.isTerminal) await out.write(sanitizeLines(text));
  else if (bytes === undefined) await out.write(text);
  else await out.write(bytes, 'latin1');
}

/** Prints a record and returns notes on it. */
async function printRecord(
  { record, view }: ResultOfKind<'record'>,
  session: Session,
  out: OutputStream,
): Promise<string[]> {
  const format = chooseFormat(session, out.isTerminal ? 'table' : 'tsv');
  const { globals } = session;
  const paths = globals.fields === undefined ? undefined : parsePaths(globals.fields);
  if (format === 'json') {
    const json = paths ? selectFields(record, paths) : record;
    await printText({ kind: 'text', text: '', json }, session, out);
  } else if (format === 'table' && !paths) {
    const { renderDetails } = await import('../../render/details.ts');
    await out.write(renderDetails(record.value, (await readTableStyle(out, session)).paint));
  } else {
    const writer = await createWriter({ format, view, paths, out, session });
    await writer.batch([record]);
    await writer.end();
  }
  return describeUnknownFields(
    paths?.filter((path) => readPath(record.value, path) === undefined),
    record,
  );
}

/** Prints records and returns notes on them. */
async function printRecords(
  result: ResultOfKind<'records'>,
  session: Session,
  out: OutputStream,
): Promise<string[]> {
  const { batches, view, render, renderStream } = result;
  const format = chooseFormat(session, result.defaultFormat ?? (out.isTerminal ? 'table' : 'tsv'));
  const { fields } = session.globals;
  const paths = fields === undefined ? undefined : parsePaths(fields);
  if (format === 'table' && render && !paths) {
    const records: unknown[] = [];
    for await (const batch of batches) records.push(...batch.records.map(({ value }) => value));
    await out.write(render(records, await readTableStyle(out, session)));
    return [];
  }
  const writer = await createWriter({ format, view, renderStream, paths, out, session });
  const missing = new Set(paths);
  let count = 0;
  let last: Batch = { records: [], total: undefined, hasMore: false };
  for await (const batch of batches) {
    count += batch.records.length;
    last = batch;
    for (const path of missing) {
      if (batch.records.some(({ value }) => readPath(value, path) !== undefined)) missing.delete(path);
    }
    if (batch.records.length >= longWork.records) await yieldToSignals(session.signal);
    await writer.batch(batch.records);
  }
  await writer.end();
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

function describeLimit(last: Batch, count: number, { globals }: Session): string[] {
  const remaining = describeRemaining(last, count);
  if (remaining === undefined) return [];
  const flag = globals.limit === undefined ? '--all or --limit N' : '--all or a larger --limit';
  return [`${remaining}. Use ${flag} to see them.`];
}

function chooseFormat({ globals }: Session, fallback: Format): Format {
  const { json, format, jq } = globals;
  if (json) return 'json';
  return (format as Format | undefined) ?? (jq === undefined ? fallback : 'json'); // the flag was checked when it was parsed
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
