import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import { memberOf, membersOf, type Sent, sentAs, sentText, unreadText } from '../contract/json-text.ts';
import { recordings as routes } from '../contract/recordings.ts';
import { requestFor } from '../contract/request.ts';
import { plain } from '../output/columns.ts';

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
 * Fetches a recording. Of its answer nothing is read before it is needed, or all of it at once. Throws as the client
 * does, or `failed`.
 */
export async function fetched(client: Client, id: string, isWhole: boolean): Promise<Fetched> {
  const { body, text } = await client.send({ ...requestFor(routes.get, { id }), unread: true });
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
  const readText = isWhole ? sentText : unreadText;
  const whole = readable(() => unwrapped(text === undefined ? sentAs(body) : readText(text)));
  const members = readable(() => new Map(membersOf(whole)));
  if (!members.has('id')) {
    throw new Failure('failed', `The recording ${id} cannot be read: its answer is no recording.`);
  }
  const member = (name: string) => readable(() => members.get(name)?.value ?? null);
  const updated_at = member('updated_at');
  return {
    status: plain(member('status')),
    updated_at: typeof updated_at === 'string' ? updated_at : null,
    summary: () => member('summary'),
    transcript: () => member('transcript'),
    text: () => whole.text,
  };
}

const unwrapped = (sent: Sent) => memberOf(sent, 'data') ?? sent;
