import type { Failure } from '../contract/errors.ts';
import type { View } from '../output/columns.ts';
import { pairsOf } from '../output/details.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { safeJson, safeLine, safeLines } from '../output/safe.ts';
import type { Answer } from './command.ts';
import type { Session, Sink } from './context.ts';
import type { Format } from './formats.ts';

/** Prints what a command answered, in the one place that decides how. */
export async function printAnswer(answer: Answer, session: Session): Promise<void> {
  const { stdout, globals } = session;
  if (answer.kind === 'text') {
    const isJson = formatFor(session, 'text') === 'json';
    const shown = stdout.isTerminal ? safeLines(answer.text) : answer.text;
    await stdout.write(isJson ? `${json(answer.json, stdout)}\n` : shown);
    return;
  }
  const format = formatFor(session, stdout.isTerminal ? 'table' : 'tsv');
  if (answer.kind === 'record') {
    await stdout.write(await recordText(answer.record, answer.view, format, session));
    return;
  }
  const write = await writerFor(format, answer.view, session);
  let count = 0;
  let left: { total: number | undefined; more: boolean } = { total: undefined, more: false };
  for await (const { records, total, more } of answer.batches) {
    count += records.length;
    left = { total, more };
    await write.batch(records);
  }
  await write.end();
  if (left.more) {
    const more = left.total === undefined ? 'More' : `${left.total - count} more`;
    if (left.total === undefined || left.total > count) {
      await session.note(
        `${more} ${left.total === undefined ? 'records follow' : 'records'}; see them with ${moreFlag(globals.limit)}.`,
      );
    }
  }
}

const moreFlag = (limit: number | undefined) =>
  limit === undefined ? '--all or --limit N' : '--all or a larger --limit';

function formatFor({ globals }: Session, fallback: Format): Format {
  return globals.json ? 'json' : ((globals.format as Format | undefined) ?? fallback); // checked when it was read
}

/** Whether text on a stream is coloured: where it is a terminal that can, unless told otherwise. */
export function paintOn({ isTerminal }: Sink, env: Session['env'], wanted = true): Paint {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  const refused = !wanted || Boolean(env.NO_COLOR) || env.TERM === 'dumb' || env.FORCE_COLOR === '0';
  return paintFor(!refused && (forced || isTerminal));
}

/** A value as JSON for a stream; a terminal gets escapes for what would drive it, which JSON leaves as it is. */
function json(value: unknown, sink: Sink, indent = 2): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  return sink.isTerminal ? safeJson(text) : text;
}

interface Writer {
  batch(records: readonly unknown[]): Promise<void>;
  end(): Promise<void>;
}

async function writerFor(format: Format, view: View, session: Session): Promise<Writer> {
  const { stdout } = session;
  if (format === 'json') return jsonWriter(stdout);
  const batch = await drawing(format, view, session);
  let isEmpty = true;
  return {
    async batch(records) {
      if (records.length === 0 && !isEmpty) return;
      isEmpty = false;
      await stdout.write(batch(records));
    },
    // An empty list still has its header row.
    end: async () => {
      if (isEmpty) await stdout.write(batch([]));
    },
  };
}

/** Only what the format needs is loaded. */
async function drawing(
  format: Format,
  view: View,
  session: Session,
): Promise<(records: readonly unknown[]) => string> {
  if (format === 'ndjson')
    return (records) => records.map((record) => `${json(record, session.stdout, 0)}\n`).join('');
  const harmless = session.stdout.isTerminal ? safeLines : (text: string) => text;
  if (format === 'tsv') {
    const draw = (await import('../output/tsv.ts')).tsvOf(view);
    return (records) => harmless(draw(records));
  }
  if (format === 'csv') {
    const draw = (await import('../output/csv.ts')).csvOf(view);
    return (records) => harmless(draw(records));
  }
  const { tableOf } = await import('../output/table.ts');
  return tableOf(view, {
    width: widthOf(session),
    paint: paintOn(session.stdout, session.env, session.globals.color),
  });
}

function widthOf({ stdout, env }: Session): number | undefined {
  if (!stdout.isTerminal) return undefined;
  return stdout.columns || Number(env.COLUMNS) || 80;
}

function jsonWriter(stdout: Sink): Writer {
  let isFirst = true;
  return {
    async batch(records) {
      const texts = records.map((record) => `  ${json(record, stdout).replaceAll('\n', '\n  ')}`);
      if (texts.length === 0) return;
      await stdout.write(`${isFirst ? '[\n' : ',\n'}${texts.join(',\n')}`);
      isFirst = false;
    },
    end: () => stdout.write(isFirst ? '[]\n' : '\n]\n'),
  };
}

async function recordText(record: unknown, view: View, format: Format, session: Session): Promise<string> {
  if (format === 'json') return `${json(record, session.stdout)}\n`;
  if (format !== 'table') return (await drawing(format, view, session))([record]);
  const { detailsOf } = await import('../output/table.ts');
  return detailsOf(pairsOf(record), paintOn(session.stdout, session.env, session.globals.color));
}

/** Where and how a failure is told. */
interface Telling {
  readonly stderr: Sink;
  readonly env: Session['env'];
  readonly json: boolean;
  readonly color: boolean;
  readonly debug: boolean;
}

/** Tells a failure on stderr: a line, its faults, a hint; or one JSON object. */
export async function printFailure(
  failure: Failure,
  { stderr, env, json: asJson, color, debug }: Telling,
): Promise<void> {
  const { code, message, detail } = failure;
  if (asJson) {
    const { status, method, path, request_id, faults } = detail;
    const error = { code, message, status, method, path, request_id, details: faults };
    await stderr.write(`${json({ error }, stderr)}\n`);
    return;
  }
  const paint = paintOn(stderr, env, color);
  const lines = [`${paint.red('kith:')} ${safeLine(message)}`];
  const faults = detail.faults ?? [];
  if (faults.length > 1)
    lines.push(...faults.map(({ pointer, message }) => `  ${safeLine(pointer)}: ${safeLine(message)}`));
  if (detail.hint !== undefined) lines.push(`${paint.yellow('hint:')} ${safeLine(detail.hint)}`);
  if (debug && failure.cause instanceof Error) lines.push(safeLines(failure.cause.stack ?? ''));
  await stderr.write(`${lines.join('\n')}\n`);
}
