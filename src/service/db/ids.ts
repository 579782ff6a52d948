import { hashids, type Ids } from './hashids.ts';

/** No two ids differ only in case, and each resource has an order of characters of its own. */
function idsOf(resource: string): Ids {
  // Made on first use: a command needs those of one or two resources.
  let made: Ids | undefined;
  const ids = () => {
    made ??= hashids(resource);
    return made;
  };
  return {
    encode: (row) => ids().encode(row),
    decode: (id) => (/^[a-z0-9]{6,20}$/.test(id) ? ids().decode(id) : undefined),
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
