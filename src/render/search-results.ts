import type { RecordRenderer } from './delimited.ts';
import type { Display } from './display.ts';
import type { TableStyle } from './text/paint.ts';
import { highlight, type TextMatch } from './text/paint.ts';
import { sanitizeLine } from './text/sanitize.ts';
import { fieldColumn, type View } from './views.ts';

/** A record that a search found. */
export interface SearchResult {
  /** `contact`, `organization`, `entry`, `note` or `meeting`. */
  readonly kind: string;
  readonly id: string;
  /** The list of an entry. */
  readonly list_id?: string;
  readonly title: string;
  readonly excerpt: string;
  /** ISO 8601; null if the service sends no time. */
  readonly at: string | null;
  readonly score: number;
  readonly title_matches: readonly TextMatch[];
  readonly matches: readonly TextMatch[];
}

const searchColumns = [
  fieldColumn('kind', { shrink: 0 }),
  fieldColumn('id', { shrink: 0 }),
  fieldColumn('title', { shrink: 1 }),
  fieldColumn('excerpt', { shrink: 1 }),
  fieldColumn('at', { shrink: 3 }),
  fieldColumn('score', { isRightAligned: true, shrink: 3 }),
];

/** The columns of search results in CSV and TSV. */
export const searchView: View = () => searchColumns;

/** The columns of `kith index status`. */
export const indexView: View = () => indexColumns;

const indexColumns = ['file', 'records', 'bytes', 'updated_at', 'age_seconds'].map((name) =>
  fieldColumn(name),
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
  { paint }: TableStyle,
  formatTime: Display['formatTime'],
): RecordRenderer {
  let last: string | undefined;
  const mark = (text: string) => paint.bold(text);
  const formatResult = ({ kind, id, list_id, title, excerpt, at, ...result }: SearchResult) => {
    const heading =
      kind === last ? '' : `${last === undefined ? '' : '\n'}${paint.dim(headings[kind] ?? kind)}\n`;
    last = kind;
    const time = datedKinds.includes(kind) && at !== null ? [formatTime(at)] : [];
    const name = highlight(title, result.title_matches, mark) || 'Untitled';
    const place = paint.dim(sanitizeLine([list_id, id].filter(Boolean).join(' ')));
    const text = excerpt === '' ? '' : `  ${highlight(excerpt, result.matches, mark)}\n`;
    return `${heading}${[...time, name, place].join('  ')}\n${text}`;
  };
  return (records) => (records as readonly SearchResult[]).map(formatResult).join(''); // a search lists nothing else
}
