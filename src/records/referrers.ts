import type { Client, ListInput } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { customFields } from '../contract/custom-fields.ts';
import { type Entry, entries } from '../contract/entries.ts';
import { isRecordFailure } from '../contract/errors.ts';
import type { Route } from '../contract/grammar.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { organizations } from '../contract/organizations.ts';
import type { RouteRecord } from '../contract/received.ts';
import type { PartyNoun } from '../contract/singular-nouns.ts';
import { once } from '../values/concurrency.ts';
import { findDefinedValue, listDefinedValues } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { type RecordPath, toPathKey } from './path.ts';
import { repeatIfChanged, requireUnchanged } from './read-all.ts';

/** Maximum number of records of one kind that are read to find those that a deletion affects. */
export const maxRelated = 10_000;

/** Records per request. */
const pageSize = 500;

/** A record that belongs to another one and is deleted with it, or the values of a record that name another one. */
export type RelatedRecord = RecordPath & ({ readonly record: JsonObject } | { readonly body: JsonObject });

/** A record, and another record that refers to it. The path of an entry that a note names has no list. */
export interface Relation {
  readonly owner: RecordPath;
  readonly related: RelatedRecord;
}

/** Returns every reference of a record to another one. */
export function listRelations(path: RecordPath, record: JsonObject): Relation[] {
  switch (path.noun) {
    case 'entry':
      return relateEntry(path, record);
    case 'note':
      return relateNote(path, record);
    case 'contact':
      return [...relateOrganization(path, record), ...relateMentions(path, record)];
    default:
      return relateMentions(path, record);
  }
}

/** Returns the contact or organization of an entry, and the contacts in its fields. */
function relateEntry(path: RecordPath, record: JsonObject): Relation[] {
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

/** Returns the organization of a note, and its deal. */
function relateNote(path: RecordPath, record: JsonObject): Relation[] {
  const { organization_id, deal_id } = record;
  return [
    { owner: { noun: 'organization', id: String(organization_id) }, related: { ...path, record } },
    ...(isId(deal_id)
      ? [{ owner: { noun: 'entry', id: deal_id } as const, related: { ...path, body: { deal_id } } }]
      : []),
  ];
}

const relateOrganization = (path: RecordPath, { organization_id }: JsonObject): Relation[] =>
  isId(organization_id)
    ? [
        {
          owner: { noun: 'organization', id: organization_id },
          related: { ...path, body: { organization_id } },
        },
      ]
    : [];

/** Returns the contacts in the custom fields of a contact or an organization. */
const relateMentions = (path: RecordPath, { custom_fields }: JsonObject): Relation[] =>
  [...new Set(listMentions(custom_fields))].filter(isId).map((id) => ({
    owner: { noun: 'contact', id },
    related: { ...path, body: { custom_fields: pickMentions(custom_fields, id) } },
  }));

const isId = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns the values of all fields that refer to contacts. */
const listMentions = (container: unknown): unknown[] =>
  listDefinedValues(container).flatMap(({ dataType, value }) =>
    dataType === 'contact' ? [value].flat() : [],
  );

const pickMentions = (container: unknown, id: string) =>
  listDefinedValues(container)
    .filter(({ dataType, value }) => dataType === 'contact' && [value].flat().includes(id))
    .map(({ name, value }) => ({ name, value }));

/** A list has more records than the limit. */
class TooManyError extends Error {}

interface ReferrerOptions {
  /** The maximum number of records of each kind. */
  readonly limit?: number;
  /** Whether the caller may request the referring records of a path. Default: every path. */
  readonly isOwner?: (path: RecordPath) => boolean;
  /** Receives the number of records read. */
  readonly onRead?: (count: number) => void;
}

/** Referring records, by the path of the record that they refer to. */
type ReferrerIndex = Map<string, RelatedRecord[]>;

/** The name of a kind of referring records, and the function that reads them. */
export type ReferrerSource = readonly [name: string, read: () => Promise<readonly RelatedRecord[]>];

/**
 * Reads the records that refer to other records. Reads whole lists, each once, because the API has no filter for
 * references.
 */
export class Referrers {
  readonly #client: Client;
  readonly #limit: number;
  readonly #isOwner: (path: RecordPath) => boolean;
  readonly #onRead: (count: number) => void;
  #count = 0;

  readonly lists = readOnce(() => this.#readAll(lists.list));
  readonly #contacts = readOnce(() => this.#readAll(contacts.list));
  readonly #organizations = readOnce(() => this.#readAll(organizations.list));
  readonly #entries = readOnce(() => this.#indexEntries());
  /** The entries of the lists of organizations. */
  readonly #accounts = readOnce(() => this.#indexEntries('Organization'));
  readonly #notes = readOnce(() => this.#index([{ noun: 'note', route: notes.list }]));
  readonly #colleagues = readOnce(() => this.#index([{ noun: 'contact', route: contacts.list }]));
  readonly #mentions = readOnce(async () => {
    const models = await this.readMentioningModels();
    const sources = [
      { noun: 'contact', route: contacts.list },
      { noun: 'organization', route: organizations.list },
    ] as const;
    return this.#index(sources.filter(({ noun }) => models.has(noun)));
  });

  /** Reads the models with custom fields that refer to contacts. */
  readonly readMentioningModels = readOnce(async (): Promise<ReadonlySet<unknown>> => {
    const fields = await this.#readAll(customFields.list);
    return new Set(fields.flatMap(({ data_type, model }) => (data_type === 'contact' ? [model] : [])));
  });

  constructor(
    client: Client,
    { limit = maxRelated, isOwner = () => true, onRead = () => {} }: ReferrerOptions = {},
  ) {
    this.#client = client;
    this.#limit = limit;
    this.#isOwner = isOwner;
    this.#onRead = onRead;
  }

  /**
   * Returns the kinds of records that refer to a record, except the notes that name its entries as their deals. Entries
   * come before notes, which may name them.
   */
  listSources(path: RecordPath, { name, model }: JsonObject = {}): ReferrerSource[] {
    const find = (read: () => Promise<ReferrerIndex>) => async () =>
      (await read()).get(toPathKey(path)) ?? [];
    switch (path.noun) {
      case 'contact':
        return [
          ['entries', find(this.#entries)],
          ['references in fields of type contact', find(this.#mentions)],
        ];
      case 'organization':
        return [
          ['entries', find(this.#accounts)],
          ['notes', find(this.#notes)],
          ['the organization fields of its contacts', find(this.#colleagues)],
        ];
      case 'custom_field':
        return [['values', () => this.#findFieldValues(String(name), model)]];
      case 'list':
        return [['entries', () => this.#readEntries(path.id ?? '')]];
      default:
        return [];
    }
  }

  /** Returns the notes that name entries as their deals. */
  async readDeals(entryIds: Iterable<string | undefined>): Promise<RelatedRecord[]> {
    const index = await this.#notes();
    return [...entryIds].flatMap((id) => index.get(toPathKey({ noun: 'entry', id })) ?? []);
  }

  /** Yields pages. @throws {TooManyError} if the list is longer than the budget; {Failure} as `requireUnchanged` */
  async *#readPages<R extends Route>(
    route: R,
    input: ListInput<R>,
    budget = { left: this.#limit },
  ): AsyncGenerator<RouteRecord<R>[]> {
    const pages = requireUnchanged(this.#client.pages(route, input, { size: pageSize }));
    for await (const { records, total = 0 } of pages) {
      budget.left -= records.length;
      if (budget.left < 0 || total > this.#limit) throw new TooManyError();
      yield records.map(({ value }) => value);
      this.#count += records.length;
      this.#onRead(this.#count);
    }
  }

  async #readAll<R extends Route>(route: R, input = {} as ListInput<R>): Promise<RouteRecord<R>[]> {
    const all: RouteRecord<R>[] = [];
    for await (const page of this.#readPages(route, input)) all.push(...page);
    return all;
  }

  async #readEntries(list_id: string): Promise<RelatedRecord[]> {
    const all = await repeatIfChanged(() => this.#readAll(entries.list, { list_id }));
    return all.map((entry) => ({ noun: 'entry', list_id, id: entry.id, record: readObject(entry) }));
  }

  /** Indexes the entries of all lists. If `type` is set, skips the lists of another entry type. */
  async #indexEntries(type?: Entry['entryable_type']): Promise<ReferrerIndex> {
    const all = await this.lists();
    return this.#index(
      all
        .filter(({ entry_type }) => !type || !entry_type || entry_type === type)
        .map(({ id }) => ({ noun: 'entry', list_id: id, route: entries.list }) as const),
    );
  }

  /** Indexes lists, which share the limit. */
  async #index(
    sources: readonly (Omit<RecordPath, 'id'> & { readonly route: Route })[],
  ): Promise<ReferrerIndex> {
    const index: ReferrerIndex = new Map();
    const budget = { left: this.#limit };
    for (const { noun, list_id, route } of sources) {
      const input = list_id === undefined ? {} : { list_id };
      for await (const page of this.#readPages(route, input, budget))
        for (const value of page) {
          const record = readObject(value);
          for (const { owner, related } of listRelations({ noun, ...input, id: String(record.id) }, record)) {
            if (!this.#isOwner(owner)) continue;
            const key = toPathKey(owner);
            const referrers = index.get(key);
            if (referrers) referrers.push(related);
            else index.set(key, [related]);
          }
        }
    }
    return index;
  }

  /** Finds the values of a custom field. The API does not show the values of deals. */
  async #findFieldValues(name: string, model: unknown): Promise<RelatedRecord[]> {
    const records =
      model === 'contact'
        ? await this.#contacts()
        : model === 'organization'
          ? await this.#organizations()
          : [];
    return records.flatMap(({ id, custom_fields }): RelatedRecord[] => {
      const value = findDefinedValue(custom_fields, name);
      return value === null
        ? []
        : [{ noun: model as PartyNoun, id, body: { custom_fields: [{ name, value }] } }];
    });
  }
}

function catchTooMany(error: unknown): TooManyError {
  if (error instanceof TooManyError) return error;
  throw error;
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

/** Receives related records as their pages arrive. */
type OnRelated = (related: readonly RelatedRecord[]) => Promise<void> | void;

/** Reads the records that a deletion affects. Returns the kinds that could not be read. */
export type RelatedReader = (path: RecordPath, record: JsonObject, onRelated: OnRelated) => Promise<string[]>;

/** Creates a reader of the records that deletions affect: it reads each list once. */
export function createRelatedReader(client: Client, options: ReferrerOptions = {}): RelatedReader {
  const referrers = new Referrers(client, options);
  return async (path, record, onRelated) => {
    const { noun, id = '' } = path;
    const missing: string[] = [];
    /** The deleted entries and notes. */
    const deletedIds = { entry: new Set(noun === 'entry' ? [id] : []), note: new Set<string>() };
    const handle = async (related: readonly RelatedRecord[]) => {
      for (const { noun, id = '', ...rest } of related)
        if ('record' in rest && (noun === 'entry' || noun === 'note')) deletedIds[noun].add(id);
      await onRelated(related);
    };
    const tryRead = async (name: string, read: () => Promise<void>) => {
      try {
        await read();
      } catch (error) {
        if (!(error instanceof TooManyError) && !isRecordFailure(error)) throw error;
        missing.push(name);
      }
    };
    for (const [name, read] of referrers.listSources(path, record))
      await tryRead(name, async () => handle(await read()));
    if (deletedIds.entry.size > 0)
      await tryRead('the deals of notes', async () => {
        const deals = await referrers.readDeals(deletedIds.entry);
        await onRelated(deals.filter(({ id = '' }) => !deletedIds.note.has(id)));
      });
    return missing;
  };
}
