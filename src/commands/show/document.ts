import { Failure } from '../../contract/errors.ts';
import type { ListedEntry, Meeting, Part, Relationship, Section } from '../../render/screens/relationship.ts';
import type { JsonObject } from '../../values/json-object.ts';
import { joinElements, joinMembers, listRawMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';

/**
 * Returns a relationship as one JSON object: the records as the service sent them, null for a part that could not be
 * read, and in `more` the number of records that are left out.
 */
export function toDocument(relationship: Relationship): RawJson {
  const { subject, entry, contact, organization, people, entries, notes, upcoming, meetings } = relationship;
  const record = (part: Part<RawJson | undefined>) =>
    part === undefined || part instanceof Failure ? toRawJson(null) : part;
  const records = <T>(section: Part<Section<T>>, convert: (record: T) => RawJson) =>
    section instanceof Failure ? toRawJson(null) : joinElements(section.records.map(convert));
  const keep = (record: RawJson) => record;
  const sections = { contacts: people, entries, notes, upcoming, meetings };
  const more = Object.entries(sections).flatMap(([name, section]) =>
    section === undefined || section instanceof Failure || section.more === 0 ? [] : [[name, section.more]],
  );
  const owners: [string, RawJson][] = [
    ['contact', record(contact)],
    ['organization', record(organization)],
  ];
  return joinMembers([
    ...(entry ? [['entry', entry.entry] as const, ['list', entry.list] as const] : []),
    ...(subject === 'organization' ? owners.slice(1) : owners),
    ...(people ? [['contacts', records(people, keep)] as const] : []),
    ['entries', records(entries, toEntry)],
    ['notes', records(notes, keep)],
    ['upcoming', records(upcoming, keep)],
    ['meetings', records(meetings, toMeeting)],
    ['more', toRawJson(Object.fromEntries(more))],
  ]);
}

const toEntry = ({ entry, list }: ListedEntry) => addMembers(entry, { list_name: list.value.name });

const toMeeting = ({ event, summary, actionItems }: Meeting) =>
  addMembers(event, { summary: summary ?? null, action_items: actionItems });

const addMembers = (record: RawJson, members: JsonObject): RawJson =>
  joinMembers([
    ...listRawMembers(record),
    ...Object.entries(members).map(([name, value]) => [name, toRawJson(value)] as const),
  ]);
