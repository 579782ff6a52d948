import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import type { WireResponse } from '../contract/grammar.ts';
import { recordings as routes } from '../contract/recordings.ts';
import { requestFor } from '../contract/request.ts';
import { fieldsOf, plain } from '../render/fields.ts';
import { parseRawJson, parseRawObject, scanRawObject } from '../values/raw-json.ts';

/** A recording. Its parts are read when they are asked for; each throws `failed` where it cannot be. */
export interface Fetched {
  readonly status: string;
  readonly updated_at: string | null;
  /** All of it as it was sent; where it was fetched whole it is known to be JSON. */
  readonly text: () => string;
  readonly summary: () => unknown;
  readonly transcript: () => unknown;
}

/**
 * Fetches a recording. Of its answer nothing is read before it is needed, or all of it at once. Undefined where the
 * service has none. Throws as the client does, or `failed`.
 */
export async function fetched(client: Client, id: string, isWhole: boolean): Promise<Fetched | undefined> {
  const answer = await unlessGone(client.send({ ...requestFor(routes.get, { id }), unread: true }));
  if (!answer) return undefined;
  const readable = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new Failure('failed', `The recording ${id} cannot be read: its answer is no JSON.`, {
        cause: error,
      });
    }
  };
  const record = readable(() => recordIn(answer, isWhole));
  const member = (name: string) => readable(() => record?.member(name) ?? null);
  if (!record || member('id') === null) {
    throw new Failure('failed', `The recording ${id} cannot be read: its answer is no recording.`);
  }
  const updated_at = member('updated_at');
  return {
    status: plain(member('status')),
    updated_at: typeof updated_at === 'string' ? updated_at : null,
    summary: () => member('summary'),
    transcript: () => member('transcript'),
    text: record.text,
  };
}

/** What a service answers; undefined where it says that it has it no more. */
export async function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Failure && [404, 410].includes(error.status)) return undefined;
    throw error;
  }
}

/** A recording in an answer, its members read one by one. */
interface SentRecording {
  readonly text: () => string;
  readonly member: (name: string) => unknown;
}

/** The record that an answer holds, bare or as `{data: record}`; undefined where it holds none. */
function recordIn({ body, text }: WireResponse, isWhole: boolean): SentRecording | undefined {
  if (text === undefined) {
    const value = fieldsOf(fieldsOf(body).data ?? body);
    return { text: () => JSON.stringify(value), member: (name) => value[name] };
  }
  if (isWhole) {
    const found = parseRawObject(text, 'data');
    const values = fieldsOf(found?.value);
    return found && { text: () => found.text, member: (name) => values[name] };
  }
  const found = scanRawObject(text, 'data');
  return (
    found && {
      text: () => found.text,
      member: (name) => parseRawJson(found.members.get(name) ?? 'null').value,
    }
  );
}
