import { Failure } from '../../contract/errors.ts';
import type { OutputStream } from '../../process/streams.ts';
import type { View } from '../../render/columns.ts';
import { compactFields, selectFields } from '../../render/select.ts';
import { supportsHyperlinks } from '../../render/text/hyperlinks.ts';
import { type Paint, plainPaint, type TableStyle } from '../../render/text/paint.ts';
import { sanitizeJson, sanitizeLines } from '../../render/text/sanitize.ts';
import type { Environment } from '../../settings/paths.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { compactJson, indentJson, listRawMembers, type RawJson } from '../../values/raw-json.ts';
import type { CommandResult, StreamRenderer } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { documentFormats, type Format, jsonFormats } from '../command/globals.ts';
import type { FieldSelection } from './select-fields.ts';

export interface RecordFormat {
  readonly kind: CommandResult['kind'];
  readonly format: Format;
  readonly view?: View;
  /** The body of a write, if the result is the written record. */
  readonly sentBody?: JsonObject;
  readonly readExample?: () => Promise<JsonObject>;
  /** Replaces the table. */
  readonly render?: StreamRenderer;
  /** Whether the details of each record replace the table. */
  readonly isDetailed?: true;
  /** The fields to write; undefined for all. */
  readonly selection: FieldSelection | undefined;
  readonly zone?: string | undefined;
  readonly out: OutputStream;
  readonly session: Session;
  /** Returns the names of the fields by which the records of the last batch were selected and sorted. */
  readonly listUsedFields: () => readonly string[];
  /** Receives notes for the user. */
  readonly notes: string[];
}

/** Formats records batch by batch. Loads only what the format needs. */
export async function* formatRecords(
  batches: AsyncIterable<readonly RawJson[]>,
  style: RecordFormat,
): AsyncGenerator<string> {
  const { kind, format, selection, out, session } = style;
  if (format === 'table') return yield* formatTable(batches, style);
  if (documentFormats.some((name) => name === format))
    return yield* (await import('./format-document.ts')).formatDocument(batches, style);
  if (!jsonFormats.includes(format)) return yield* formatRows(batches, await createRenderer(style));
  const texts = selectTexts(batches, selection, format === 'compact');
  const { jq } = session.globals;
  const isArray = kind === 'records' && format === 'json';
  if (isArray && jq === undefined) return yield* formatArray(texts, out);
  for await (const batch of isArray ? joinArray(texts) : texts) {
    if (jq === undefined) {
      const lines = batch.map(format === 'json' ? indentJson : compactJson);
      yield sanitizeFor(out, joinLines(lines), sanitizeJson);
    } else {
      const lines = await runJq(session, batch.join('\n'), jq);
      yield sanitizeFor(out, joinLines(lines), sanitizeLines);
    }
  }
}

/** The variables that hold a secret, which may be too short to be redacted. */
const secretVariables = ['KITH_API_KEY', 'KITH_MCP_KEY', 'PGPASSWORD'];

/** Applies a jq expression, which sees the environment without its secrets. */
export async function runJq(session: Session, json: string, expression: string): Promise<string[]> {
  const variables = Object.entries(session.runtime.env).filter(
    ([name, value = '']) => !secretVariables.includes(name) && session.streams.redact(value) === value,
  );
  return (await session.services.worker()).runJq(json, expression, Object.fromEntries(variables));
}

const joinLines = (lines: readonly string[]) => [...lines, ''].join('\n');

const sanitizeFor = (out: OutputStream, text: string, sanitize: (text: string) => string) =>
  out.isTerminal ? sanitize(text) : text;

/** Returns the JSON of the records, with only the selected fields. */
export async function* selectTexts(
  batches: AsyncIterable<readonly RawJson[]>,
  selection: FieldSelection | undefined,
  isCompact = false,
): AsyncGenerator<readonly string[]> {
  const select = (record: RawJson) => (selection ? selectFields(record, selection.paths) : record);
  const convert = isCompact ? (record: RawJson) => compactFields(select(record)) : select;
  for await (const records of batches) yield records.map((record) => convert(record).text);
}

async function* joinArray(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  const all: string[] = [];
  for await (const texts of batches) all.push(...texts);
  yield [`[${all.join(',')}]`];
}

async function* formatArray(
  batches: AsyncIterable<readonly string[]>,
  out: OutputStream,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const texts of batches) {
    if (texts.length === 0) continue;
    const items = texts.map((text) => `  ${indentJson(text).replaceAll('\n', '\n  ')}`);
    yield `${isFirst ? '[\n' : ',\n'}${sanitizeFor(out, items.join(',\n'), sanitizeJson)}`;
    isFirst = false;
  }
  yield isFirst ? '[]\n' : '\n]\n';
}

/** Formats the ids of records, one per line. @throws {Failure} usage if a record has no id */
export async function* formatIds(
  batches: AsyncIterable<readonly RawJson[]>,
  out: OutputStream,
): AsyncGenerator<string> {
  for await (const records of batches) {
    const ids = records.map(({ value }) => {
      const { id } = readObject(value);
      if (typeof id === 'string') return id;
      throw new Failure('usage', '--ids-only: these records have no field "id".', {
        hint: 'Use --fields, or --jq with --format ndjson.',
      });
    });
    yield sanitizeFor(out, joinLines(ids), sanitizeLines);
  }
}

/** Formats rows under a header, which an empty list has too, unless a terminal shows a sentence instead. */
async function* formatRows(
  batches: AsyncIterable<readonly RawJson[]>,
  render: (records: readonly unknown[]) => string | Promise<string>,
  hasSentence = false,
): AsyncGenerator<string> {
  let isEmpty = !hasSentence;
  for await (const records of batches) {
    if (records.length === 0) continue;
    isEmpty = false;
    yield await render(records.map(({ value }) => value));
  }
  if (isEmpty) yield await render([]);
}

/** Formats a table, the details of a record, or the command's own rendering. */
async function* formatTable(
  batches: AsyncIterable<readonly RawJson[]>,
  recordFormat: RecordFormat,
): AsyncGenerator<string> {
  const { kind, render, isDetailed, sentBody, selection, out, session } = recordFormat;
  const view: View = recordFormat.view ?? (() => []);
  const style = await readTableStyle(out, session);
  if (render && !selection) return yield* formatRows(batches, render(style));
  const { createTableFormatter, formatDetails } = await import('./format-table.ts');
  const { zone, listUsedFields, notes } = recordFormat;
  const screen = out.isTerminal && !selection ? { listUsedFields, isBrief: !session.call.isWrite } : {};
  const table = { view: selection ? () => selection.columns : view, style, session, zone, screen };
  if ((kind === 'record' || isDetailed) && !selection) {
    let separator = '';
    for await (const records of batches)
      for (const record of records) {
        const received = pickReceived(record);
        const columns = view([received]); // a record with fewer fields may have other columns
        const fields = sentBody
          ? (await import('./sent-fields.ts')).pickSent(received, sentBody, view.noun, columns)
          : received;
        yield separator + (await formatDetails(fields, { ...table, view: () => columns }));
        separator = '\n';
      }
    return;
  }
  const { format, describeHiddenColumns } = await createTableFormatter(table);
  yield* formatRows(batches, format, out.isTerminal);
  notes.push(...describeHiddenColumns());
}

/** Returns the fields as the service sent them: the client adds missing ones, and replaces null. */
function pickReceived(record: RawJson): JsonObject {
  const fields = readObject(record.value);
  return Object.fromEntries(
    listRawMembers(record).map(([name, { text }]) => [name, text === 'null' ? null : fields[name]]),
  );
}

async function createRenderer({
  format,
  view = () => [],
  readExample,
  selection,
  out,
  session,
}: RecordFormat) {
  const { noHeader, bom } = session.globals;
  let example: readonly JsonObject[] = [];
  const columns: View = (records) => selection?.columns ?? view(records.length > 0 ? records : example);
  const renderRows =
    format === 'csv'
      ? (await import('../../render/csv.ts')).createCsvRenderer(columns, { header: !noHeader, bom })
      : (await import('../../render/delimited.ts')).createTsvRenderer(columns, { header: !noHeader });
  return async (records: readonly unknown[]) => {
    if (records.length === 0 && readExample && !selection) example = [await readExample()];
    return sanitizeFor(out, renderRows(records), sanitizeLines);
  };
}

/** Returns how a table is drawn on an output. */
export async function readTableStyle(out: OutputStream, { runtime, globals }: Session): Promise<TableStyle> {
  return {
    width: out.isTerminal && !globals.wide ? out.columns || 80 : undefined,
    paint: globals.noColor ? plainPaint : await choosePaint(out, runtime.env),
    hasLinks: out.isTerminal && supportsHyperlinks(runtime.env),
    header: !globals.noHeader,
  };
}

/** Returns colors if a stream is a terminal. NO_COLOR, FORCE_COLOR and TERM=dumb take precedence. */
export async function choosePaint({ isTerminal }: OutputStream, env: Environment): Promise<Paint> {
  const isForced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  const isDisabled = Boolean(env.NO_COLOR) || env.TERM === 'dumb' || env.FORCE_COLOR === '0';
  if (isDisabled || !(isForced || isTerminal)) return plainPaint;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
