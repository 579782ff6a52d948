import { normalizeTexts } from '../values/field-values.ts';
import { readObject } from '../values/json-object.ts';
import { formatCell } from './cells.ts';
import type { Paint } from './paint.ts';
import { sanitizeLine } from './sanitize.ts';
import { measureWidth, pad } from './width.ts';

/** Formats a record as lines of name and value. */
export function renderDetails(record: unknown, paint: Paint): string {
  const details = listDetails(record);
  const width = Math.max(0, ...details.map(([name]) => measureWidth(name)));
  const lines = details.map(([name, value]) => {
    const padding = pad(name, width + 2).slice(name.length);
    return `${`${paint.bold(name)}${padding}${value}`.trimEnd()}\n`;
  });
  return lines.join('');
}

/** Lists the names and values of a record. Custom fields and list fields are listed by their names. */
export function listDetails(record: unknown): [name: string, value: string][] {
  return Object.entries(readObject(record)).flatMap(([name, value]): [string, string][] => {
    if (name === 'custom_fields' || name === 'list_fields') {
      return Object.entries(readObject(value)).map(([id, content]) => {
        const field = readObject(content);
        return [sanitizeLine(String(field.name ?? id)), formatValue(field.value)];
      });
    }
    return [[sanitizeLine(name), formatValue(normalizeTexts(name, value))]];
  });
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatItem).join(', ');
  return value === null || value === undefined ? '-' : formatItem(value);
}

/** Formats an item of a list by its email, name or id, with its type or status in parentheses. */
function formatItem(value: unknown): string {
  const { email, name, id, type, data_type, status } = readObject(value);
  const title = [email, name, id].find((part) => typeof part === 'string');
  if (typeof title !== 'string') return sanitizeLine(formatCell(value, ', '));
  const kind = [type, data_type, status].find((part) => typeof part === 'string');
  return sanitizeLine(kind === undefined ? title : `${title} (${kind})`);
}
