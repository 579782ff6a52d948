import Hashids from 'hashids';

/** Creates ids of at least six lower-case letters and digits. No two differ only in case. */
function createIds(resource: string) {
  // Created on first use, because a command needs the ids of one or two resources.
  let hashids: Hashids | undefined;
  const load = () => {
    hashids ??= new Hashids(resource, 6, 'abcdefghijklmnopqrstuvwxyz0123456789');
    return hashids;
  };
  return {
    encode: (row: number): string => load().encode(row),
    /** Returns undefined for a text that is not an id of this resource. */
    decode(id: string): number | undefined {
      if (!/^[a-z0-9]{6,20}$/.test(id)) return undefined;
      const [row, ...others] = load().decode(id);
      return typeof row === 'number' && others.length === 0 ? row : undefined;
    },
  };
}

export const ids = {
  contact: createIds('contact'),
  organization: createIds('organization'),
  note: createIds('note'),
  customField: createIds('custom field'),
  list: createIds('list'),
  listField: createIds('list field'),
  entry: createIds('entry'),
  calendarEvent: createIds('calendar event'),
  recording: createIds('recording'),
  apiKey: createIds('api key'),
};

/** A kind of row that has ids. */
export type Resource = keyof typeof ids;
