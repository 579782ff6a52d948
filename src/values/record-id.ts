import { type RawJson, UnparsedJson } from './raw-json.ts';

const idStart = '{"id":"';

/**
 * Returns the id of a record; undefined if it has none. Reads it from the text if the record begins with it, as most do: parsing the record takes longer.
 */
export function readRecordId(record: RawJson): string | number | undefined {
  if (record instanceof UnparsedJson && record.text.startsWith(idStart)) {
    const { text } = record;
    const id = text.slice(idStart.length, text.indexOf('"', idStart.length));
    // A copy: the slice itself would keep the text of its whole page in memory.
    if (id !== '' && !id.includes('\\')) return ` ${id}`.slice(1);
  }
  const { value } = record;
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
