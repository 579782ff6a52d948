import type { Batch } from '../client/pages.ts';
import { fieldsOf } from '../output/columns.ts';
import { pairsOf } from '../output/details.ts';
import { safeLines } from '../output/safe.ts';
import { type Path, pathsIn, valueAt } from '../output/select.ts';
import type { Answer } from './command.ts';
import type { Session, Sink } from './context.ts';
import type { Format } from './formats.ts';
import { resultSink } from './pager.ts';
import { drawingOn, jsonOn, linesOn, writerFor } from './writers.ts';

/** Prints what a command answered, in the one place that decides how. */
export async function printAnswer(answer: Answer, session: Session): Promise<void> {
  const { sink, close } = resultSink(session);
  try {
    if (answer.kind === 'text') await printText(answer, session, sink);
    else if (answer.kind === 'record') await printRecord(answer, session, sink);
    else await printRecords(answer, session, sink);
  } finally {
    await close();
  }
}

type Of<Kind> = Extract<Answer, { readonly kind: Kind }>;

async function printText({ text, json }: Of<'text'>, session: Session, out: Sink): Promise<void> {
  const format = formatFor(session, 'text');
  if (format !== 'json') return out.write(out.isTerminal ? safeLines(text) : text);
  const { jq } = session.globals;
  if (jq === undefined) return out.write(`${jsonOn(out, json)}\n`);
  const { jqFor } = await import('../output/jq.ts');
  await out.write(linesOn(out, (await jqFor(jq))(json.text)));
}

async function printRecord({ record, view }: Of<'record'>, session: Session, out: Sink): Promise<void> {
  const format = formatFor(session, out.isTerminal ? 'table' : 'tsv');
  const { globals } = session;
  const paths = globals.fields === undefined ? undefined : pathsIn(globals.fields);
  if (format === 'json' && globals.jq === undefined) {
    const { picked } = await import('../output/select.ts');
    return out.write(`${jsonOn(out, paths ? picked(record, paths) : record)}\n`);
  }
  if (format === 'json') return printText({ kind: 'text', text: '', json: record }, session, out);
  if (format !== 'table' || paths) {
    const writer = await writerFor({ format, view, paths, out, session });
    await writer.batch([record]);
    return writer.end();
  }
  const { detailsOf } = await import('../output/table.ts');
  await out.write(detailsOf(pairsOf(record.value), drawingOn(out, session).paint));
}

async function printRecords(answer: Of<'records'>, session: Session, out: Sink): Promise<void> {
  const { batches, view, drawn, streamed } = answer;
  const format = formatFor(session, answer.format ?? (out.isTerminal ? 'table' : 'tsv'));
  const { fields } = session.globals;
  const paths = fields === undefined ? undefined : pathsIn(fields);
  if (format === 'table' && drawn && !paths) {
    const records: unknown[] = [];
    for await (const batch of batches) records.push(...batch.records.map(({ value }) => value));
    return out.write(drawn(records, drawingOn(out, session)));
  }
  const writer = await writerFor({ format, view, streamed, paths, out, session });
  const unseen = new Set(paths);
  let count = 0;
  let last: Batch = { records: [], total: undefined, more: false };
  for await (const batch of batches) {
    count += batch.records.length;
    last = batch;
    for (const path of unseen) {
      if (batch.records.some(({ value }) => valueAt(value, path) !== undefined)) unseen.delete(path);
    }
    await writer.batch(batch.records);
  }
  await writer.end();
  if (count > 0) await tellUnseen(unseen, last, session);
  await tellLeftOut(last, count, session);
}

/** A field that no record has is most likely misspelt. */
async function tellUnseen(unseen: ReadonlySet<Path>, { records }: Batch, session: Session): Promise<void> {
  if (unseen.size === 0) return;
  const known = Object.keys(fieldsOf(records[0]?.value)).join(', ');
  const names = [...unseen].map((path) => `"${path.join('.')}"`).join(', ');
  await session.note(`No record has ${names}; the fields are ${known}.`);
}

async function tellLeftOut({ total, more }: Batch, count: number, session: Session): Promise<void> {
  if (!more || (total !== undefined && total <= count)) return;
  const left = total === undefined ? 'More records follow' : `${total - count} more records`;
  const flag = session.globals.limit === undefined ? '--all or --limit N' : '--all or a larger --limit';
  await session.note(`${left}; see them with ${flag}.`);
}

function formatFor({ globals }: Session, fallback: Format): Format {
  const { json, format, jq } = globals;
  if (json) return 'json';
  return (format as Format | undefined) ?? (jq === undefined ? fallback : 'json'); // checked when it was read
}
