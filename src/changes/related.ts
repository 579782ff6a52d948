import type { Client, ListInput } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { customFields } from '../contract/custom-fields.ts';
import { type Entry, entries } from '../contract/entries.ts';
import type { Route } from '../contract/grammar.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { organizations } from '../contract/organizations.ts';
import type { RouteRecord } from '../contract/received.ts';
import { repeatIfChanged, requireUnchanged } from '../records/read-all.ts';
import { maxRelated, type RelatedRecord } from '../records/refers.ts';
import { once } from '../values/concurrency.ts';
import { listDefinedValues } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import type { Noun, RecordPath } from './nouns.ts';

/** Records per request. */
const pageSize = 500;

function catchTooMany(error: unknown): TooManyError {
  if (error instanceof TooManyError) return error;
  throw error;
}

/** The nouns whose custom fields may refer to contacts. */
type ReferringNoun = 'contact' | 'organization';

const mentioningLists = { contact: contacts.list, organization: organizations.list } as const;

/** A list has more records than the limit. */
class TooManyError extends Error {}

interface RelatedOptions {
  /** The maximum number of records of each kind. */
  readonly limit?: number;
}

/**
 * Reads the records that refer to other records. Reads whole lists, each once, because the API has no filter for
 * references.
 */
export class RelatedLists {
  readonly #client: Client;
  readonly #limit: number;

  readonly lists = readOnce(() => this.#readAll(lists.list));

  /** Reads the models with custom fields that refer to contacts. */
  readonly readMentioningModels = readOnce(async (): Promise<ReadonlySet<unknown>> => {
    const fields = await this.#readAll(customFields.list);
    return new Set(fields.flatMap(({ data_type, model }) => (data_type === 'contact' ? [model] : [])));
  });

  constructor(client: Client, { limit = maxRelated }: RelatedOptions = {}) {
    this.#client = client;
    this.#limit = limit;
  }

  /** Yields the entries of all lists. If `type` is set, skips the lists of another entry type. */
  async *walkEntries(type?: Entry['entryable_type']) {
    const budget = { left: this.#limit };
    for (const list of await this.lists()) {
      if (type && list.entry_type && list.entry_type !== type) continue;
      const list_id = list.id ?? '';
      const relate = (entry: JsonObject) => relateEntry(entry, list_id);
      for await (const referrer of this.#walk(entries.list, relate, { list_id }, budget))
        yield { ...referrer, list };
    }
  }

  /** Yields the contacts and the organizations, each only if they have custom fields that refer to contacts. */
  async *walkMentions() {
    const models = await this.readMentioningModels();
    for (const noun of ['contact', 'organization'] as const) {
      const relate = (record: JsonObject) => relateMentions(noun, record);
      if (models.has(noun))
        for await (const referrer of this.#walk(mentioningLists[noun], relate)) yield { ...referrer, noun };
    }
  }

  /** Yields all notes. */
  walkNotes() {
    return this.#walk(notes.list, relateNote);
  }

  /** Yields all contacts, with their organizations. */
  walkColleagues() {
    return this.#walk(contacts.list, relateColleague);
  }

  /** Yields the records of a list with the records that they refer to. */
  async *#walk<R extends Route>(
    route: R,
    relate: (record: JsonObject) => Relation[],
    input = {} as ListInput<R>,
    budget = { left: this.#limit },
  ) {
    for await (const page of this.readPages(route, input, budget))
      for (const record of page) yield { record, relations: relate(readObject(record)) };
  }

  /** @throws {TooManyError} if the list is longer than the budget */
  async *readPages<R extends Route>(
    route: R,
    input: ListInput<R>,
    budget = { left: this.#limit },
  ): AsyncGenerator<RouteRecord<R>[]> {
    for await (const { records, total = 0 } of requireUnchanged(
      this.#client.pages(route, input, { size: pageSize }),
    )) {
      budget.left -= records.length;
      if (budget.left < 0 || total > this.#limit) throw new TooManyError();
      yield records.map(({ value }) => value);
    }
  }

  async #readAll<R extends Route>(route: R): Promise<RouteRecord<R>[]> {
    const all: RouteRecord<R>[] = [];
    for await (const page of this.readPages(route, {} as ListInput<R>)) all.push(...page);
    return all;
  }
}

/** Returns a function that reads only once, even if the list is too long. */
function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  const load = once(() => repeatIfChanged(read).catch(catchTooMany));
  return async () => {
    const result = await load();
    if (result instanceof TooManyError) throw result;
    return result;
  };
}

/** A record, and another record that refers to it. */
export interface Relation {
  readonly owner: RecordPath;
  readonly related: RelatedRecord;
}

const toRelated =
  (noun: Noun) =>
  (record: JsonObject): RelatedRecord => ({ noun, id: String(record.id), record });

/** Returns the contact or organization of an entry, and the contacts in its fields. */
function relateEntry(record: JsonObject, list_id: string): Relation[] {
  const path = { noun: 'entry', list_id, id: String(record.id) } as const;
  const noun = record.entryable_type === 'Organization' ? 'organization' : 'contact';
  const owner: RecordPath = { noun, id: String(record.entryable_id) };
  const mentionedIds = new Set([record.contact_id, ...listMentions(record.list_fields)].filter(isId));
  if (noun === 'contact') mentionedIds.delete(owner.id ?? '');
  const relateMention = (id: string): Relation => {
    const list_fields = pickMentions(record.list_fields, id);
    const body = {
      ...(record.contact_id === id && { contact_id: id }),
      ...(list_fields.length > 0 && { list_fields }),
    };
    return { owner: { noun: 'contact', id }, related: { ...path, body } };
  };
  return [{ owner, related: { ...path, record } }, ...[...mentionedIds].map(relateMention)];
}

/** Returns the contacts in the custom fields of a contact or an organization. */
function relateMentions(noun: ReferringNoun, record: JsonObject): Relation[] {
  return [...new Set(listMentions(record.custom_fields))].filter(isId).map((id) => ({
    owner: { noun: 'contact', id },
    related: { noun, id: String(record.id), body: { custom_fields: pickMentions(record.custom_fields, id) } },
  }));
}

/** Returns the organization of a note, with the note. */
const relateNote = (record: JsonObject): Relation[] => [
  { owner: { noun: 'organization', id: String(record.organization_id) }, related: toRelated('note')(record) },
];

/** Returns the organization of a contact, with the value that refers to it. */
const relateColleague = ({ id, organization_id }: JsonObject): Relation[] =>
  isId(organization_id)
    ? [
        {
          owner: { noun: 'organization', id: organization_id },
          related: { noun: 'contact', id: String(id), body: { organization_id } },
        },
      ]
    : [];

const isId = (value: unknown): value is string => typeof value === 'string';

/** Returns the values of all fields that refer to contacts. */
const listMentions = (container: unknown): unknown[] =>
  listDefinedValues(container).flatMap(({ dataType, value }) =>
    dataType === 'contact' ? [value].flat() : [],
  );

const pickMentions = (container: unknown, id: string) =>
  listDefinedValues(container)
    .filter(({ dataType, value }) => dataType === 'contact' && [value].flat().includes(id))
    .map(({ name, value }) => ({ name, value }));
