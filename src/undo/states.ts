import type { Client } from '../client/client.ts';
import { type RecordPath, toPathKey } from '../records/path.ts';
import { readTexts } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import { isRemoved, matchesBody, pickSentValues } from '../writes/bodies.ts';
import type { LoggedWrite } from '../writes/log.ts';
import { readTagged } from '../writes/nouns.ts';
import { flatten, isSameJson } from '../writes/values.ts';

/** The current records, each read once, with the changes of the steps planned so far. */
export class CurrentRecords {
  readonly #client: Client;
  readonly #records = new Map<string, JsonObject | undefined>();
  /** The entity tags of the versions that were read, by record. */
  readonly tags = new Map<string, string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Returns a record; undefined if it does not exist. */
  async read(path: RecordPath): Promise<JsonObject | undefined> {
    const key = toPathKey(path);
    if (this.#records.has(key)) return this.#records.get(key);
    const record = await readTagged(this.#client, path);
    if (record?.etag !== undefined) this.tags.set(key, record.etag);
    this.#records.set(key, record?.value);
    return record?.value;
  }

  /** Replaces a record with its state after a planned step. */
  set(path: RecordPath, record: JsonObject | undefined): void {
    this.#records.set(toPathKey(path), record);
  }
}

const addressFields = ['emails', 'domains'];

const isSameValue = (name: string, left: unknown, right: unknown): boolean =>
  addressFields.includes(name)
    ? isSameJson([...readTexts(left)].sort(), [...readTexts(right)].sort())
    : isSameJson(left, right);

/** Tests whether a field has its value from before or after an update. */
type State = (current: unknown) => boolean;

/**
 * The values of a record's fields before and after each update of a command. An interrupted revert left each field at
 * one of these values.
 */
export class FieldHistory {
  readonly #states = new Map<string, { readonly n: number; readonly isState: State }[]>();

  constructor(updates: readonly LoggedWrite[]) {
    for (const write of updates) this.#add(write);
  }

  #add({ n, action, body, before = {}, after }: LoggedWrite): void {
    const earlier = flatten(pickSentValues(body, before));
    const later = after && flatten(pickSentValues(body, after));
    for (const [name, value] of Object.entries(earlier)) {
      const states = this.#states.get(name) ?? [];
      this.#states.set(name, states);
      states.push({ n, isState: (current) => isSameValue(name, current, value) });
      states.push({
        n: n + 1,
        isState: (current) =>
          isUnion(name, current, value, later?.[name]) ||
          (later ? isSameValue(name, current, later[name]) : isSent(name, action, body, current)),
      });
    }
  }

  /** Returns the names of fields that someone else changed: the log has no write with their current value. */
  findConflicts(current: JsonObject, body: JsonObject): string[] {
    return Object.entries(flatten(pickSentValues(body, current))).flatMap(([name, value]) => {
      const states = this.#states.get(name) ?? [];
      return states.some(({ isState }) => isState(value)) ? [] : [name];
    });
  }

  /** Whether a field has the addresses of an earlier state, because an interrupted revert already removed some. */
  isEarlierAddress(name: string, value: unknown): boolean {
    return addressFields.includes(name) && this.isReverted(name, Number.POSITIVE_INFINITY, value);
  }

  /** Whether a field has its value from before a write, or from before an earlier write. */
  isReverted(name: string, n: number, value: unknown): boolean {
    return (this.#states.get(name) ?? []).some((state) => state.n <= n && state.isState(value));
  }
}

/** Whether a revert stopped between its two requests: the first adds addresses, the second removes addresses. */
function isUnion(name: string, current: unknown, before: unknown, after: unknown): boolean {
  if (!addressFields.includes(name) || after === undefined) return false;
  return isSameValue(name, current, [...new Set([...readTexts(before), ...readTexts(after)])]);
}

/** Whether a field has the value of a request whose response was lost. */
function isSent(name: string, action: LoggedWrite['action'], body: JsonObject, current: unknown): boolean {
  if (action === 'remove') return isRemoved({ [name]: body[name] }, { [name]: current });
  const container = ['custom_fields', 'list_fields'].find((field) =>
    [body[field]].flat().some((item) => isNamed(item, name)),
  );
  if (container === undefined) {
    const record = name === 'assignee_email' ? { assignee: { email: current } } : { [name]: current };
    return matchesBody({ [name]: body[name] }, record);
  }
  const items = [body[container]].flat().filter((item) => isNamed(item, name));
  return matchesBody({ [container]: items }, { [container]: { [name]: { name, value: current } } });
}

const isNamed = (item: unknown, name: string) =>
  typeof item === 'object' && item !== null && 'name' in item && item.name === name;
