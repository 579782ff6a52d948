import type { Result } from '../contract/documents/results.ts';
import { createPlainColumn, type View } from './columns.ts';
import type { RecordRenderer } from './delimited.ts';
import type { Display } from './display.ts';
import type { TableStyle } from './text/paint.ts';
import { sanitizeLine } from './text/sanitize.ts';
import { highlight, type Span, wrapSpans } from './text/styled-text.ts';

/** A record that a search found. */
export type SearchResult = Result<'search-result'>;

const searchColumns = [
  createPlainColumn('kind', { shrink: 0 }),
  createPlainColumn('id', { shrink: 0 }),
  createPlainColumn('title', { shrink: 1 }),
  createPlainColumn('excerpt', { shrink: 1 }),
  createPlainColumn('at', { shrink: 3 }),
  createPlainColumn('score', { isRightAligned: true, shrink: 3 }),
];

/** The columns of search results in CSV and TSV. */
export const searchView: View = () => searchColumns;

/** The columns of `kith index status`. */
export const indexView: View = () => indexColumns;

const indexColumns = ['file', 'records', 'bytes', 'updated_at', 'age_seconds'].map((name) =>
  createPlainColumn(name),
);

const headings: Readonly<Record<string, string>> = {
  contact: 'Contacts',
  organization: 'Organizations',
  entry: 'Entries',
  note: 'Notes',
  meeting: 'Meetings',
};

/** Kinds of records that are shown with their time. */
const datedKinds = ['note', 'meeting'];

/** Creates a function that formats search results for a terminal. It prints a heading whenever the kind changes. */
export function createSearchFormatter(
  { width, paint }: TableStyle,
  formatTime: Display['formatTime'],
): RecordRenderer {
  let last: string | undefined;
  const wrap = (spans: readonly Span[]) => wrapSpans(spans, width, 2).map((line) => `${line}\n`);
  const formatResult = ({ kind, id, key = id, title, place = '', excerpt, at, ...result }: SearchResult) => {
    const heading =
      kind === last ? '' : `${last === undefined ? '' : '\n'}${paint.dim(headings[kind] ?? kind)}\n`;
    last = kind;
    const time = datedKinds.includes(kind) && at !== null ? `${formatTime(at)}  ` : '';
    const name = [
      { text: time },
      ...highlight(title || 'Untitled', result.title_matches, paint.bold),
      ...[place, key]
        .filter(Boolean)
        .flatMap((text) => [{ text: '  ' }, { text: sanitizeLine(text), style: paint.dim }]),
    ];
    const text = [{ text: '  ' }, ...highlight(excerpt, result.matches, paint.bold)];
    return [heading, ...wrap(name), ...(excerpt === '' ? [] : wrap(text))].join('');
  };
  return (records) => (records as readonly SearchResult[]).map(formatResult).join(''); // a search lists nothing else
}
