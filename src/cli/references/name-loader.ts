import type { Client } from '../../client/client.ts';
import { Failure } from '../../contract/errors.ts';
import type { GetName, NameKind, Reference } from '../../render/collect-references.ts';
import { createSemaphore, once, type Semaphore } from '../../values/concurrency.ts';
import type { Session } from '../command/context.ts';
import { type RecordName, readIndexedNames } from './index-lookups.ts';
import { getReferenceCache, toKey as toReferenceKey } from './reference-cache.ts';
import { type Candidate, type CandidatePage, kinds, toContact } from './reference-kinds.ts';

/** The names of records and people, cached for a run. */
export interface Names {
  /**
   * Loads names in one batch. A record that does not exist has no name.
   * @throws {Failure} if a request fails and names are required
   */
  load(references: Iterable<Reference>): Promise<void>;
  readonly get: GetName;
  /** Returns a loaded record or person; undefined if it does not exist. */
  readonly find: (kind: NameKind, id: string) => RecordName | undefined;
}

interface NameOptions {
  /** Milliseconds that a batch may take: a table does not wait for a slow service. */
  readonly timeout?: number;
  /** Whether a failed request is an error. The loader then waits for all names and retries requests. */
  readonly isRequired?: true;
  /** Whether all records come from the service: the index may be older, and has no organization for the id of a contact. */
  readonly isCurrent?: true;
  /** Maximum number of names of a kind that are looked up one by one, without reading the list; by default 2. */
  readonly maxLookups?: number;
}

const maxRequests = 8;

/** The length of a list whose service does not state it. */
const expectedPages = 100;

/** Maximum number of records of one kind that are cached between batches. */
const maxNames = 50_000;

export function createNames(session: Session, options: NameOptions = {}): Names {
  const runLimited = createSemaphore(maxRequests);
  const loaders = new Map<NameKind, NameLoader>();
  const find = (kind: NameKind, id: string) => loaders.get(kind)?.records.get(toKey(kind, id));
  return {
    async load(references) {
      const idsByKind = new Map<NameKind, Set<string>>();
      for (const { kind, id } of references)
        if (id !== '') idsByKind.set(kind, (idsByKind.get(kind) ?? new Set()).add(toKey(kind, id)));
      const loads = Array.from(idsByKind, ([kind, ids]) => {
        const loader = loaders.get(kind) ?? new NameLoader(session, kind, runLimited, options);
        loaders.set(kind, loader);
        return loader.load(ids);
      });
      await Promise.all(loads);
    },
    get: (kind, id) => find(kind, id)?.name || id,
    find,
  };
}

const toKey = (kind: NameKind, id: string) => (kind === 'email' ? id.toLowerCase() : id);

/**
 * Loads the names of one kind. Reads the list as soon as the run would otherwise look up more names than the list has
 * unread pages.
 */
class NameLoader {
  /** Records by id or address; undefined for those that do not exist. */
  readonly records = new Map<string, RecordName | undefined>();
  readonly #session: Session;
  readonly #kind: NameKind;
  readonly #runLimited: Semaphore;
  readonly #options: NameOptions;
  readonly #controller = new AbortController();
  readonly #readClient = once(() => {
    if (this.#options.isRequired) return this.#session.client();
    return this.#session.derive({ signal: this.#controller.signal, attempts: 1 }).client();
  });
  /** The pages of the list, which later batches continue to read. */
  #pages: AsyncIterator<CandidatePage> | undefined;
  /** The number of names to look up before the list is read. */
  #maxLookups: number;
  /** Whether no more requests are sent: the whole list was read, or the service failed. */
  #isDone = false;

  constructor(session: Session, kind: NameKind, runLimited: Semaphore, options: NameOptions) {
    this.#session = session;
    this.#kind = kind;
    this.#runLimited = runLimited;
    this.#options = options;
    this.#maxLookups = options.maxLookups ?? 2; // the first page of the list may contain most of three or more
  }

  async load(ids: ReadonlySet<string>): Promise<void> {
    if (this.records.size > maxNames) {
      this.records.clear();
      this.#pages = undefined;
      this.#isDone = this.#controller.signal.aborted;
    }
    const listMissing = () => [...ids].filter((id) => !this.records.has(id));
    const { isRequired, isCurrent, timeout = 5000 } = this.#options;
    const { records: named } = getReferenceCache(this.#session);
    for (const id of listMissing()) {
      const candidate = this.#kind === 'email' ? undefined : named.get(toReferenceKey(this.#kind, id));
      if (candidate) this.#add(id, candidate);
    }
    const unknown = listMissing();
    const indexed =
      isCurrent || unknown.length === 0 ? [] : readIndexedNames(this.#session, this.#kind, unknown);
    for (const [id, record] of await indexed) this.records.set(id, record);
    if (this.#isDone || listMissing().length === 0) return;
    const timer = isRequired ? undefined : setTimeout(() => this.#controller.abort(), timeout);
    try {
      const client = await this.#readClient();
      while (!this.#isDone && listMissing().length > this.#maxLookups)
        await this.#attempt(() => this.#readPage(client));
      await this.#lookUpAll(client, this.#isDone ? [] : listMissing());
    } finally {
      clearTimeout(timer);
    }
  }

  async #readPage(client: Client): Promise<void> {
    const isFirst = this.#pages === undefined;
    const maxLookups = this.#maxLookups;
    this.#maxLookups = Number.POSITIVE_INFINITY; // a list that cannot be read is not tried again
    this.#pages ??= kinds[this.#kind === 'email' ? 'contact' : this.#kind]
      .list(client)
      [Symbol.asyncIterator]();
    const { value, done } = await this.#pages.next();
    if (done) return;
    const { candidates, total = expectedPages * candidates.length, hasMore } = value;
    for (const candidate of candidates) this.#add(candidate.id, candidate);
    this.#isDone = !hasMore;
    this.#maxLookups = isFirst ? Math.ceil(total / candidates.length) - 1 : maxLookups - 1;
  }

  #add(id: string, { name, emails = [], organizationId }: Omit<Candidate, 'id'>): void {
    const keys = this.#kind === 'email' ? emails.map((email) => toKey('email', email)) : [id];
    for (const key of keys) this.records.set(key, { name, organizationId });
  }

  async #lookUpAll(client: Client, ids: readonly string[]): Promise<void> {
    if (this.#pages) this.#maxLookups -= ids.length;
    const lookUps = ids.map((id) =>
      this.#runLimited(async () => {
        if (!this.#isDone && !(await this.#attempt(() => this.#lookUp(client, id)))) this.#isDone = true;
      }),
    );
    await Promise.all(lookUps);
  }

  async #lookUp(client: Client, id: string): Promise<void> {
    this.records.set(id, undefined);
    if (this.#kind !== 'email') return this.#add(id, await kinds[this.#kind].read(client, id));
    const [match] = await client.findContacts({ email: id });
    if (match) this.#add(id, toContact(match.value));
  }

  /** Returns false if the service failed. */
  async #attempt(task: () => Promise<void>): Promise<boolean> {
    try {
      await task();
      return true;
    } catch (error) {
      this.#session.signal.throwIfAborted();
      if (!(error instanceof Failure) && !this.#controller.signal.aborted) throw error;
      const isMissing = error instanceof Failure && (error.code === 'not_found' || error.code === 'usage');
      if (this.#options.isRequired && !isMissing) throw error;
      return isMissing;
    }
  }
}
