import type { TableStyle } from '../../render/paint.ts';
import { type Paint, plainPaint } from '../../render/paint.ts';
import { sanitizeJson, sanitizeLines } from '../../render/sanitize.ts';
import { createPathColumns, type Path, selectFields } from '../../render/select.ts';
import type { View } from '../../render/views.ts';
import type { Environment } from '../../settings/paths.ts';
import { compactJson, indentJson, type RawJson } from '../../values/raw-json.ts';
import type { StreamRenderer } from '../command.ts';
import type { OutputStream, Session } from '../context.ts';
import type { Format } from '../flags/globals.ts';

/** Writes records as they come. */
export interface Writer {
  batch(records: readonly RawJson[]): Promise<void>;
  end(): Promise<void>;
}

/** How records are written. */
export interface WriterOptions {
  readonly format: Format;
  readonly view: View;
  /** What stands in place of a table. */
  readonly streamed?: StreamRenderer | undefined;
  /** Only these fields. */
  readonly paths: readonly Path[] | undefined;
  readonly out: OutputStream;
  readonly session: Session;
}

/** A writer of a list in a format; only what the format needs is loaded. */
export async function createWriter(writing: WriterOptions): Promise<Writer> {
  const { format, paths, out, session } = writing;
  const pick = (record: RawJson) => (paths ? selectFields(record, paths) : record);
  const { jq } = session.globals;
  if (jq !== undefined) {
    const filter: Filter = async (json) => (await session.worker()).runJq(json, jq);
    return format === 'ndjson' ? filteredLines(filter, out, pick) : filteredArray(filter, out, pick);
  }
  if (format === 'json') return arrayWriter(out, pick);
  if (format === 'ndjson') return lineWriter(out, pick);
  return rowWriter(out, await createRowDrawer(writing));
}

/** One JSON array, a record after the other. */
function arrayWriter(out: OutputStream, pick: (record: RawJson) => RawJson): Writer {
  let isFirst = true;
  return {
    async batch(records) {
      const texts = records.map((record) => `  ${formatJson(out, pick(record)).replaceAll('\n', '\n  ')}`);
      if (texts.length === 0) return;
      await out.write(`${isFirst ? '[\n' : ',\n'}${texts.join(',\n')}`);
      isFirst = false;
    },
    end: () => out.write(isFirst ? '[]\n' : '\n]\n'),
  };
}

/** A record a line. */
function lineWriter(out: OutputStream, pick: (record: RawJson) => RawJson): Writer {
  return {
    batch: (records) =>
      out.write(records.map((record) => `${formatLine(out, compactJson(pick(record).text))}\n`).join('')),
    end: async () => {},
  };
}

/** The lines that a filter makes of JSON texts. */
type Filter = (json: string) => Promise<string[]>;

/** What a filter makes of each record as it comes. */
function filteredLines(filter: Filter, out: OutputStream, pick: (record: RawJson) => RawJson): Writer {
  return {
    async batch(records) {
      const texts = records.map((record) => pick(record).text);
      await out.write(formatLines(out, await filter(texts.join('\n'))));
    },
    end: async () => {},
  };
}

/** What a filter makes of all records together. */
function filteredArray(filter: Filter, out: OutputStream, pick: (record: RawJson) => RawJson): Writer {
  const kept: string[] = [];
  return {
    async batch(records) {
      kept.push(...records.map((record) => pick(record).text));
    },
    end: async () => out.write(formatLines(out, await filter(`[${kept.join(',')}]`))),
  };
}

/** Rows under a header, which an empty list has too. */
function rowWriter(out: OutputStream, draw: (records: readonly unknown[]) => string): Writer {
  let isEmpty = true;
  return {
    async batch(records) {
      if (records.length === 0) return;
      isEmpty = false;
      await out.write(draw(records.map(({ value }) => value)));
    },
    end: async () => {
      if (isEmpty) await out.write(draw([]));
    },
  };
}

async function createRowDrawer({
  format,
  view,
  streamed,
  paths,
  out,
  session,
}: WriterOptions): Promise<(records: readonly unknown[]) => string> {
  const { noHeader, bom } = session.globals;
  if (format === 'table' && streamed && !paths) return streamed(await readTableStyle(out, session));
  const shown: View = paths ? () => createPathColumns(paths) : view;
  const rows = { header: !noHeader };
  if (format === 'table')
    return (await import('../../render/table.ts')).createTableRenderer(shown, {
      ...(await readTableStyle(out, session)),
      ...rows,
    });
  const draw =
    format === 'csv'
      ? (await import('../../render/csv.ts')).createCsvRenderer(shown, { ...rows, bom })
      : (await import('../../render/delimited.ts')).createTsvRenderer(shown, rows);
  return out.isTerminal ? (records) => sanitizeLines(draw(records)) : draw;
}

/** How wide and how coloured a stream is drawn on. */
export async function readTableStyle(out: OutputStream, { env, globals }: Session): Promise<TableStyle> {
  return {
    width: out.isTerminal ? out.columns || Number(env.COLUMNS) || 80 : undefined,
    paint: globals.noColor ? plainPaint : await choosePaint(out, env),
  };
}

/** A value as JSON on several lines; a terminal gets escapes for what would drive it, which JSON leaves as it is. */
export function formatJson(out: OutputStream, { text }: RawJson): string {
  return formatLine(out, indentJson(text));
}

/** A JSON text for a stream, as it is set. */
export const formatLine = (out: OutputStream, text: string) => (out.isTerminal ? sanitizeJson(text) : text);

/** Lines that a filter gave. */
export function formatLines(out: OutputStream, lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join('');
  return out.isTerminal ? sanitizeLines(text) : text;
}

/** Emphasis on a stream: where it is a terminal that can show colours, unless its environment says otherwise. */
export async function choosePaint({ isTerminal }: OutputStream, env: Environment): Promise<Paint> {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  const refused = Boolean(env.NO_COLOR) || env.TERM === 'dumb' || env.FORCE_COLOR === '0';
  if (refused || !(forced || isTerminal)) return plainPaint;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
