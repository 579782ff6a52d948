import { collectReferences } from '../../render/collect-references.ts';
import type { Column } from '../../render/columns.ts';
import { createTimeFormatter, type Display, formatColumn, formatLabel } from '../../render/display.ts';
import { htmlTable, markdownTable } from '../../render/document-table.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import type { RawJson } from '../../values/raw-json.ts';
import type { RecordFormat } from './format-records.ts';
import { createNameLoader } from './format-table.ts';

/** Formats records as a file for people: Markdown, a page or a workbook (`latin1`), with names instead of ids. */
export async function* formatDocument(
  batches: AsyncIterable<readonly RawJson[]>,
  style: RecordFormat,
): AsyncGenerator<string> {
  const { session, zone, format } = style;
  const { loadNames, getName } = createNameLoader(session);
  const formatFull = createTimeFormatter(session.runtime.now(), zone, true);
  const formatTime = (text: string) => formatFull(text).replace(/ \(.*\)$/, ''); // the age would be wrong tomorrow
  const display: Display = { getName, formatTime, isFull: true };
  let columns: readonly Column[] = [];
  const readRecords = async function* (): AsyncGenerator<readonly JsonObject[]> {
    let isFirst = true;
    for await (const batch of batches) {
      const records = batch.map(({ value }) => readObject(value));
      if (isFirst) columns = chooseColumns(style, records);
      isFirst = false;
      await loadNames(
        collectReferences((getName) => {
          for (const record of records)
            for (const column of columns)
              if (column.reference) formatColumn(column, record, { ...display, getName });
        }),
      );
      yield records;
    }
    if (isFirst) columns = chooseColumns(style, []);
  };
  if (format === 'xlsx') return yield await formatWorkbook(readRecords(), () => columns, display, style);
  const table = format === 'html' ? htmlTable : markdownTable;
  let header: string | undefined;
  const formatHeader = () => table.formatHeader(columns.map(formatLabel));
  for await (const records of readRecords()) {
    const rows = records.map((record) =>
      table.formatRow(columns.map((column) => formatColumn(column, record, display))),
    );
    yield (header === undefined ? formatHeader() : '') + rows.join('');
    header = '';
  }
  yield (header ?? formatHeader()) + table.end;
}

async function formatWorkbook(
  batches: AsyncIterable<readonly JsonObject[]>,
  getColumns: () => readonly Column[],
  display: Display,
  { session, zone }: RecordFormat,
): Promise<string> {
  const { createCellReader, renderWorkbook } = await import('../../render/workbook.ts');
  // A workbook is compressed, so keys cannot be found in it later.
  const readCell = createCellReader(display, zone, (text) => session.streams.redact(text));
  const rows = [];
  for await (const records of batches)
    for (const record of records) rows.push(getColumns().map((column) => readCell(column, record)));
  return (await renderWorkbook(getColumns().map(formatLabel), rows)).toString('latin1');
}

/**
 * Returns the columns of records. Without a flag for columns, their ids are left out if a name or key identifies the
 * records. People read the period of an amount beside it, but a workbook has it in a column of its own.
 */
function chooseColumns(
  { view = () => [], selection, session, format }: RecordFormat,
  records: readonly JsonObject[],
): readonly Column[] {
  if (selection) return selection.columns;
  const columns = view(records).filter(
    ({ place }) => place !== 'details' && (place !== 'data' || format === 'xlsx'),
  );
  const hasName = columns.some(({ name }) => ['name', 'key', 'title', 'first_name'].includes(name));
  return hasName && !session.globals.wide ? columns.filter(({ name }) => name !== 'id') : columns;
}
