import { normalizeTexts } from '../values/field-values.ts';
import { fieldsOf, formatCell } from './fields.ts';
import { sanitizeLine } from './sanitize.ts';

/** A record as pairs of name and value; custom fields and list fields stand by their own names. */
export function listDetails(record: unknown): [name: string, value: string][] {
  return Object.entries(fieldsOf(record)).flatMap(([name, value]): [string, string][] => {
    if (name === 'custom_fields' || name === 'list_fields') {
      return Object.entries(fieldsOf(value)).map(([id, held]) => {
        const field = fieldsOf(held);
        return [sanitizeLine(String(field.name ?? id)), shown(field.value)];
      });
    }
    return [[sanitizeLine(name), shown(normalizeTexts(name, value))]];
  });
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shownItem).join(', ');
  return value === null || value === undefined ? '-' : shownItem(value);
}

/** An item of a list in one or two words: an attendee by email, a status or field by name, a recording by id. */
function shownItem(value: unknown): string {
  const { email, name, id, type, data_type, status } = fieldsOf(value);
  const [head] = [email, name, id].filter((part) => typeof part === 'string');
  if (typeof head !== 'string') return sanitizeLine(formatCell(value, ', '));
  const kind = [type, data_type, status].find((part) => typeof part === 'string');
  return sanitizeLine(kind === undefined ? head : `${head} (${kind})`);
}
