import { type ColumnSize, fitColumns, formatRow } from './text/fit-columns.ts';
import { formatLabeled, type LabeledValue, type LabelLayout } from './text/labeled.ts';
import type { Paint, TableStyle } from './text/paint.ts';
import { sanitize, sanitizeLine } from './text/sanitize.ts';
import { measureWidth, wrap } from './text/width.ts';

/** A part of a screen. */
export type Block = {
  /** The number of spaces before each line. */
  readonly indent?: number;
} & (TextBlock | FieldsBlock | RowsBlock);

interface TextBlock {
  readonly kind: 'text';
  readonly text: string;
  /** Printed before the first line. */
  readonly mark?: string;
  readonly style?: keyof Paint;
  /** Maximum number of lines; the last line is truncated. */
  readonly maxLines?: number;
}

/** Labels and values: the values begin in one column. */
interface FieldsBlock extends Pick<LabelLayout, 'minRoom' | 'isUniform' | 'paintLabel' | 'wrapText'> {
  readonly kind: 'fields';
  readonly fields: readonly LabeledValue[];
}

/** Aligned rows of cells. Columns that are empty, or do not fit, are omitted. */
interface RowsBlock {
  readonly kind: 'rows';
  readonly columns: readonly Omit<ColumnSize, 'width'>[];
  readonly rows: readonly (readonly string[])[];
}

/** Creates a block of text. */
export const createText = (
  text: string,
  options: Omit<Partial<TextBlock>, 'kind' | 'text'> & { readonly indent?: number } = {},
): Block => ({ ...options, kind: 'text', text });

/** Creates a block of aligned rows. */
export const createRows = (columns: RowsBlock['columns'], rows: RowsBlock['rows']): Block => ({
  kind: 'rows',
  columns,
  rows,
});

/** The columns of rows. In a narrow terminal, ids and names stay, and other columns shrink or are omitted. */
export const keptColumn = { shrink: 0, presence: 'kept' } as const;
export const titleColumn = { shrink: 1, presence: 'kept' } as const;
export const flexibleColumn = { shrink: 2 } as const;
export const extraColumn = { shrink: 3, presence: 'extra' } as const;

/** Creates the heading of a screen or a section. */
export const createHeading = (text: string): Block => createText(text, { style: 'bold', maxLines: 1 });

/** Creates a section below other blocks: an empty line, its heading, and its indented blocks. */
export const createSection = (heading: string, blocks: readonly Block[]): Block[] => [
  createText(''),
  createHeading(heading),
  ...blocks.map((block) => ({ ...block, indent: (block.indent ?? 0) + sectionIndent })),
];

const sectionIndent = 2;

/** Says how many records are omitted; `null` if unknown. */
export const formatMore = (more: number | null) => (more === null ? 'and more' : `and ${more} more`);

/** Creates the last line of a section that omits records. `more`: null if unknown. `command` lists all records. */
export function listMore(more: number | null, command = ''): Block[] {
  if (more === 0) return [];
  const text = formatMore(more);
  return [createText(command === '' ? text : `${text}: ${command}`, { style: 'dim' })];
}

/** Renders the blocks of a screen. Sanitizes all texts. */
export function renderBlocks(blocks: readonly Block[], style: Pick<TableStyle, 'width' | 'paint'>): string {
  const lines = blocks.flatMap((block) => {
    const { indent = 0 } = block;
    const { width = Number.POSITIVE_INFINITY, paint } = style;
    return renderBlock(block, width - indent, paint).map((line) => ' '.repeat(indent) + line);
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function renderBlock(block: Block, width: number, paint: Paint): string[] {
  if (block.kind === 'rows') return renderRows(block, width);
  if (block.kind === 'text') return renderText(block, width, paint);
  const fields = block.fields.map(({ label, texts, render }) => ({
    label: sanitize(label),
    texts: texts.map(sanitizeLine),
    render,
  }));
  const labelWidth = Math.max(0, ...fields.map(({ label }) => measureWidth(label)));
  return fields.flatMap((field) => formatLabeled(field, { ...block, width, labelWidth }));
}

function renderText({ text, mark = '', style, maxLines }: TextBlock, width: number, paint: Paint): string[] {
  const lines = wrap(sanitizeLine(text), width - mark.length, maxLines);
  const emphasize = (line: string) => (style ? paint[style](line) : line);
  return lines.map((line, index) => emphasize((index === 0 ? mark : ' '.repeat(mark.length)) + line));
}

function renderRows({ columns, rows }: RowsBlock, width: number): string[] {
  const texts = rows.map((row) => row.map(sanitizeLine));
  const sizes = columns.map((column, index) => ({
    ...column,
    width: Math.max(0, ...texts.map((row) => measureWidth(row[index] ?? ''))),
  }));
  const widths = fitColumns(sizes, width);
  return texts.map((row) =>
    formatRow(
      row.map((text) => ({ text })),
      widths,
    ),
  );
}
