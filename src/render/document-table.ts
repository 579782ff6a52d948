import { escapeMarkup } from '../values/markup.ts';

/** The parts of a table in a file for people. */
interface DocumentTable {
  readonly formatHeader: (titles: readonly string[]) => string;
  readonly formatRow: (cells: readonly string[]) => string;
  readonly end: string;
}

const formatMarkdownRow = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replace(/[\\|]/g, '\\$&')).join(' | ')} |\n`;

export const markdownTable: DocumentTable = {
  formatHeader: (titles) => `${formatMarkdownRow(titles)}|${' --- |'.repeat(titles.length)}\n`,
  formatRow: formatMarkdownRow,
  end: '',
};

const style =
  'body{font:15px/1.5 system-ui,sans-serif}table{border-collapse:collapse}th,td{padding:4px 12px;text-align:left;border-bottom:1px solid #ddd}';

const formatHtmlRow = (cells: readonly string[], tag: string) =>
  `<tr>${cells.map((cell) => `<${tag}><bdi>${escapeMarkup(cell)}</bdi></${tag}>`).join('')}</tr>\n`;

/** A page that needs no other file and runs no script. */
export const htmlTable: DocumentTable = {
  formatHeader: (titles) =>
    `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>kith</title>\n<style>${style}</style>\n</head>\n` +
    `<body>\n<table>\n${formatHtmlRow(titles, 'th')}`,
  formatRow: (cells) => formatHtmlRow(cells, 'td'),
  end: '</table>\n</body>\n</html>\n',
};
