import { Failure, type FieldError } from '../contract/errors.ts';

/** The path of a value in a body: `['emails', 0]`. */
export type FieldPath = readonly (string | number)[];

/** Formats a path as a JSON pointer in a URI fragment: `['emails', 0]` -> `#/emails/0` (RFC 6901, section 6). */
export function formatPointer(path: FieldPath): string {
  return ['#', ...path.map(formatSegment)].join('/');
}

function formatSegment(key: string | number): string {
  const text = String(key).toWellFormed(); // an unpaired surrogate cannot be encoded
  return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Collects all errors of a body, so that one response reports them. An error hides later ones at or below its path. */
export interface FieldErrors {
  add(path: FieldPath, code: string, message: string): void;
  /** Throws if there are errors. It must be called before anything is written. @throws {Failure} `invalid` */
  raise(): void;
}

/** Creates an empty collection of field errors. */
export function createFieldErrors(): FieldErrors {
  const errors: FieldError[] = [];
  const pointers = new Set<string>();
  return {
    add(path, code, message) {
      const segments = ['#', ...path.map(formatSegment)];
      // A set, because a body may have very many errors.
      if (segments.some((_, index) => pointers.has(segments.slice(0, index + 1).join('/')))) return;
      const pointer = segments.join('/');
      pointers.add(pointer);
      errors.push({ pointer, code, message });
    },
    raise() {
      const [first, ...others] = errors;
      if (!first) return;
      const more = others.length > 0 ? ` (and ${others.length} more)` : '';
      throw new Failure('invalid', `${first.message}${more}`, { fieldErrors: errors });
    },
  };
}
