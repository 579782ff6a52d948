import Hashids from 'hashids';

/**
 * Row numbers as the opaque ids of the interface: six or more lower-case letters and digits, so that no two
 * ids differ only in case. Each resource has an alphabet order of its own.
 */
export interface Ids {
  encode(row: number): string;
  /** undefined: no id of this resource. */
  decode(id: string): number | undefined;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Rows of a resource whose ids are remembered: none ever changes, and to work them out takes a third of a page. */
const remembered = 20_000;

function idsOf(resource: string): Ids {
  // Made on first use: to shuffle the alphabet of every resource takes a millisecond.
  let made: Hashids | undefined;
  const hashids = () => {
    made ??= new Hashids(resource, 6, alphabet);
    return made;
  };
  const known: string[] = [];
  const encode = (row: number) => {
    if (row >= remembered) return hashids().encode(row);
    known[row] ??= hashids().encode(row);
    return known[row];
  };
  return {
    encode,
    decode(id) {
      if (!/^[a-z0-9]{6,20}$/.test(id)) return undefined;
      const [row, ...more] = hashids().decode(id);
      // Several texts can decode to one number; only the one that we give out is its id.
      return typeof row === 'number' && more.length === 0 && encode(row) === id ? row : undefined;
    },
  };
}

/** The ids of each resource. */
export const ids = {
  contact: idsOf('contact'),
  organization: idsOf('organization'),
  note: idsOf('note'),
  customField: idsOf('custom field'),
  list: idsOf('list'),
  listField: idsOf('list field'),
  entry: idsOf('entry'),
  calendarEvent: idsOf('calendar event'),
  recording: idsOf('recording'),
  apiKey: idsOf('api key'),
} as const;
