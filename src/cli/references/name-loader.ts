import type { Client } from '../../client/client.ts';
import { Failure } from '../../contract/errors.ts';
import type { GetName, NameKind, Reference } from '../../render/collect-references.ts';
import { createSemaphore, once, type Semaphore } from '../../values/concurrency.ts';
import { getContactName } from '../../values/record-names.ts';
import type { Session } from '../command/context.ts';
import { readIndexedNames } from './index-lookups.ts';
import { type Candidate, type CandidatePage, kinds } from './reference-kinds.ts';

/** The names of records and people, cached for a run. */
export interface Names {
  /** Loads names in one batch. A name that cannot be loaded stays unknown, without an error. */
  load(references: Iterable<Reference>): Promise<void>;
  readonly get: GetName;
}

type NamedId = readonly [id: string, name: string];

/** How names are loaded. */
interface NameOptions {
  /** Returns the names that are known without a request; if omitted, from the search index. */
  readonly readLocal?: (kind: NameKind, ids: ReadonlySet<string>) => Promise<Iterable<NamedId>>;
  /** Milliseconds that a batch may take: a table does not wait for a slow service. */
  readonly timeout?: number;
}

const maxRequests = 8;

/** Minimum number of ids for which the first page of the list is requested, since it may contain most of them. */
const minScan = 3;

/** Maximum number of names of one kind that are cached between batches. */
const maxNames = 50_000;

/** Creates the names of a run. */
export function createNames(session: Session, options: NameOptions = {}): Names {
  const runLimited = createSemaphore(maxRequests);
  const loaders = new Map<NameKind, Loader>();
  return {
    async load(references) {
      const idsByKind = new Map<NameKind, Set<string>>();
      for (const { kind, id } of references)
        idsByKind.set(kind, (idsByKind.get(kind) ?? new Set()).add(toKey(kind, id)));
      const loads = Array.from(idsByKind, ([kind, ids]) => {
        const loader = loaders.get(kind) ?? createLoader(session, kind, runLimited, options);
        loaders.set(kind, loader);
        return loader.load(ids);
      });
      await Promise.all(loads);
    },
    get: (kind, id) => loaders.get(kind)?.names.get(toKey(kind, id)) || id,
  };
}

const toKey = (kind: NameKind, id: string) => (kind === 'email' ? id.toLowerCase() : id);

type Loader = ReturnType<typeof createLoader>;

/** Creates the loader of the names of one kind. */
function createLoader(
  session: Session,
  kind: NameKind,
  runLimited: Semaphore,
  { readLocal = (kind, ids) => readIndexedNames(session, kind, ids), timeout = 5000 }: NameOptions,
) {
  /** Names by id; empty for an id whose lookup found nothing. */
  const names = new Map<string, string>();
  const controller = new AbortController();
  const readClient = once(() => session.withSignal(controller.signal, 1).client());
  let lookups = 0;
  /** The pages of the list, which later batches continue to read. */
  let list: AsyncIterator<CandidatePage> | undefined;
  let pages = 0;
  /** The number of pages that were not read; undefined if not known. */
  let pagesLeft: number | undefined;
  /** Whether no more requests are sent: the whole list was read, or the service failed. */
  let isDone = false;

  async function lookUp(client: Client, id: string): Promise<void> {
    lookups += 1;
    names.set(id, '');
    names.set(id, (await readName(client, kind, id)) ?? '');
  }

  /** Reads the list as long as that takes fewer requests than lookups. Earlier lookups count too. */
  async function scan(client: Client, missing: Set<string>): Promise<void> {
    pagesLeft = Number.POSITIVE_INFINITY; // a list that cannot be read is not tried again
    list ??= readPages(kind, client)[Symbol.asyncIterator]();
    do {
      const { value, done } = await list.next();
      if (done) return;
      pages += 1;
      const { candidates, total, hasMore } = value;
      for (const [id, name] of candidates.flatMap((candidate) => listNames(kind, candidate))) {
        names.set(id, name);
        missing.delete(id);
      }
      isDone = !hasMore;
      // A list of unknown length is expected to be long.
      pagesLeft = total === undefined ? 9 * pages : Math.ceil(total / candidates.length) - pages;
    } while (!isDone && missing.size + lookups > pagesLeft);
  }

  /** Returns false if the service failed. */
  async function attempt(task: () => Promise<void>): Promise<boolean> {
    try {
      await task();
      return true;
    } catch (error) {
      session.signal.throwIfAborted();
      if (!(error instanceof Failure) && !controller.signal.aborted) throw error;
      return error instanceof Failure && (error.code === 'not_found' || error.code === 'usage');
    }
  }

  async function request(missing: Set<string>): Promise<void> {
    const client = await readClient();
    const isScan = pagesLeft === undefined ? missing.size >= minScan : missing.size + lookups > pagesLeft;
    if (isScan) await attempt(() => scan(client, missing));
    const lookUps = Array.from(missing, (id) =>
      runLimited(async () => {
        if (!isDone && !(await attempt(() => lookUp(client, id)))) isDone = true;
      }),
    );
    await Promise.all(lookUps);
  }

  async function load(ids: ReadonlySet<string>): Promise<void> {
    if (names.size > maxNames) {
      names.clear();
      list = undefined;
      pages = 0;
      isDone = controller.signal.aborted;
    }
    const isMissing = (id: string) => id !== '' && !names.has(id);
    const unknown = new Set([...ids].filter(isMissing));
    if (unknown.size === 0) return;
    for (const [id, name] of await readLocal(kind, unknown)) names.set(id, name);
    const missing = new Set([...unknown].filter(isMissing));
    if (missing.size === 0 || isDone) return;
    const timer = setTimeout(() => controller.abort(), timeout);
    try {
      await request(missing);
    } finally {
      clearTimeout(timer);
    }
  }
  return { names, load };
}

/** Reads the list that has the names of one kind. */
function readPages(kind: NameKind, client: Client) {
  return kinds[kind === 'email' ? 'contact' : kind].list(client);
}

/** Returns the names that a record of the list tells. */
function listNames(kind: NameKind, { id, name, emails = [] }: Candidate): readonly NamedId[] {
  return kind === 'email' ? emails.map((email) => [toKey('email', email), name]) : [[id, name]];
}

async function readName(client: Client, kind: NameKind, id: string): Promise<string | undefined> {
  if (kind !== 'email') return (await kinds[kind].read(client, id)).name;
  const [match] = await client.findContacts({ email: id });
  return match && getContactName(match.value);
}
