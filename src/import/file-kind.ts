import { Failure } from '../contract/errors.ts';

/** How a sheet is written. */
export type Kind = 'csv' | 'tsv' | 'ndjson';

const ends: Readonly<Record<string, Kind>> = {
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/** How a sheet is written, by the end of its name or by how it begins. */
export function kindOf(name: string, head: string): Kind {
  const [end = ''] = /\.[a-z]+$/i.exec(name) ?? [];
  return ends[end.toLowerCase()] ?? (/^\ufeff?\s*\{/.test(head) ? 'ndjson' : 'csv');
}

/** What may part the cells of a row. */
const delimiters = [',', ';', '\t', '|'] as const;

/** What parts the cells of a header: the sign that stands in it most often, outside quotes. */
export function delimiterOf(head: string): string {
  const [header = ''] = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(head.replace(/^\ufeff/, '').trimStart()) ?? [];
  const bare = header.replace(/"(?:[^"]|"")*"/g, '');
  const count = (sign: string) => bare.split(sign).length - 1;
  return delimiters.reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}

/** The delimiter that a first line `sep=;` tells to Excel, which does not count that line; undefined: there is none. */
export function toldDelimiter(head: string): string | undefined {
  return /^"?sep=([^"\r\n])"?(?=[\r\n])/i.exec(head)?.[1];
}

/** JSON that is not a record on each line. Throws `usage`. */
export function refuseOtherJson(head: string, name: string): void {
  const isList = /^\s*\[\s*[{\]]/.test(head);
  if (!isList && !/^\s*\{\s*[\r\n]/.test(head)) return;
  const what = isList ? 'a JSON array' : 'JSON over several lines';
  throw new Failure('usage', `${name} is ${what}, not NDJSON, which has a record on each line.`, {
    hint: `kith prints that with --format ndjson; jq makes it with: jq -c '${isList ? '.[]' : '.'}'`,
  });
}
