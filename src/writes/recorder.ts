import type { Client } from '../client/client.ts';
import { Failure, getErrorMessage } from '../contract/errors.ts';
import type { Route, WireRequest, WireResponse } from '../contract/grammar.ts';
import { organizations } from '../contract/organizations.ts';
import { createRecordNormalizer } from '../contract/received.ts';
import { toPathKey } from '../records/path.ts';
import { createRelatedReader, type RelatedRecord } from '../records/referrers.ts';
import { isObject, type JsonObject } from '../values/json-object.ts';
import { pickSentValues } from './bodies.ts';
import type { ChangeLog, LogLine } from './log.ts';
import { matchWrite, mayCreateOrganization, nouns, readRecord, toRequest, type Write } from './nouns.ts';
import { isSameJson } from './values.ts';

interface RecorderOptions {
  /** Reads records; its requests are not recorded. */
  readonly client: Client;
  /** Creates or opens the log of the command. @throws {Failure} failed if it cannot be written */
  readonly open: () => ChangeLog;
  /** Whether the command must stop if its log cannot be written, because a later run needs the log to continue. */
  readonly isRequired: boolean;
  /** Whether a text contains an API key, which must not be stored. */
  readonly hasSecret?: (text: string) => boolean;
  /** Called once if the log cannot be written, or if a write cannot be reverted because a read failed. */
  readonly onFailure?: (reason: string) => Promise<void>;
  /** Receives a sentence about values that `kith undo` will not restore, before the record is deleted. */
  readonly onLoss?: (sentence: string) => Promise<void>;
  /** Whether to record organizations that the service creates for contacts; takes one request for each organization. */
  readonly findsOrganizations?: boolean;
}

/** Data about a write that the caller has read already. */
export interface WriteContext {
  /** The record before the write. If omitted, the recorder reads it. */
  readonly before?: JsonObject | undefined;
  /** The related records that a deletion affects. If omitted, the recorder reads them. */
  readonly related?: readonly RelatedRecord[] | undefined;
  /** The id of the deleted record that a create restores. */
  readonly from?: string | undefined;
  /** The row of the import, or the line of the batch, that the write belongs to. */
  readonly row?: number | undefined;
  /** Whether the caller handles the response of a create with a record that existed before. */
  readonly mayExist?: true;
}

type Send = () => Promise<WireResponse>;

/** Records the writes of a command: each record before and after its write, and the related records of a deletion. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #readRelated;
  readonly #deletedKeys = new Set<string>();
  #log: ChangeLog | undefined;
  #hasFailed = false;
  #hasWarned = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#readRelated = createRelatedReader(options.client);
  }

  /** Sends any request and records it. */
  async intercept(request: WireRequest, send: Send, context: WriteContext = {}): Promise<WireResponse> {
    const write = matchWrite(request);
    if (write) return this.send(write, context, send);
    const n = this.#takeNumber();
    const { method, path } = request;
    await this.#append({ n, impossible: `kith does not know how to revert ${method} ${path}.` });
    return this.#sendNow(n, send);
  }

  /** Sends a write and records it. */
  async send(
    write: Write,
    context: WriteContext = {},
    send: Send = () => this.#options.client.send(toRequest(write)),
  ): Promise<WireResponse> {
    const n = this.#takeNumber();
    let unread: string | undefined;
    let before: JsonObject | undefined;
    try {
      before = await this.#recordBefore(write, n, context);
    } catch (error) {
      if (!isReadFailure(error) || this.#options.isRequired) {
        try {
          this.#refuse(n);
        } catch {
          // The failure of the write is reported.
        }
        throw error;
      }
      unread = error.message;
      const impossible = `${error.message} kith could not read the record before the change.`;
      await this.#append({ n, impossible });
    }
    const response = await this.#sendNow(n, send);
    if (unread !== undefined) await this.#warn(unread);
    // If this fails, the outcome is unknown.
    await this.#recordAfter({ ...write, n }, response, { ...context, before }).catch(() => {});
    return response;
  }

  /** Records that the command is complete. */
  finish(): void {
    this.open().append({ finished: true });
  }

  async #sendNow(n: number, send: Send): Promise<WireResponse> {
    try {
      return await send();
    } catch (error) {
      if (isRefusal(error)) this.#refuse(n);
      throw error;
    }
  }

  /** Records that a write changed nothing. */
  #refuse(n: number): void {
    if (!this.#hasFailed && this.#log?.refuse(n)) this.#log = undefined;
  }

  /** Returns the log. Creates or opens it before the first write, or before a change that is not a request. */
  open(): ChangeLog {
    this.#log ??= this.#options.open();
    return this.#log;
  }

  #takeNumber(): number {
    try {
      return this.#hasFailed ? 0 : this.open().takeNumber();
    } catch (error) {
      if (this.#options.isRequired) throw error;
      return 0; // the first line reports it
    }
  }

  /** Appends a line. If that fails and the log is not required, empties the log and stops writing it. */
  async #append(line: LogLine): Promise<void> {
    const { hasSecret, isRequired } = this.#options;
    if (this.#hasFailed) return;
    try {
      if (hasSecret?.(JSON.stringify(line))) throw new Failure('usage', 'it contains an API key');
      this.open().append(line);
    } catch (error) {
      if (isRequired) throw error;
      this.#hasFailed = true;
      try {
        this.#log?.discard();
      } catch {
        // The warning says that the command is not recorded.
      }
      await this.#warn(getErrorMessage(error));
    }
  }

  async #warn(reason: string): Promise<void> {
    if (!this.#hasWarned) await this.#options.onFailure?.(reason);
    this.#hasWarned = true;
  }

  /** Returns the record before the write; undefined if there is none. */
  async #recordBefore(write: Write, n: number, context: WriteContext): Promise<JsonObject | undefined> {
    const { noun, list_id, id, action, body } = write;
    const { from, row } = context;
    const line = { n, noun, list_id, id, action, body, ...(row !== undefined && { row }) };
    if (action === 'create') {
      await this.#append({ ...line, ...(from !== undefined && { from }) });
      return undefined;
    }
    const before = context.before ?? (await readRecord(this.#options.client, write));
    if (!before) {
      await this.#append({ n, impossible: 'kith found no record before the change.' });
      return undefined;
    }
    const missing = action === 'delete' ? await this.#recordRelated(write, n, before, context) : [];
    await this.#append({ ...line, before: { ...before }, ...(missing.length > 0 && { missing }) });
    return before;
  }

  /** Records the related records of a deletion. Returns the kinds that could not be read. */
  async #recordRelated(
    write: Write,
    n: number,
    before: JsonObject,
    context: WriteContext,
  ): Promise<string[]> {
    const append = async (related: readonly RelatedRecord[]) => {
      const records = related.filter((record) => !this.#deletedKeys.has(toPathKey(record)));
      for (const record of records) if ('record' in record) this.#deletedKeys.add(toPathKey(record));
      if (records.length > 0) await this.#append({ n, related: records });
    };
    let missing: string[] = [];
    if (context.related) await append(context.related);
    else missing = await this.#readRelated(write, before, append).catch(throwReadFailure);
    this.#deletedKeys.add(toPathKey(write));
    for (const name of missing) await this.#options.onLoss?.(describeMissing(name));
    return missing;
  }

  async #recordAfter(
    { n, ...write }: Write & { readonly n: number },
    response: WireResponse,
    { before, mayExist }: WriteContext,
  ): Promise<void> {
    const { client, findsOrganizations } = this.#options;
    const isUpdated = write.action === 'update' || write.action === 'remove';
    const after =
      readResponseRecord(write, response) ?? (isUpdated ? await readRecord(client, write) : undefined);
    const { existingStatus }: Route = nouns[write.noun].create;
    if (write.action === 'create' && existingStatus === response.status) {
      if (mayExist) return this.#refuse(n);
      await this.#append({ n, refused: true });
      return this.#append({ n, impossible: 'The service may have returned an entry that existed before.' });
    }
    const organization = after && findsOrganizations && (await findNewOrganization(client, write, after));
    if (organization) {
      await this.#append({ n: n - 1, noun: 'organization', action: 'create', body: {} });
      await this.#append({ n: n - 1, after: organization });
    }
    const isSame = (left: JsonObject, right: JsonObject) =>
      isSameJson(pickSentValues(write.body, left), pickSentValues(write.body, right));
    if (before && after && isSame(before, after)) return this.#refuse(n);
    // Without its id, a created record must be searched for.
    if (write.action !== 'create' || after) await this.#append({ n, after: after ?? null });
  }
}

/** Returns the sentence for related records that could not be read before a deletion. */
export const describeMissing = (name: string) =>
  `Not restored: ${name}. kith did not read all of them before the deletion.`;

/** Throws the failure of a read. A timeout becomes `failed`, which does not stop the deletion: the service is reachable. */
function throwReadFailure(error: unknown): never {
  const isTimeout = error instanceof Failure && error.code === 'network';
  throw isTimeout ? new Failure('failed', error.message, { cause: error }) : error;
}

/** Whether a failure is only about the reads of the recorder: the write may succeed. */
const isReadFailure = (error: unknown): error is Failure =>
  error instanceof Failure && !['network', 'interrupted', 'terminated'].includes(error.code);

/** Whether a write was certainly not carried out. */
export const isRefusal = (error: unknown) =>
  error instanceof Failure && !['unknown', 'interrupted', 'terminated'].includes(error.code);

/** Reads the record in a response, bare or as `{data: record}`; undefined if there is none. */
export function readResponseRecord({ noun, action }: Write, { body }: WireResponse): JsonObject | undefined {
  if (action === 'delete' || !isObject(body)) return undefined;
  const record = isObject(body.data) && !('id' in body) ? body.data : body;
  if (typeof record.id !== 'string') return undefined;
  return createRecordNormalizer(nouns[noun].get as Route)(record) as unknown as JsonObject; // a record stays an object
}

/**
 * Returns the organization that the service created for a contact with `organization_id: auto`. It has the creation
 * time of the contact; someone else may have created an older one.
 */
async function findNewOrganization(
  client: Client,
  write: Write,
  contact: JsonObject,
): Promise<JsonObject | undefined> {
  const { organization_id: id } = contact;
  if (!mayCreateOrganization(write) || typeof id !== 'string') return undefined;
  const { value } = await client.record(organizations.get, { organization_id: id });
  return value.created_at === contact.created_at ? { ...value } : undefined;
}
