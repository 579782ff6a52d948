import { contacts } from '../../contract/contacts.ts';
import { Failure } from '../../contract/errors.ts';
import { organizations } from '../../contract/organizations.ts';
import type { Relationship } from '../../render/screens/relationship.ts';
import { createSemaphore } from '../../values/concurrency.ts';
import { readMeetings } from './read-meetings.ts';
import { readPart } from './read-part.ts';
import {
  getOrganizationId,
  type Reader,
  type ReadOptions,
  readEntries,
  readNotes,
  readPeople,
  type Subject,
} from './read-sections.ts';

const maxTasks = 4;

/** Reads all parts of a relationship concurrently. A part that cannot be read becomes a failure. */
export async function readRelationship(subject: Subject, options: ReadOptions): Promise<Relationship> {
  const run = createSemaphore(maxTasks);
  const { client } = options;
  const reader: Reader = { ...options, run };
  const { kind, id, record, entry } = subject;
  const read = <T>(load: () => Promise<T>) => readPart(options.signal, load);
  const readOrganization = async (organization_id: string) =>
    organization_id ? run(() => client.record(organizations.get, { organization_id })) : undefined;
  const readContact = async (contact_id: string) =>
    contact_id ? run(() => client.record(contacts.get, { contact_id })) : undefined;
  const organizationId = getOrganizationId(subject) ?? '';
  const people = kind === 'organization' ? read(() => readPeople(reader, id)) : undefined;
  /** Returns the addresses that attend the meetings; undefined if they are unknown. */
  const readAddresses = async () => {
    if (kind === 'contact') return record instanceof Failure ? undefined : record.value.emails;
    const section = await people;
    return section instanceof Failure ? undefined : section?.addresses;
  };
  const filter = kind === 'contact' ? { contact_id: id } : { organization_id: id };
  const [contact, organization, peopleSection, entrySection, noteSection, meetingSections] =
    await Promise.all([
      kind === 'contact' ? record : read(() => readContact(entry?.entry.value.contact_id ?? '')),
      kind === 'contact' ? read(() => readOrganization(organizationId)) : record,
      people,
      read(() => readEntries(reader, subject)),
      read(() => readNotes(reader, organizationId)),
      read(() => readMeetings(reader, filter, readAddresses)),
    ]);
  return {
    subject: entry ? 'entry' : kind,
    entry,
    contact,
    organization,
    people: peopleSection,
    entries: entrySection,
    notes: noteSection,
    upcoming: meetingSections instanceof Failure ? { records: [], more: 0 } : meetingSections.upcoming,
    meetings: meetingSections instanceof Failure ? meetingSections : meetingSections.past,
  };
}
