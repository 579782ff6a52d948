import type { Client } from '../../client/client.ts';
import { Failure } from '../../contract/errors.ts';
import type { GetName, NameKind, Reference } from '../../render/collect-references.ts';
import { createSemaphore, once, type Semaphore } from '../../values/concurrency.ts';
import type { Session } from '../command/context.ts';
import { readIndexedNames } from './index-lookups.ts';
import { type Candidate, type CandidatePage, kinds, toContact } from './reference-kinds.ts';

/** The names of records and people, cached for a run. */
export interface Names {
  /**
   * Loads names in one batch. A record that does not exist has no name.
   * @throws {Failure} if a request fails and names are required
   */
  load(references: Iterable<Reference>): Promise<void>;
  readonly get: GetName;
}

type NamedId = readonly [id: string, name: string];

interface NameOptions {
  /** Returns the names that are known without a request; if omitted, from the search index. */
  readonly readLocal?: (kind: NameKind, ids: ReadonlySet<string>) => Promise<Iterable<NamedId>>;
  /** Milliseconds that a batch may take: a table does not wait for a slow service. */
  readonly timeout?: number;
  /** Whether a failed request is an error. The loader then waits for all names and retries requests. */
  readonly isRequired?: true;
  /** Receives each contact that is read for its name or the name of an address. */
  readonly onContact?: (contact: Candidate) => void;
}

const maxRequests = 8;

/** Minimum number of ids for which the first page of the list is requested, since it may contain most of them. */
const minScan = 3;

/** Maximum number of names of one kind that are cached between batches. */
const maxNames = 50_000;

export function createNames(session: Session, options: NameOptions = {}): Names {
  const runLimited = createSemaphore(maxRequests);
  const loaders = new Map<NameKind, NameLoader>();
  return {
    async load(references) {
      const idsByKind = new Map<NameKind, Set<string>>();
      for (const { kind, id } of references)
        idsByKind.set(kind, (idsByKind.get(kind) ?? new Set()).add(toKey(kind, id)));
      const loads = Array.from(idsByKind, ([kind, ids]) => {
        const loader = loaders.get(kind) ?? new NameLoader(session, kind, runLimited, options);
        loaders.set(kind, loader);
        return loader.load(ids);
      });
      await Promise.all(loads);
    },
    get: (kind, id) => loaders.get(kind)?.names.get(toKey(kind, id)) || id,
  };
}

const toKey = (kind: NameKind, id: string) => (kind === 'email' ? id.toLowerCase() : id);

/** Loads the names of one kind. */
class NameLoader {
  /** Names by id; empty for an id whose lookup found nothing. */
  readonly names = new Map<string, string>();
  readonly #session: Session;
  readonly #kind: NameKind;
  readonly #runLimited: Semaphore;
  readonly #options: NameOptions;
  readonly #controller = new AbortController();
  readonly #readClient = once(() => {
    if (this.#options.isRequired) return this.#session.client();
    return this.#session.derive({ signal: this.#controller.signal, attempts: 1 }).client();
  });
  #lookups = 0;
  /** The pages of the list, which later batches continue to read. */
  #list: AsyncIterator<CandidatePage> | undefined;
  #pages = 0;
  /** The number of pages that were not read; undefined if not known. */
  #pagesLeft: number | undefined;
  /** Whether no more requests are sent: the whole list was read, or the service failed. */
  #isDone = false;

  constructor(session: Session, kind: NameKind, runLimited: Semaphore, options: NameOptions) {
    this.#session = session;
    this.#kind = kind;
    this.#runLimited = runLimited;
    this.#options = options;
  }

  async load(ids: ReadonlySet<string>): Promise<void> {
    if (this.names.size > maxNames) {
      this.names.clear();
      this.#list = undefined;
      this.#pages = 0;
      this.#isDone = this.#controller.signal.aborted;
    }
    const isMissing = (id: string) => id !== '' && !this.names.has(id);
    const unknown = new Set([...ids].filter(isMissing));
    if (unknown.size === 0) return;
    const { readLocal, isRequired, timeout = 5000 } = this.#options;
    const localNames = readLocal
      ? await readLocal(this.#kind, unknown)
      : await readIndexedNames(this.#session, this.#kind, unknown);
    for (const [id, name] of localNames) this.names.set(id, name);
    const missing = new Set([...unknown].filter(isMissing));
    if (missing.size === 0 || this.#isDone) return;
    const timer = isRequired ? undefined : setTimeout(() => this.#controller.abort(), timeout);
    try {
      await this.#request(missing);
    } finally {
      clearTimeout(timer);
    }
  }

  async #request(missing: Set<string>): Promise<void> {
    const client = await this.#readClient();
    if (this.#isScanShorter(missing)) await this.#attempt(() => this.#scan(client, missing));
    const lookUps = Array.from(missing, (id) =>
      this.#runLimited(async () => {
        if (!this.#isDone && !(await this.#attempt(() => this.#lookUp(client, id)))) this.#isDone = true;
      }),
    );
    await Promise.all(lookUps);
  }

  /** Whether reading the list takes fewer requests than lookups. Earlier lookups count too. */
  #isScanShorter(missing: ReadonlySet<string>): boolean {
    if (this.#pagesLeft === undefined) return missing.size >= minScan;
    return missing.size + this.#lookups > this.#pagesLeft;
  }

  /** Reads the list as long as that takes fewer requests than lookups. */
  async #scan(client: Client, missing: Set<string>): Promise<void> {
    this.#pagesLeft = Number.POSITIVE_INFINITY; // a list that cannot be read is not tried again
    const listedKind = this.#kind === 'email' ? 'contact' : this.#kind;
    this.#list ??= kinds[listedKind].list(client)[Symbol.asyncIterator]();
    do {
      const { value, done } = await this.#list.next();
      if (done) return;
      this.#pages += 1;
      const { candidates, total, hasMore } = value;
      if (this.#kind === 'email' || this.#kind === 'contact')
        for (const contact of candidates) this.#options.onContact?.(contact);
      for (const [id, name] of candidates.flatMap((candidate) => toNamedIds(this.#kind, candidate))) {
        this.names.set(id, name);
        missing.delete(id);
      }
      this.#isDone = !hasMore;
      // A list of unknown length is expected to be long.
      this.#pagesLeft =
        total === undefined ? 9 * this.#pages : Math.ceil(total / candidates.length) - this.#pages;
    } while (!this.#isDone && this.#isScanShorter(missing));
  }

  async #lookUp(client: Client, id: string): Promise<void> {
    this.#lookups += 1;
    this.names.set(id, '');
    this.names.set(id, (await this.#readName(client, id)) ?? '');
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

  async #readName(client: Client, id: string): Promise<string | undefined> {
    if (this.#kind !== 'email') {
      const candidate = await kinds[this.#kind].read(client, id);
      if (this.#kind === 'contact') this.#options.onContact?.(candidate);
      return candidate.name;
    }
    const [match] = await client.findContacts({ email: id });
    if (!match) return undefined;
    const contact = { id: match.value.id, ...toContact(match.value) };
    this.#options.onContact?.(contact);
    return contact.name;
  }
}

/** Returns the names that a record of the list tells. */
function toNamedIds(kind: NameKind, { id, name, emails = [] }: Candidate): readonly NamedId[] {
  return kind === 'email' ? emails.map((email) => [toKey('email', email), name]) : [[id, name]];
}
