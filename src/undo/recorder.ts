import type { Client, WriteInterceptor } from '../client/client.ts';
import { Failure, getErrorMessage } from '../contract/errors.ts';
import type { Route, WireRequest, WireResponse } from '../contract/grammar.ts';
import { organizations } from '../contract/organizations.ts';
import { createRecordNormalizer } from '../contract/received.ts';
import { matchWrite, nouns, readRecord, toPathKey, type Write } from '../records/nouns.ts';
import { isObject, type JsonObject } from '../values/json-object.ts';
import type { OpenJournal } from './journal.ts';
import { createRelatedReader, type Related, type RelatedReader } from './related.ts';

/** The dependencies of a recorder. */
interface RecorderOptions {
  /** Reads records; its requests are not recorded. */
  readonly client: Client;
  /** Whether a deletion reads only the record, and not all that may refer to it. */
  readonly isBrief: boolean;
  /** Creates the journal of the command. @throws {Failure} failed if it cannot be written */
  readonly open: () => OpenJournal;
  /** Whether a text contains an API key, which must not be stored. */
  readonly hasSecret: (text: string) => boolean;
  /** Called once if the journal cannot be written, or if a write cannot be undone because a read failed. */
  readonly onFailure: (reason: string) => Promise<void>;
}

type Append = (line: Parameters<OpenJournal['append']>[0]) => Promise<void>;

/**
 * Returns an interceptor that records each write of a command: the record before it and after it, and those that are
 * deleted with it.
 */
export function createRecorder({ client, ...rest }: RecorderOptions): WriteInterceptor {
  let hasWarned = false;
  const onFailure = async (reason: string) => {
    if (!hasWarned) await rest.onFailure(reason);
    hasWarned = true;
  };
  const append = createAppend({ ...rest, onFailure });
  const readRelated = createRelatedReader(client, rest);
  const recordBefore = createBeforeRecorder(client, append, readRelated);
  let count = 0;
  return async (request, send) => {
    const write = matchWrite(request);
    count += 2; // one number is left for an organization that the service creates for a contact
    const number = count;
    let unread: string | undefined;
    const recordImpossible = (reason: string) => append({ impossible: number, reason });
    try {
      if (write) await recordBefore(write, number);
      else await recordImpossible(`kith does not know how to revert ${formatRequest(request)}.`);
    } catch (error) {
      if (!isReadFailure(error)) throw error;
      unread = error.message;
      await recordImpossible(`${error.message} kith could not read the record before the change.`);
    }
    let response: WireResponse;
    try {
      response = await send();
    } catch (error) {
      if (isRefusal(error)) await append({ refused: number });
      throw error;
    }
    if (unread !== undefined) await onFailure(unread);
    // If this fails, the outcome is unknown.
    if (write) await recordAfter(client, append, { write, number, response }).catch(() => {});
    return response;
  };
}

/** Returns a function that appends lines to the journal, which it creates first. After a failure it does nothing. */
function createAppend({ open, hasSecret, onFailure }: Omit<RecorderOptions, 'client' | 'isBrief'>): Append {
  let journal: OpenJournal | undefined;
  let hasFailed = false;
  return async (line) => {
    if (hasFailed) return;
    try {
      journal ??= open();
      if (hasSecret(JSON.stringify(line))) throw new Failure('usage', 'it contains an API key');
      journal.append(line);
    } catch (error) {
      hasFailed = true;
      discard(journal);
      await onFailure(getErrorMessage(error));
    }
  };
}

/** Returns a function that records the state before a write. */
function createBeforeRecorder(client: Client, append: Append, readRelated: RelatedReader) {
  /** The records that the command has deleted. */
  const deleted = new Set<string>();
  const recordRelated = async (related: readonly Related[], number: number) => {
    const records = related.filter((one) => !deleted.has(toPathKey(one)));
    for (const one of records) if ('record' in one) deleted.add(toPathKey(one));
    if (records.length > 0) await append({ related: number, records });
  };
  return async (write: Write, number: number) => {
    if (write.action === 'create') return append({ write: number, ...write });
    const before = await readRecord(client, write);
    if (!before) return append({ impossible: number, reason: 'kith found no record before the change.' });
    const isDeletion = write.action === 'delete';
    const missing = isDeletion
      ? await readRelated(write, before, (related) => recordRelated(related, number)).catch(throwReadFailure)
      : [];
    if (isDeletion) deleted.add(toPathKey(write));
    await append({ write: number, ...write, before, ...(missing.length > 0 && { missing }) });
  };
}

/** Rethrows the failure of a read. The service can be reached, so one that timed out must not stop the deletion. */
function throwReadFailure(error: unknown): never {
  const isTimeout = error instanceof Failure && error.code === 'network';
  throw isTimeout ? new Failure('failed', error.message, { cause: error }) : error;
}

/** A write that was sent, with its number in the journal. */
interface SentWrite {
  readonly write: Write;
  readonly number: number;
  readonly response: WireResponse;
}

/** Records the state after a write. */
async function recordAfter(
  client: Client,
  append: Append,
  { write, number, response }: SentWrite,
): Promise<void> {
  const after = readResponseRecord(write, response) ?? (await readAfter(client, write));
  const { existingStatus }: Route = nouns[write.what].create;
  if (write.action === 'create' && existingStatus === response.status) {
    await append({ refused: number });
    const reason = 'The service may have returned an entry that existed before.';
    return append({ impossible: number, reason });
  }
  const organization = after && (await findNewOrganization(client, write, after));
  if (organization) {
    await append({ write: number - 1, what: 'organization', action: 'create', body: {} });
    await append({ result: number - 1, after: organization });
  }
  // Without its id, a created record must be searched for.
  if (write.action !== 'create' || after) await append({ result: number, after: after ?? null });
}

/** Whether a failure is only about the reads of the recorder: the write may succeed. */
const isReadFailure = (error: unknown): error is Failure =>
  error instanceof Failure && !['network', 'interrupted', 'terminated'].includes(error.code);

const formatRequest = ({ method, path }: WireRequest) => `${method} ${path}`;

/** Whether a write was certainly not carried out. */
export const isRefusal = (error: unknown) =>
  error instanceof Failure && !['unknown', 'interrupted', 'terminated'].includes(error.code);

/** Empties a journal, also on a full disk: without all writes it must not be used. */
function discard(journal: OpenJournal | undefined): void {
  try {
    journal?.truncate(0);
  } catch {
    // The warning says that the command is not recorded.
  }
}

/** Reads the record in a response, bare or as `{data: record}`; undefined if there is none. */
export function readResponseRecord({ what, action }: Write, { body }: WireResponse): JsonObject | undefined {
  if (action === 'delete' || !isObject(body)) return undefined;
  const record = isObject(body.data) && !('id' in body) ? body.data : body;
  if (typeof record.id !== 'string') return undefined;
  return createRecordNormalizer(nouns[what].get as Route)(record) as unknown as JsonObject; // a record stays an object
}

/** Reads a record after a write whose response did not have it. */
async function readAfter(client: Client, write: Write): Promise<JsonObject | undefined> {
  return write.action === 'delete' || write.action === 'create' ? undefined : readRecord(client, write);
}

/**
 * Returns the organization that the service has created for a contact with `organization_id: auto`, which is as old as
 * the contact. An older one may have been created by somebody else.
 */
async function findNewOrganization(
  client: Client,
  { what, action, body }: Write,
  contact: JsonObject,
): Promise<JsonObject | undefined> {
  const { organization_id: id } = contact;
  const isAuto = what === 'contact' && action === 'create' && body.organization_id === 'auto';
  if (!isAuto || typeof id !== 'string') return undefined;
  const { value } = await client.record(organizations.get, { organization_id: id });
  return value.created_at === contact.created_at ? { ...value } : undefined;
}
