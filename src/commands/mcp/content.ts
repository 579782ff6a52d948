import { type CommandResult, type ParsedCommand, toBatches } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { readFirst } from '../../cli/command/records.ts';
import { trackList } from '../../cli/print/list-position.ts';
import { describeRemaining, findDocument, rereadNote, selectFromBatches } from '../../cli/print/print.ts';
import { readCompactRows } from '../../cli/selection/related-names.ts';
import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import { compactFields, selectFields } from '../../render/select.ts';
import { readObject } from '../../values/json-object.ts';
import { compactJson, type RawJson } from '../../values/raw-json.ts';
import type { Cursors } from './cursor.ts';
import { measure, type ResultLimit, takePart } from './result-limit.ts';
import type { Tool } from './tools.ts';

export interface Rendering {
  readonly tool: Pick<Tool, 'output' | 'isWrite'>;
  readonly limit: ResultLimit;
  readonly cursors: Cursors;
  /** The number of records or characters to skip; undefined if the result cannot be continued. */
  readonly offset: number | undefined;
}

export interface Content {
  readonly text: string;
  /** The truncated part. */
  readonly notes: readonly string[];
  readonly structured: Readonly<Record<string, unknown>>;
}

/** Returns a note on the records that a document omits, which it counts in its member `more`. */
export function noteOmitted({ output }: Rendering['tool'], result: CommandResult): string[] {
  const document = result.kind === 'text' ? result.json : 'document' in result ? result.document : undefined;
  const counts = Object.entries(readObject(readObject(document?.value).more));
  if (output !== 'document' || counts.length === 0) return [];
  const omitted = counts.map(([name, count]) => `${name} (${count ?? 'some'})`).join(', ');
  return [formatNote(`${omitted} omitted`, 'repeat the call with a higher limit')];
}

/** Renders a result as a text, and as the structured content of its tool. */
export async function renderContent(
  session: Session,
  result: CommandResult,
  { command, globals: { fields } }: ParsedCommand,
  rendering: Rendering,
): Promise<Content> {
  if (result.kind === 'text') {
    const hasTimes = Object.hasOwn(command.options ?? {}, 'from');
    const advice = hasTimes ? 'use from and to to request a part' : undefined;
    // The text of a write is a message for a person.
    const isMessage = rendering.tool.isWrite && result.json.value !== null;
    const text = typeof result.text === 'string' && !isMessage ? result.text : '';
    const isText = rendering.tool.output === 'text';
    const json = compactFields(result.json);
    return renderText(text || compactJson(json.text), advice, rendering, isText ? undefined : json);
  }
  const whole = findDocument(result, fields);
  if (whole) {
    const document = compactFields(whole);
    return renderText(compactJson(document.text), fewerFields, rendering, document);
  }
  const isCompact = fields === undefined && !rendering.tool.isWrite;
  // The names of skipped records are not needed.
  const source = result.kind === 'records' ? trackList(session, result.batches).batches : toBatches(result);
  const rows = isCompact ? readCompactRows(session, source, result.view) : source;
  const { batches, selection } = await selectFromBatches(rows, result, fields, session);
  if (selection?.problem !== undefined && !rendering.tool.isWrite)
    throw new Failure('usage', selection.problem);
  const select = (record: RawJson) =>
    compactFields(selection ? selectFields(record, selection.paths) : record);
  if (result.kind === 'records') return renderRecords(batches, select, rendering);
  const [record = result.record] = (await readFirst(batches)).first?.records.map(select) ?? [];
  const content = renderText(compactJson(record.text), fewerFields, rendering);
  const isWhole = content.notes.length === 0 && !rendering.offset;
  return isWhole ? { ...content, structured: { records: [record.value] } } : content;
}

const fewerFields = 'request fewer fields';

/** Renders a text, or a part of it. The structured content of a whole text is its source value, if it is passed. */
function renderText(
  text: string,
  advice: string | undefined,
  rendering: Rendering,
  source?: RawJson,
): Content {
  const { offset, limit, cursors } = rendering;
  const { part, next } = truncate(text, limit, offset);
  const isWhole = next === undefined && !offset;
  if (isWhole && source && measure(source.text, limit) <= limit.max)
    return { text: part, notes: [], structured: toStructured(source.value) };
  const cursor = next === undefined || offset === undefined ? null : cursors.format(next);
  const structured = {
    text: part,
    pagination: { returned: part.length, total: text.length, truncated: next !== undefined, next: cursor },
  };
  if (next === undefined) return { text: part, notes: [], structured };
  const omittedPart = `the last ${text.length - next} of ${text.length} characters`;
  return { text: part, notes: [formatNote(omittedPart, advice, cursor && formatNext(cursor))], structured };
}

/** Returns a document as structured content. An array, such as the requests of a preview, is a list of records. */
const toStructured = (value: unknown) => (Array.isArray(value) ? { records: value } : { value });

/** Renders one record per line until the result is full; reads no further pages then. */
async function renderRecords(
  batches: AsyncIterable<Batch>,
  select: (record: RawJson) => RawJson,
  rendering: Rendering,
): Promise<Content> {
  const { offset, limit, cursors } = rendering;
  const { lines, values, last, isFull, isReread } = await collectRecords(batches, select, limit);
  const { part, next: cut } = truncate(lines.join('\n') || 'No records.', limit);
  const next = (offset ?? 0) + lines.length;
  const remaining = describeRemaining(last, next);
  const cursor = remaining === undefined || offset === undefined ? null : cursors.format(next);
  const pagination = {
    returned: lines.length,
    total: last.total ?? (remaining === undefined && !last.isFiltered ? next : null),
    truncated: remaining !== undefined || cut !== undefined,
    next: cursor,
  };
  const length = lines.join('\n').length;
  const advice = cursor === null ? 'do not repeat the write to see them' : formatNext(cursor);
  const notes = [
    ...(cut === undefined
      ? []
      : [
          formatNote(
            `the last ${length - cut} of ${length} characters`,
            `${fewerFields}, or request this record alone`,
          ),
        ]),
    ...(remaining === undefined
      ? []
      : [formatNote(remaining, isFull && `results are limited to ${limit.max} ${limit.unit}`, advice)]),
    ...(isReread ? [rereadNote] : []),
  ];
  // The part of a single record that is too long is in `text`, not in `records`.
  const structured = {
    records: cut === undefined ? values : [],
    ...(cut !== undefined && { text: part }),
    pagination,
  };
  return { text: part, notes, structured };
}

/** Collects the lines and the values of records up to a limit. */
async function collectRecords(
  batches: AsyncIterable<Batch>,
  select: (record: RawJson) => RawJson,
  limit: ResultLimit,
) {
  const lines: string[] = [];
  const values: unknown[] = [];
  let room = limit.max;
  let readCount = 0;
  let last: Pick<Batch, 'total' | 'hasMore' | 'isFiltered'> = { total: undefined, hasMore: false };
  let isReread = false;
  for await (const { records, total, hasMore, isFiltered, ...batch } of batches) {
    isReread ||= batch.isReread === true;
    for (const source of records) {
      const record = select(source);
      const line = compactJson(record.text);
      room -= measure(`${line}\n`, limit);
      // A first record that is too long is truncated later.
      if (room < 0 && lines.length > 0) break;
      lines.push(line);
      values.push(record.value);
    }
    readCount += records.length;
    last = {
      total,
      hasMore: hasMore || readCount > lines.length,
      ...(isFiltered && { isFiltered }),
    };
    if (room < 0) break;
  }
  return { lines, values, last, isFull: room < 0, isReread };
}

const formatNext = (cursor: string) => `continue with cursor "${cursor}"`;

const formatNote = (...parts: readonly (string | false | null | undefined)[]) =>
  `${parts.filter(Boolean).join('; ')}.`;

/**
 * Returns the part of a text from the offset on, without splitting a character, and the offset of the rest; undefined if
 * there is no rest.
 */
function truncate(text: string, limit: ResultLimit, start = 0): { part: string; next?: number } {
  if (start > 0 && start >= text.length)
    return { part: `No more text: its length is ${text.length} characters.` };
  const part = takePart(text, start, limit);
  if (start + part.length >= text.length) return { part };
  const whole = part.replace(/[\ud800-\udbff]$/, '');
  return { part: whole, next: start + whole.length };
}
