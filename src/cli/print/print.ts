import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import { renderDetails } from '../../render/details.ts';
import { fieldsOf } from '../../render/fields.ts';
import { sanitizeLines } from '../../render/sanitize.ts';
import { type Path, parsePaths, readPath, selectFields } from '../../render/select.ts';
import { compactJson, type RawJson } from '../../values/raw-json.ts';
import { type CommandResult, toBatches } from '../command.ts';
import type { OutputStream, Pager, Session } from '../context.ts';
import type { Format } from '../flags/globals.ts';
import { longWork, yieldToSignals } from '../jobs/long-work.ts';
import { describeRemaining } from './remaining.ts';
import { createWriter, formatJson, formatLine, formatLines, readTableStyle } from './writers.ts';

/** Prints what a command answered, in the one place that decides how. */
export async function printResult(given: CommandResult, session: Session): Promise<void> {
  const answer = await asAskedFor(given, session);
  const { output: sink, close } = openResultOutput(session);
  let notes: readonly string[] = [];
  try {
    if (answer.kind === 'text') await printText(answer, session, sink);
    else if (answer.kind === 'record') notes = await printRecord(answer, session, sink);
    else notes = await printRecords(answer, session, sink);
  } finally {
    await close();
  }
  // Below the result, and not across the screen of a pager.
  for (const note of notes) await session.note(note);
}

/** The sheet of the records where CSV is asked for, and no fields of them; else the answer as it is. */
async function asAskedFor(answer: CommandResult, session: Session): Promise<CommandResult> {
  const { format, fields } = session.globals;
  if (answer.kind === 'text' || !answer.importModel || format !== 'csv' || fields !== undefined)
    return answer;
  const batches = answer.kind === 'records' ? answer.batches : toBatches([answer.record]);
  const { sheetOf } = await import('./import-model.ts');
  return sheetOf(await session.client(), answer.importModel, batches);
}

type Of<Kind> = Extract<CommandResult, { readonly kind: Kind }>;

async function printText(
  { text, bytes, json }: Of<'text'>,
  session: Session,
  out: OutputStream,
): Promise<void> {
  const { jq } = session.globals;
  if (jq !== undefined)
    return out.write(formatLines(out, await (await session.worker()).runJq(json.text, jq)));
  const format = formatFor(session, 'text');
  if (format === 'json') await out.write(`${formatJson(out, json)}\n`);
  else if (format === 'ndjson') await out.write(`${formatLine(out, compactJson(json.text))}\n`);
  else if (out.isTerminal) await out.write(sanitizeLines(text));
  else if (bytes === undefined) await out.write(text);
  else await out.write(bytes, 'latin1');
}

/** Gives what is to be said beside the record. */
async function printRecord(
  { record, view }: Of<'record'>,
  session: Session,
  out: OutputStream,
): Promise<string[]> {
  const format = formatFor(session, out.isTerminal ? 'table' : 'tsv');
  const { globals } = session;
  const paths = globals.fields === undefined ? undefined : parsePaths(globals.fields);
  if (format === 'json') {
    const json = paths ? selectFields(record, paths) : record;
    await printText({ kind: 'text', text: '', json }, session, out);
  } else if (format === 'table' && !paths) {
    await out.write(renderDetails(record.value, (await readTableStyle(out, session)).paint));
  } else {
    const writer = await createWriter({ format, view, paths, out, session });
    await writer.batch([record]);
    await writer.end();
  }
  return noteOnUnseen(
    paths?.filter((path) => readPath(record.value, path) === undefined),
    record,
  );
}

/** Gives what is to be said beside the records. */
async function printRecords(answer: Of<'records'>, session: Session, out: OutputStream): Promise<string[]> {
  const { batches, view, render: drawn, renderStream: streamed } = answer;
  const format = formatFor(session, answer.defaultFormat ?? (out.isTerminal ? 'table' : 'tsv'));
  const { fields } = session.globals;
  const paths = fields === undefined ? undefined : parsePaths(fields);
  if (format === 'table' && drawn && !paths) {
    const records: unknown[] = [];
    for await (const batch of batches) records.push(...batch.records.map(({ value }) => value));
    await out.write(drawn(records, await readTableStyle(out, session)));
    return [];
  }
  const writer = await createWriter({ format, view, streamed, paths, out, session });
  const unseen = new Set(paths);
  let count = 0;
  let last: Batch = { records: [], total: undefined, hasMore: false };
  for await (const batch of batches) {
    count += batch.records.length;
    last = batch;
    for (const path of unseen) {
      if (batch.records.some(({ value }) => readPath(value, path) !== undefined)) unseen.delete(path);
    }
    if (batch.records.length >= longWork.records) await yieldToSignals(session.signal);
    await writer.batch(batch.records);
  }
  await writer.end();
  return [
    ...(count > 0 ? noteOnUnseen([...unseen], last.records[0]) : []),
    ...noteOnLeftOut(last, count, session),
  ];
}

/** A field that no record has is most likely misspelt. */
function noteOnUnseen(unseen: readonly Path[] = [], record: RawJson | undefined): string[] {
  if (unseen.length === 0) return [];
  const known = Object.keys(fieldsOf(record?.value)).join(', ');
  const names = unseen.map((path) => `"${path.join('.')}"`).join(', ');
  return [`No record has ${names}; the fields are ${known}.`];
}

function noteOnLeftOut(last: Batch, count: number, { globals }: Session): string[] {
  const left = describeRemaining(last, count);
  if (left === undefined) return [];
  const flag = globals.limit === undefined ? '--all or --limit N' : '--all or a larger --limit';
  return [`${left}; see them with ${flag}.`];
}

function formatFor({ globals }: Session, fallback: Format): Format {
  const { json, format, jq } = globals;
  if (json) return 'json';
  return (format as Format | undefined) ?? (jq === undefined ? fallback : 'json'); // checked when it was read
}

/** Where a result goes: stdout; in a terminal with `$PAGER` set, what is longer than the screen goes through that. */
export function openResultOutput({ stdout, env, programs, signal }: Session): Pager {
  const command = env.PAGER?.trim() ?? '';
  const { rows } = stdout;
  // A terminal of no rows does not know its size: whatever it gets would be longer than that.
  if (!stdout.isTerminal || !rows || env.TERM === 'dumb' || ['', 'cat'].includes(command)) {
    return { output: stdout, close: async () => {} };
  }
  let held = '';
  let pager: Pager | undefined;
  const write = async (text: string): Promise<void> => {
    if (pager) return pager.output.write(text);
    held += text;
    if (held.split('\n').length <= rows) return;
    pager = await programs.openPager(command);
    await pager.output.write(held);
  };
  const close = async () => {
    if (pager) {
      await pager.close();
      // The person has not left it.
      if (signal.reason instanceof Failure && signal.reason.code === 'terminated') throw signal.reason;
    } else await stdout.write(held);
  };
  return { output: { ...stdout, write }, close };
}
