import type { Batch } from '../../client/pagination.ts';
import { pairsOf } from '../../render/details.ts';
import { fieldsOf } from '../../render/fields.ts';
import { safeLines } from '../../render/sanitize.ts';
import { type Path, pathsIn, picked, valueAt } from '../../render/select.ts';
import { compactJson, type RawJson } from '../../values/raw-json.ts';
import { type Answer, allAtOnce } from '../command.ts';
import type { Session, Sink } from '../context.ts';
import type { Format } from '../flags/formats.ts';
import { longWork, yieldToSignals } from '../jobs/long-work.ts';
import { leftOut } from './left-out.ts';
import { resultSink } from './pager.ts';
import { drawingOn, jsonOn, lineOn, linesOn, writerFor } from './writers.ts';

/** Prints what a command answered, in the one place that decides how. */
export async function printAnswer(given: Answer, session: Session): Promise<void> {
  const answer = await asAskedFor(given, session);
  const { sink, close } = resultSink(session);
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
async function asAskedFor(answer: Answer, session: Session): Promise<Answer> {
  const { format, fields } = session.globals;
  if (answer.kind === 'text' || !answer.sheet || format !== 'csv' || fields !== undefined) return answer;
  const batches = answer.kind === 'records' ? answer.batches : allAtOnce([answer.record]);
  const { sheetOf } = await import('./import-model.ts');
  return sheetOf(await session.client(), answer.sheet, batches);
}

type Of<Kind> = Extract<Answer, { readonly kind: Kind }>;

async function printText({ text, bytes, json }: Of<'text'>, session: Session, out: Sink): Promise<void> {
  const { jq } = session.globals;
  if (jq !== undefined) return out.write(linesOn(out, await (await session.aside()).filtered(json.text, jq)));
  const format = formatFor(session, 'text');
  if (format === 'json') await out.write(`${jsonOn(out, json)}\n`);
  else if (format === 'ndjson') await out.write(`${lineOn(out, compactJson(json.text))}\n`);
  else if (out.isTerminal) await out.write(safeLines(text));
  else if (bytes === undefined) await out.write(text);
  else await out.write(bytes, 'latin1');
}

/** Gives what is to be said beside the record. */
async function printRecord({ record, view }: Of<'record'>, session: Session, out: Sink): Promise<string[]> {
  const format = formatFor(session, out.isTerminal ? 'table' : 'tsv');
  const { globals } = session;
  const paths = globals.fields === undefined ? undefined : pathsIn(globals.fields);
  if (format === 'json') {
    const json = paths ? picked(record, paths) : record;
    await printText({ kind: 'text', text: '', json }, session, out);
  } else if (format === 'table' && !paths) {
    const { detailsOf } = await import('../../render/table.ts');
    await out.write(detailsOf(pairsOf(record.value), (await drawingOn(out, session)).paint));
  } else {
    const writer = await writerFor({ format, view, paths, out, session });
    await writer.batch([record]);
    await writer.end();
  }
  return noteOnUnseen(
    paths?.filter((path) => valueAt(record.value, path) === undefined),
    record,
  );
}

/** Gives what is to be said beside the records. */
async function printRecords(answer: Of<'records'>, session: Session, out: Sink): Promise<string[]> {
  const { batches, view, drawn, streamed } = answer;
  const format = formatFor(session, answer.format ?? (out.isTerminal ? 'table' : 'tsv'));
  const { fields } = session.globals;
  const paths = fields === undefined ? undefined : pathsIn(fields);
  if (format === 'table' && drawn && !paths) {
    const records: unknown[] = [];
    for await (const batch of batches) records.push(...batch.records.map(({ value }) => value));
    await out.write(drawn(records, await drawingOn(out, session)));
    return [];
  }
  const writer = await writerFor({ format, view, streamed, paths, out, session });
  const unseen = new Set(paths);
  let count = 0;
  let last: Batch = { records: [], total: undefined, hasMore: false };
  for await (const batch of batches) {
    count += batch.records.length;
    last = batch;
    for (const path of unseen) {
      if (batch.records.some(({ value }) => valueAt(value, path) !== undefined)) unseen.delete(path);
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
  const left = leftOut(last, count);
  if (left === undefined) return [];
  const flag = globals.limit === undefined ? '--all or --limit N' : '--all or a larger --limit';
  return [`${left}; see them with ${flag}.`];
}

function formatFor({ globals }: Session, fallback: Format): Format {
  const { json, format, jq } = globals;
  if (json) return 'json';
  return (format as Format | undefined) ?? (jq === undefined ? fallback : 'json'); // checked when it was read
}
