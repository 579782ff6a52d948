import { maxNamesInMessage, truncateValue } from '../values/text.ts';
import { Failure, type FieldError } from './errors.ts';

/** The path of a value in a body: `['emails', 0]`. */
export type FieldPath = readonly (string | number)[];

/** Formats a path as a JSON pointer in a URI fragment: `['emails', 0]` -> `#/emails/0` (RFC 6901, section 6). */
export function formatPointer(path: FieldPath): string {
  const segments = path.map((key) => {
    const text = String(key).toWellFormed(); // an unpaired surrogate cannot be encoded
    return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
  });
  return ['#', ...segments].join('/');
}

/** Whether JSON pointers contain a path or one of its parents. */
export function isWithin(path: FieldPath, pointers: ReadonlySet<string>): boolean {
  return pointers.has('#') || path.some((_, index) => pointers.has(formatPointer(path.slice(0, index + 1))));
}

/** Collects all errors of a body, so that one response reports them. An error hides later ones at or below its path. */
export interface FieldErrors {
  /** `message` may be a function, which is called only if the error is listed. `id`: the record that has a taken value. */
  add(path: FieldPath, code: string, message: string | (() => string), id?: string): void;
  /** Throws if there are errors. It must be called before anything is written. @throws {Failure} `invalid` */
  raise(): void;
}

/** Creates an empty collection of field errors. */
export function createFieldErrors(): FieldErrors {
  const errors: FieldError[] = [];
  const pointers = new Set<string>(); // a body may have very many errors
  let unknown = 0;
  return {
    add(path, code, text, id) {
      if (isWithin(path, pointers)) return;
      pointers.add(formatPointer(path));
      if (code === 'unknown') unknown += 1;
      if (code === 'unknown' && unknown > maxNamesInMessage) return;
      const message = typeof text === 'string' ? text : text();
      const shortPath = path.map((key) => (typeof key === 'string' ? truncateValue(key) : key));
      errors.push({ pointer: formatPointer(shortPath), code, message, ...(id !== undefined && { id }) });
    },
    raise() {
      const [first] = errors;
      if (!first) return;
      const unnamed = Math.max(unknown - maxNamesInMessage, 0);
      const others = errors.length - 1 + unnamed;
      const more = others > 0 ? ` (and ${others} more)` : '';
      if (unnamed > 0) {
        const message = `Unknown keys and fields not listed here: ${unnamed}.`;
        errors.push({ pointer: formatPointer([]), code: 'unknown', message });
      }
      throw new Failure('invalid', `${first.message}${more}`, { fieldErrors: errors });
    },
  };
}
