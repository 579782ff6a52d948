import { Failure } from '../../contract/errors.ts';
import { isObject } from '../../values/json-object.ts';

/** The values of a call, by the names of its parameters. */
export type CallValues = Readonly<Record<string, unknown>>;

/** A reference to the result of an earlier line: `$1.id`, `$3.emails.0`. */
const referencePattern = /^\$(\d+)\.(.+)$/s;

/** An escaped text: without its first `$`, it is a reference or another escaped text. */
const escapedPattern = /^\$+\$\d+\../s;

/** Lists the lines that values refer to. */
export function listReferencedLines(value: unknown): number[] {
  if (typeof value === 'string') {
    const [, line] = referencePattern.exec(value) ?? [];
    return line === undefined ? [] : [Number(line)];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listReferencedLines) : [];
}

/**
 * Replaces the references in values: complete texts, also in arrays and objects. `$$1.id` is the text `$1.id`. `find`
 * returns the value of a reference.
 */
export function replaceReferences(value: unknown, find: (line: number, path: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceReferences(item, find));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, replaceReferences(member, find)]),
    );
  if (typeof value !== 'string') return value;
  const [, line, path = ''] = referencePattern.exec(value) ?? [];
  if (line !== undefined) return find(Number(line), path);
  return escapedPattern.test(value) ? value.slice(1) : value;
}

/** Returns a member of the result of a line. @throws {Failure} usage if it has no such text or number */
export function readMember(data: unknown, line: number, path: string): unknown {
  let value = data;
  for (const name of path.split('.')) {
    const members = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
    value = members.find(([key]) => key === name)?.[1];
  }
  if (['string', 'number', 'boolean'].includes(typeof value)) return value;
  const names = isObject(data) ? ` It has: ${Object.keys(data).join(', ')}.` : '';
  throw new Failure('usage', `$${line}.${path}: the result of line ${line} has no such value.${names}`);
}
