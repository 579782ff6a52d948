import { wrapParagraph } from './text/paragraph.ts';

/** A part of a guide in Markdown. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph' | 'item'; readonly text: string }
  | { readonly kind: 'code'; readonly lines: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] };

/** Parses the Markdown that the guides in docs/ use: headings, paragraphs, lists, code blocks and tables. */
export function parseMarkdown(markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.replace(/^<!--.*-->\n/gm, '').split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, marks, heading = ''] = /^(#+) (.*)$/.exec(line) ?? [];
    if (marks) blocks.push({ kind: 'heading', level: marks.length, text: toPlainText(heading) });
    else if (line.startsWith('```')) {
      const end = lines.indexOf('```', at + 1);
      blocks.push({ kind: 'code', lines: lines.slice(at + 1, end) });
      at = end;
    } else if (line.startsWith('|')) {
      const end = lines.findIndex((next, index) => index > at && !next.startsWith('|'));
      const rows = lines.slice(at, end).filter((row) => !/^[|\s:-]+$/.test(row));
      blocks.push({ kind: 'table', rows: nameCells(rows.map(parseCells)) });
      at = end - 1;
    } else if (/^(-|\d+\.) /.test(line)) {
      blocks.push({ kind: 'item', text: toPlainText(line.replace(/^(-|\d+\.) /, '')) });
    } else if (line !== '') blocks.push({ kind: 'paragraph', text: toPlainText(line) });
  }
  return blocks;
}

/** Returns the section of a page that begins with a heading of level 2; the whole page if `heading` is omitted. */
export function selectSection(page: string, heading?: string): string {
  if (heading === undefined) return page;
  return page.split(/^(?=## )/m).find((section) => section.startsWith(`## ${heading}\n`)) ?? page;
}

/** Formats a guide: lines of at most `width` columns, code indented and not wrapped. */
export function formatGuide(markdown: string, width: number): string {
  const texts = parseMarkdown(markdown).map((block, index, blocks) => {
    const isItemAfterItem = block.kind === 'item' && blocks[index - 1]?.kind === 'item';
    return `${index === 0 || isItemAfterItem ? '' : '\n'}${formatBlock(block, width)}`;
  });
  return texts.join('');
}

function formatBlock(block: Block, width: number): string {
  switch (block.kind) {
    case 'heading':
      return `${block.level < 3 ? block.text.toUpperCase() : block.text}\n`;
    case 'paragraph':
      return `${wrapParagraph(block.text, width)}\n`;
    case 'item':
      return `- ${wrapParagraph(block.text, width, 2)}\n`;
    case 'code':
      return block.lines.map((line) => `  ${line}\n`).join('');
    case 'table':
      return block.rows
        .filter((cells) => cells.some((cell) => cell !== ''))
        .slice(1)
        .map(
          ([term = '', ...rest]) =>
            `  ${wrapParagraph(term, width, 2)}\n      ${wrapParagraph(rest.join('; '), width, 6)}\n`,
        )
        .join('');
  }
}

/** Adds the title of its column to each cell of a table with more than two columns, except for the first cell. */
function nameCells([titles = [], ...rows]: readonly string[][]): string[][] {
  const named = rows.map((cells) =>
    cells.map((cell, index) => (index === 0 || cells.length < 3 ? cell : `${titles[index]}: ${cell}`)),
  );
  return [titles, ...named];
}

const parseCells = (row: string) =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => toPlainText(cell.trim()));

/** Removes the marks of links and emphasis. */
function toPlainText(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*(.*?)\*\*/g, '$1')
    .replaceAll('\\|', '|');
}
