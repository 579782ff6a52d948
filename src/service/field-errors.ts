import { Failure, type FieldError } from '../contract/errors.ts';

/** Where in a body: `['emails', 0]`. */
export type FieldPath = readonly (string | number)[];

/** A JSON pointer in the form of a URI fragment: `['emails', 0]` -> `#/emails/0` (RFC 6901, section 6). */
export function formatPointer(place: FieldPath): string {
  return ['#', ...place.map(step)].join('/');
}

function step(key: string | number): string {
  const whole = String(key).toWellFormed(); // half a pair has no bytes to escape
  return encodeURIComponent(whole.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/**
 * All that is wrong with one body, of form and against the workspace, so that it can be told at once. The
 * first fault at a place hides what would follow from it there.
 */
export interface FieldErrors {
  add(place: FieldPath, code: string, message: string): void;
  /** Throws `invalid` with every fault, if there is one. To be called before anything is written. */
  raise(): void;
}

/** Faults of a body of which nothing is known yet. */
export function createFieldErrors(): FieldErrors {
  const found: FieldError[] = [];
  const pointers = new Set<string>();
  return {
    add(place, code, message) {
      const steps = ['#', ...place.map(step)];
      const pointer = steps.join('/');
      // Looked up, not compared with each: a body has room for very many.
      if (steps.some((_, index) => pointers.has(steps.slice(0, index + 1).join('/')))) return;
      pointers.add(pointer);
      found.push({ pointer, code, message });
    },
    raise() {
      if (found.length === 0) return;
      const [first] = found;
      const more = found.length > 1 ? ` (and ${found.length - 1} more)` : '';
      throw new Failure('invalid', `${first?.message}${more}`, { fieldErrors: found });
    },
  };
}
