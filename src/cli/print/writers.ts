import type { RecordRenderer } from '../../render/delimited.ts';
import { type Paint, plainPaint, type TableStyle } from '../../render/paint.ts';
import { sanitizeJson, sanitizeLines } from '../../render/sanitize.ts';
import { createPathColumns, type Path, selectFields } from '../../render/select.ts';
import type { View } from '../../render/views.ts';
import type { Environment } from '../../settings/paths.ts';
import { compactJson, indentJson, type RawJson } from '../../values/raw-json.ts';
import type { StreamRenderer } from '../command.ts';
import type { OutputStream, Session } from '../context.ts';
import type { Format } from '../flags/globals.ts';

/** Writes records in batches. */
export interface Writer {
  batch(records: readonly RawJson[]): Promise<void>;
  end(): Promise<void>;
}

/** The format and the destination of records. */
export interface WriterOptions {
  readonly format: Format;
  readonly view: View;
  /** Replaces the table. */
  readonly renderStream?: StreamRenderer | undefined;
  /** The fields to write; undefined for all. */
  readonly paths: readonly Path[] | undefined;
  readonly out: OutputStream;
  readonly session: Session;
}

/** Creates a writer. Loads only what the format needs. */
export async function createWriter(options: WriterOptions): Promise<Writer> {
  const { format, paths, out, session } = options;
  const select = (record: RawJson) => (paths ? selectFields(record, paths) : record);
  const { jq } = session.globals;
  if (jq !== undefined) {
    const filter: Filter = async (json) => (await session.worker()).runJq(json, jq);
    return format === 'ndjson'
      ? createFilteredLineWriter(filter, out, select)
      : createFilteredArrayWriter(filter, out, select);
  }
  if (format === 'json') return createArrayWriter(out, select);
  if (format === 'ndjson') return createLineWriter(out, select);
  return createRowWriter(out, await createRenderer(options));
}

/** Writes one JSON array. */
function createArrayWriter(out: OutputStream, select: (record: RawJson) => RawJson): Writer {
  let isFirst = true;
  return {
    async batch(records) {
      const texts = records.map((record) => `  ${formatJson(out, select(record)).replaceAll('\n', '\n  ')}`);
      if (texts.length === 0) return;
      await out.write(`${isFirst ? '[\n' : ',\n'}${texts.join(',\n')}`);
      isFirst = false;
    },
    end: () => out.write(isFirst ? '[]\n' : '\n]\n'),
  };
}

/** Writes one record per line. */
function createLineWriter(out: OutputStream, select: (record: RawJson) => RawJson): Writer {
  return {
    batch: (records) =>
      out.write(records.map((record) => `${formatLine(out, compactJson(select(record).text))}\n`).join('')),
    end: async () => {},
  };
}

/** Applies a jq expression to JSON texts and returns its output lines. */
type Filter = (json: string) => Promise<string[]>;

/** Filters each record by itself. */
function createFilteredLineWriter(
  filter: Filter,
  out: OutputStream,
  select: (record: RawJson) => RawJson,
): Writer {
  return {
    async batch(records) {
      const texts = records.map((record) => select(record).text);
      await out.write(formatLines(out, await filter(texts.join('\n'))));
    },
    end: async () => {},
  };
}

/** Filters all records as one array. */
function createFilteredArrayWriter(
  filter: Filter,
  out: OutputStream,
  select: (record: RawJson) => RawJson,
): Writer {
  const texts: string[] = [];
  return {
    async batch(records) {
      texts.push(...records.map((record) => select(record).text));
    },
    end: async () => out.write(formatLines(out, await filter(`[${texts.join(',')}]`))),
  };
}

/** Writes rows under a header. An empty list has a header too. */
function createRowWriter(out: OutputStream, render: RecordRenderer): Writer {
  let isEmpty = true;
  return {
    async batch(records) {
      if (records.length === 0) return;
      isEmpty = false;
      await out.write(render(records.map(({ value }) => value)));
    },
    end: async () => {
      if (isEmpty) await out.write(render([]));
    },
  };
}

async function createRenderer({
  format,
  view,
  renderStream,
  paths,
  out,
  session,
}: WriterOptions): Promise<RecordRenderer> {
  const { noHeader, bom } = session.globals;
  if (format === 'table' && renderStream && !paths) return renderStream(await readTableStyle(out, session));
  const columns: View = paths ? () => createPathColumns(paths) : view;
  const style = { header: !noHeader };
  if (format === 'table')
    return (await import('../../render/table.ts')).createTableRenderer(columns, {
      ...(await readTableStyle(out, session)),
      ...style,
    });
  const render =
    format === 'csv'
      ? (await import('../../render/csv.ts')).createCsvRenderer(columns, { ...style, bom })
      : (await import('../../render/delimited.ts')).createTsvRenderer(columns, style);
  return out.isTerminal ? (records) => sanitizeLines(render(records)) : render;
}

/** Returns the width and the colors of a stream. */
export async function readTableStyle(out: OutputStream, { env, globals }: Session): Promise<TableStyle> {
  return {
    width: out.isTerminal ? out.columns || Number(env.COLUMNS) || 80 : undefined,
    paint: globals.noColor ? plainPaint : await choosePaint(out, env),
  };
}

/** Formats a value as indented JSON, sanitized for a terminal. */
export function formatJson(out: OutputStream, { text }: RawJson): string {
  return formatLine(out, indentJson(text));
}

/** Formats a JSON text as it is, sanitized for a terminal. */
export const formatLine = (out: OutputStream, text: string) => (out.isTerminal ? sanitizeJson(text) : text);

/** Formats the lines of a filter, sanitized for a terminal. */
export function formatLines(out: OutputStream, lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join('');
  return out.isTerminal ? sanitizeLines(text) : text;
}

/** Returns colors if a stream is a terminal. NO_COLOR, FORCE_COLOR and TERM=dumb take precedence. */
export async function choosePaint({ isTerminal }: OutputStream, env: Environment): Promise<Paint> {
  const isForced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  const isDisabled = Boolean(env.NO_COLOR) || env.TERM === 'dumb' || env.FORCE_COLOR === '0';
  if (isDisabled || !(isForced || isTerminal)) return plainPaint;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
