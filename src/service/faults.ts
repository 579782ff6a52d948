import { Failure, type Fault } from '../contract/errors.ts';

/** Where in a body: `['emails', 0]`. */
export type Place = readonly (string | number)[];

/** A JSON pointer in the form of a URI fragment: `['emails', 0]` -> `#/emails/0` (RFC 6901, section 6). */
export function pointerTo(place: Place): string {
  const part = (key: string | number) =>
    encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1'));
  return ['#', ...place.map(part)].join('/');
}

/**
 * All that is wrong with one body, of form and against the workspace, so that it can be told at once. The
 * first fault at a place hides what would follow from it there.
 */
export interface Faults {
  add(place: Place, code: string, message: string): void;
  /** Throws `invalid` with every fault, if there is one. To be called before anything is written. */
  raise(): void;
}

export function noFaults(): Faults {
  const found: Fault[] = [];
  return {
    add(place, code, message) {
      const pointer = pointerTo(place);
      if (found.some((fault) => pointer === fault.pointer || pointer.startsWith(`${fault.pointer}/`))) return;
      found.push({ pointer, code, message });
    },
    raise() {
      if (found.length === 0) return;
      const [first] = found;
      const more = found.length > 1 ? ` (and ${found.length - 1} more)` : '';
      throw new Failure('invalid', `${first?.message}${more}`, { faults: found });
    },
  };
}
