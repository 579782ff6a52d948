import { Lexer, type Token, type Tokens } from 'marked';
import { parseUrl } from '../values/domain.ts';
import { type Paint, plainPaint, type TableStyle } from './text/paint.ts';
import { sanitizeLines } from './text/sanitize.ts';
import { type Span, wrapSpans } from './text/styled-text.ts';
import { measureWidth, pad } from './text/width.ts';

/** The style of Markdown: the width of the terminal, its colors, and whether it shows links. */
type Style = Pick<TableStyle, 'paint' | 'hasLinks'> & { readonly width: number };

/** Limits of a text to parse. A longer text is shown unformatted. The parser's time grows with the square of each. */
const maxLength = 200_000;
const maxEmphasisMarks = 10_000;
const longRun = /\S{10000}| {10000}/;

const options = { gfm: true, breaks: true } as const;

/** Renders Markdown for a terminal, as lines. The text may come from a service: it is sanitized first. */
export function renderMarkdown(
  markdown: string,
  { width = Number.POSITIVE_INFINITY, ...style }: TableStyle,
): string[] {
  const text = sanitizeLines(markdown).replaceAll('\t', '    ').trim();
  if (text === '') return [];
  const fullStyle = { ...style, width };
  const plain: Token[] = [{ type: 'text', raw: text, text }];
  if (!isParsable(text)) return renderBlocks(plain, fullStyle);
  try {
    return renderBlocks(new Lexer(options).lex(text), fullStyle);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return renderBlocks(plain, fullStyle); // thousands of nested quotes or lists exhaust the stack
  }
}

const isParsable = (text: string) =>
  text.length <= maxLength && !longRun.test(text) && (text.match(/[*_]/g) ?? []).length <= maxEmphasisMarks;

/** Renders blocks with a blank line between them, or without one, as in a list without blank lines. */
function renderBlocks(tokens: readonly Token[], style: Style, isTight = false): string[] {
  const blocks = tokens.map((token) => renderBlock(token, style)).filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, index) => (index === 0 || isTight ? lines : ['', ...lines]));
}

function renderBlock(token: Token, style: Style): string[] {
  const { paint, width } = style;
  const markdown = token as MarkdownToken; // the lexer has no extensions
  switch (markdown.type) {
    case 'space':
    case 'checkbox':
      return [];
    case 'heading':
      return renderHeading(markdown, style);
    case 'paragraph':
      return wrapSpans(toSpans(markdown.tokens, style), width);
    case 'text':
      return wrapSpans(toSpans(markdown.tokens ?? [markdown], style), width);
    case 'list':
      return renderList(markdown, style);
    case 'blockquote':
      return indent(renderBlocks(markdown.tokens, narrowStyle(style, 2)), paint.dim('│ '));
    case 'code':
      return indent(
        sanitizeLines(markdown.text)
          .split('\n')
          .map((line) => paint.cyan(line)),
        '  ',
      );
    case 'hr':
      return [paint.dim('─'.repeat(Math.min(width, 40)))];
    case 'table':
      return renderTable(markdown, style);
    default:
      return wrapSpans([toSpan(token.raw.trim())], width);
  }
}

type MarkdownToken =
  | Tokens.Space
  | Tokens.Checkbox
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Text
  | Tokens.List
  | Tokens.Blockquote
  | Tokens.Code
  | Tokens.Hr
  | Tokens.Table
  | Tokens.Def
  | Tokens.HTML;

const narrowStyle = (style: Style, columns: number): Style => ({
  ...style,
  width: Math.max(1, style.width - columns),
});

const indent = (lines: readonly string[], prefix: string, first = prefix) =>
  lines.map((line, index) => `${index === 0 ? first : prefix}${line}`.trimEnd());

/** Without colors a heading keeps its marks. */
function renderHeading({ tokens, depth }: Tokens.Heading, style: Style): string[] {
  const { paint, width } = style;
  if (paint === plainPaint)
    return wrapSpans([{ text: `${'#'.repeat(depth)} ` }, ...toSpans(tokens, style)], width);
  const emphasize = depth < 3 ? (text: string) => paint.bold(paint.underline(text)) : paint.bold;
  return wrapSpans(toSpans(tokens, style, emphasize), width);
}

function renderList({ items, ordered, start, loose }: Tokens.List, style: Style): string[] {
  const marks = items.map((item, index) => {
    if (item.task) return item.checked ? '☑' : '☐';
    return ordered ? `${Number(start) + index}.` : '•';
  });
  const size = Math.max(...marks.map(measureWidth)) + 1;
  return items.flatMap((item, index) => {
    const mark = pad(marks[index] ?? '', size);
    const lines = renderBlocks(item.tokens, narrowStyle(style, size), !loose);
    const paintedMark = item.checked ? style.paint.green(mark) : mark;
    const block = lines.length === 0 ? [paintedMark.trimEnd()] : indent(lines, ' '.repeat(size), paintedMark);
    return loose && index > 0 ? ['', ...block] : block;
  });
}

/** Renders a table as aligned columns; if they do not fit, each row as lines of header and value. */
function renderTable({ header, rows }: Tokens.Table, style: Style): string[] {
  const { paint, width } = style;
  const cells = [header, ...rows].map((row, index) =>
    row.map(({ tokens, align }) => {
      const spans = toSpans(tokens, style, index === 0 ? paint.bold : undefined);
      return { spans, align, size: measureWidth(spans.map(({ text }) => text).join('')) };
    }),
  );
  const sizes = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.size ?? 0)));
  const [names = [], ...records] = cells;
  if (sizes.reduce((sum, size) => sum + size + 2, -2) <= width)
    return cells.map((row) => {
      const texts = row.map(({ spans, align, size }, column) => {
        const space = ' '.repeat((sizes[column] ?? size) - size);
        const text = wrapSpans(spans, width).join('');
        return align === 'right' ? space + text : text + space;
      });
      return texts.join('  ').trimEnd();
    });
  return records.flatMap((row, index) => {
    const lines = row.flatMap(({ spans }, column) =>
      wrapSpans([...(names[column]?.spans ?? []), { text: ': ' }, ...spans], width, 2),
    );
    return index === 0 ? lines : ['', ...lines];
  });
}

/** Sanitizes again, because the lexer has replaced entities such as `&#27;`. */
const toSpan = (text: string, style?: Span['style']): Span => ({ text: sanitizeLines(text), style });

/** Converts inline Markdown to styled text. */
function toSpans(tokens: readonly Token[], style: Style, outer?: Paint[keyof Paint]): Span[] {
  const { paint } = style;
  const composePaint = (inner: Paint[keyof Paint]) => (outer ? (text: string) => outer(inner(text)) : inner);
  return tokens.flatMap((token): Span[] => {
    const inline = token as InlineToken; // the lexer has no extensions
    switch (inline.type) {
      case 'text':
        return inline.tokens ? toSpans(inline.tokens, style, outer) : [toSpan(inline.text, outer)];
      case 'escape':
        return [toSpan(inline.text, outer)];
      case 'br':
        return [{ text: '\n' }];
      case 'strong':
        return toSpans(inline.tokens, style, composePaint(paint.bold));
      case 'em':
        return toSpans(inline.tokens, style, composePaint(paint.italic));
      case 'del':
        return toSpans(inline.tokens, style, composePaint(paint.strikethrough));
      case 'codespan':
        // Without colors the backticks show where code begins and ends.
        return [paint === plainPaint ? toSpan(inline.raw) : toSpan(inline.text, composePaint(paint.cyan))];
      case 'link':
        return toLinkSpans(inline, style, composePaint);
      default:
        return [toSpan(token.raw, outer)];
    }
  });
}

type InlineToken =
  | Tokens.Text
  | Tokens.Escape
  | Tokens.Br
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Link
  | Tokens.Image;

/**
 * Shows a link as a hyperlink of the terminal, or with its address in parentheses. A text that looks like another
 * address never hides the real one.
 */
function toLinkSpans(
  { tokens, href, text }: Tokens.Link,
  style: Style,
  compose: (inner: Paint[keyof Paint]) => Paint[keyof Paint],
): Span[] {
  const target = findTarget(href);
  const isBare = text === href || `mailto:${text}` === href;
  const isMisleading = !isBare && /[\w-]\.[a-z]{2,}|:\/\//i.test(text);
  const address: Span[] = isBare ? [] : [toSpan(` (${href})`, compose(style.paint.dim))];
  if (!style.hasLinks || target === undefined)
    return [
      ...toSpans(
        tokens,
        style,
        compose((part) => part),
      ),
      ...address,
    ];
  const spans = toSpans(
    tokens,
    style,
    compose((part) => formatHyperlink(style.paint.underline(part), target)),
  );
  return isMisleading ? [...spans, ...address] : spans;
}

/** Returns the address of a link that a terminal may open; undefined for any other protocol. */
function findTarget(href: string): string | undefined {
  const url = parseUrl(href);
  return url && /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

/** Formats a text as a hyperlink (OSC 8). */
const formatHyperlink = (text: string, url: string) => `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`;
