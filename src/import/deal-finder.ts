import { contacts } from '../contract/contacts.ts';
import { entries } from '../contract/entries.ts';
import { type List, lists } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import { toMatchKey } from '../records/match.ts';
import { readAll } from '../records/read-all.ts';
import { readRecordId } from '../values/domain.ts';
import { foldName } from '../values/names.ts';
import type { StoredRecord } from '../writes/values.ts';
import { Refusal, requireOne } from './outcome.ts';
import { createRecordIndex, type ImporterOptions, loadList, type StoredIndex } from './record-index.ts';

type Process = Received<List>;

/** Finds deals, which are entries of processes. Reads each process once, first the process that a key names. */
export class DealFinder {
  readonly #options: ImporterOptions;
  readonly #indexes = new Map<string, Promise<StoredIndex>>();
  readonly #organizations = new Map<string, Promise<string | null>>();
  #processes: Promise<Process[]> | undefined;

  constructor(options: ImporterOptions) {
    this.#options = options;
  }

  /** Returns the deal with a key, an id or a URL. @throws {Refusal} if none or several match */
  async find(text: string): Promise<StoredRecord> {
    const name = readRecordId(text.trim());
    const [, identifier] = /^(.+)-\d+$/.exec(name) ?? [];
    this.#processes ??= this.#readProcesses();
    const processes = await this.#processes;
    const named = processes.filter(
      (process) => identifier !== undefined && foldName(process.identifier ?? '') === foldName(identifier),
    );
    for (const candidates of [named, processes]) {
      const indexes = await Promise.all(candidates.map((process) => this.#loadEntries(process.id)));
      const matches = indexes.flatMap((index) => [
        ...index.find(name),
        ...index.find(toMatchKey('key', name)),
      ]);
      const deal = requireOne(matches, `Several deals have the key "${name}"`);
      if (deal) return deal;
    }
    throw new Refusal(`Deal "${name}" not found.`);
  }

  /** Returns the id of a deal's organization; null if its contact has none. */
  findOrganization({ entryable_id, entryable_type }: StoredRecord): Promise<string | null> {
    const id = entryable_id ?? '';
    if (entryable_type === 'Organization') return Promise.resolve(id);
    const organization =
      this.#organizations.get(id) ??
      this.#options.client
        .read(contacts.get, { contact_id: id })
        .then((contact) => contact?.organization_id ?? null);
    this.#organizations.set(id, organization);
    return organization;
  }

  async #readProcesses(): Promise<Process[]> {
    const { client, pageSize } = this.#options;
    const all = await readAll(client, lists.list, {}, { size: pageSize });
    return all.filter((list) => list.process === true);
  }

  #loadEntries(list_id: string): Promise<StoredIndex> {
    const loading = this.#indexes.get(list_id) ?? this.#readEntries(list_id);
    this.#indexes.set(list_id, loading);
    return loading;
  }

  async #readEntries(list_id: string): Promise<StoredIndex> {
    const index = createRecordIndex(this.#options, ({ id, key }) => [id, toMatchKey('key', key ?? '')]);
    await loadList(this.#options, index, entries.list, { path: { list_id } });
    return index;
  }
}
