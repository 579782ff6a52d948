import stringWidth from 'string-width';

/** The colors of a terminal. */
interface Theme {
  readonly paper: string;
  readonly ink: string;
  readonly faint: string;
  readonly green: string;
  readonly red: string;
}

export const themes: Readonly<Record<'light' | 'dark', Theme>> = {
  light: { paper: '#ffffff', ink: '#1f2328', faint: '#818b98', green: '#1a7f37', red: '#cf222e' },
  dark: { paper: '#0d1117', ink: '#e6edf3', faint: '#7d8590', green: '#3fb950', red: '#ff7b72' },
};

const cell = { width: 8.4, height: 19 };
const margin = 14;

/** Formats terminal output with color escapes as an SVG picture. @throws {Error} if it has other escapes */
export function renderSvg(output: string, columns: number, theme: Theme): string {
  const lines = output.trimEnd().split('\n');
  const width = Math.ceil(columns * cell.width + 2 * margin);
  const height = lines.length * cell.height + 2 * margin;
  const font = `font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${font} xml:space="preserve">`,
    `<title>kith in a terminal</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${theme.paper}"/>`,
    ...lines.map((line, row) => renderLine(line, margin + (row + 0.75) * cell.height, theme)),
    '</svg>\n',
  ].join('\n');
}

interface Style {
  bold: boolean;
  fill: string;
}

const esc = String.fromCharCode(27);
const spanPattern = new RegExp(`${esc}\\[([\\d;]*)m|( +|[^ ${esc}]+)`, 'g');

/** Places each word at its column: fallback fonts may have wider letters. */
function renderLine(line: string, y: number, theme: Theme): string {
  const style: Style = { bold: false, fill: theme.ink };
  let column = 0;
  let spans = '';
  for (const [, codes, word = ''] of line.matchAll(spanPattern)) {
    if (codes !== undefined) for (const code of codes.split(';')) applyStyle(style, Number(code), theme);
    const width = stringWidth(word);
    if (word.trim() !== '') spans += renderSpan(word, { x: margin + column * cell.width, width, ...style });
    column += width;
  }
  return `<text y="${y.toFixed(1)}">${spans}</text>`;
}

function applyStyle(style: Style, code: number, { ink, faint, green, red }: Theme): void {
  if (code === 1) style.bold = true;
  else if (code === 22) Object.assign(style, { bold: false, fill: ink });
  else {
    const fill = { 0: ink, 2: faint, 31: red, 32: green, 39: ink }[code];
    if (fill === undefined) throw new Error(`The picture has no style for the escape code ${code}.`);
    style.fill = fill;
  }
}

function renderSpan(word: string, { x, width, bold, fill }: Style & { x: number; width: number }): string {
  const text = word.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const attributes = `x="${x.toFixed(1)}" textLength="${(width * cell.width).toFixed(1)}"`;
  return `<tspan ${attributes} fill="${fill}"${bold ? ' font-weight="bold"' : ''}>${text}</tspan>`;
}
