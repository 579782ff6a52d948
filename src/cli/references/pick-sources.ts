import type { Batch } from '../../client/pagination.ts';
import { type CalendarEvent, calendarEvents } from '../../contract/calendar-events.ts';
import { customFields } from '../../contract/custom-fields.ts';
import { entries } from '../../contract/entries.ts';
import type { Input, Route } from '../../contract/grammar.ts';
import { type List, lists } from '../../contract/lists.ts';
import { notes } from '../../contract/notes.ts';
import { organizations } from '../../contract/organizations.ts';
import type { Received, RouteRecord } from '../../contract/received.ts';
import type { EventRecording } from '../../contract/recordings.ts';
import type { PartyNoun, ReferenceKind } from '../../contract/singular-nouns.ts';
import { createTimeFormatter } from '../../render/display.ts';
import type { RecordKind } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { toEntryKind } from '../flags/references.ts';
import { findName, type Item, toItem } from './choose-item.ts';
import { isFinished } from './meetings-by-day.ts';
import { readCandidate } from './name-search.ts';
import { kinds } from './reference-kinds.ts';

/** Maximum number of records that a picker requests. */
export const maxRecords = 1000;

type ItemPage = Pick<Batch, 'total' | 'hasMore'> & { readonly items: readonly Item[] };

/** The parameters with which a picker reads its items. */
interface PickerQuery {
  /** The session of the command, which caches references. */
  readonly session: Session;
  /** The same session, whose requests end with the choice. */
  readonly background: Session;
  /** The id of the record before the missing argument: the list of an entry, the contact of an email address. */
  readonly parentId: string;
}

/** Reads the records of one kind for a picker. */
interface Source {
  /** The plural noun: `contacts`. */
  readonly nouns: string;
  /** A command that helps if the list is empty. */
  readonly hint?: string;
  /** The kind of record that the argument before the missing one names. Its id is resolved for `read`. */
  readonly parent?: ReferenceKind;
  readonly read: (query: PickerQuery) => AsyncIterable<ItemPage>;
}

async function* readRecords<R extends Route>(
  { background }: PickerQuery,
  route: R,
  input: Omit<Input<R>, 'first' | 'after'>,
  toItems: (
    record: RouteRecord<R>,
  ) => readonly { id: string | null | undefined; describe: Item['describe'] }[],
): AsyncGenerator<ItemPage> {
  const client = await background.client();
  for await (const { records, total, hasMore } of client.pages(route, input, { limit: maxRecords })) {
    const items = records.flatMap(({ value }) => toItems(value as RouteRecord<R>)); // the client has checked the shape
    yield { items: items.flatMap(({ id, describe }) => (id ? [{ id, describe }] : [])), total, hasMore };
  }
}

async function* readCandidates({ background }: PickerQuery, kind: PartyNoun): AsyncGenerator<ItemPage> {
  const client = await background.client();
  for await (const { candidates, ...page } of kinds[kind].list(client, { limit: maxRecords }))
    yield { ...page, items: candidates.map((candidate) => toItem(candidate)) };
}

/** Returns items whose names are their values. */
async function* toPage(
  values: readonly string[],
  describe?: (value: string) => readonly string[],
): AsyncGenerator<ItemPage> {
  const items = values.map((value) => ({
    id: value,
    describe: () => ({ name: value, details: describe?.(value) ?? [] }),
  }));
  yield { items, total: values.length, hasMore: false };
}

const createFormatter = ({ session }: PickerQuery) =>
  createTimeFormatter(session.runtime.now(), undefined, false);

const listMeetingKeywords = ({ start_at, attendees }: Received<CalendarEvent>) => [
  start_at,
  ...attendees.map(({ email }) => email),
];

const createListSource = (nouns: string, isOffered: (list: Received<List>) => boolean): Source => ({
  nouns,
  hint: 'kith lists create --help',
  read: (query) =>
    readRecords(query, lists.list, {}, (list) =>
      [list].filter(isOffered).map(({ id, name, process, entry_type }) => ({
        id,
        describe: () => ({ name, details: [process ? 'process' : 'list', entry_type] }),
      })),
    ),
});

const createRecordingSource = (
  nouns: string,
  isOffered: (recording: Received<EventRecording>) => boolean,
): Source => ({
  nouns,
  hint: 'kith workspace import-recording --help',
  read(query) {
    const formatTime = createFormatter(query);
    return readRecords(query, calendarEvents.list, {}, (event) =>
      event.recordings.filter(isOffered).map(({ id, status }) => ({
        id,
        describe: () => ({
          name: event.title,
          details: [formatTime(event.start_at), status],
          keywords: listMeetingKeywords(event),
        }),
      })),
    );
  },
});

export const sources: Readonly<Record<RecordKind, Source>> = {
  contacts: {
    nouns: 'contacts',
    hint: 'kith contacts create --help',
    read: (query) => readCandidates(query, 'contact'),
  },
  organizations: {
    nouns: 'organizations',
    hint: 'kith organizations create --help',
    read: (query) => readCandidates(query, 'organization'),
  },
  notes: {
    nouns: 'notes',
    hint: 'kith notes create --help',
    read(query) {
      const formatTime = createFormatter(query);
      return readRecords(query, notes.list, {}, ({ id, body, organization_id, updated_at }) => [
        {
          id,
          describe: (getName) => ({
            name: body,
            details: [findName(getName, 'organization', organization_id), formatTime(updated_at)],
            keywords: [updated_at],
          }),
        },
      ]);
    },
  },
  customFields: {
    nouns: 'custom fields',
    hint: 'kith custom-fields create --help',
    read: (query) =>
      readRecords(query, customFields.list, {}, ({ id, name, model, data_type }) => [
        { id, describe: () => ({ name, details: [model, data_type] }) },
      ]),
  },
  lists: createListSource('lists', () => true),
  processes: createListSource('processes', ({ process }) => process === true),
  entries: {
    nouns: 'entries of the list',
    hint: 'kith entries add --help',
    parent: 'list',
    read: (query) =>
      readRecords(
        query,
        entries.list,
        { list_id: query.parentId },
        ({ id, key, status, entryable_id, entryable_type }) => [
          {
            id,
            describe: (getName) => ({
              name: findName(getName, toEntryKind(entryable_type), entryable_id),
              details: [key, status],
            }),
          },
        ],
      ),
  },
  events: {
    nouns: 'meetings',
    hint: 'kith workspace import-events --help',
    read(query) {
      const formatTime = createFormatter(query);
      return readRecords(query, calendarEvents.list, {}, (event) => [
        {
          id: event.id,
          describe: () => ({
            name: event.title,
            details: [formatTime(event.start_at)],
            keywords: listMeetingKeywords(event),
          }),
        },
      ]);
    },
  },
  recordings: createRecordingSource('recordings', () => true),
  finishedRecordings: createRecordingSource('finished recordings', isFinished),
  emails: {
    nouns: 'email addresses of the contact',
    parent: 'contact',
    async *read({ session, parentId }) {
      const { emails = [] } = await readCandidate(session, 'contact', parentId);
      yield* toPage(emails);
    },
  },
  domains: {
    nouns: 'domains of the organization',
    parent: 'organization',
    async *read({ session, parentId }) {
      const client = await session.client();
      const { domains } = await client.read(organizations.get, { organization_id: parentId });
      yield* toPage(domains);
    },
  },
  profiles: {
    nouns: 'profiles',
    hint: 'kith auth login --help',
    async *read({ session }) {
      const { active, profiles } = (await session.services.settings()).read();
      yield* toPage(Object.keys(profiles), (name) => (name === active ? ['active'] : []));
    },
  },
};
