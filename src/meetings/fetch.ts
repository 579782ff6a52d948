import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import type { WireAnswer } from '../contract/grammar.ts';
import { memberOf, membersOf, type Sent, sentAs, unreadText } from '../contract/json-text.ts';
import { recordings as routes } from '../contract/recordings.ts';
import { requestFor } from '../contract/request.ts';

/** A recording that is done: its parts are read when they are looked at. */
export interface Fetched {
  readonly whole: Sent;
  readonly summary: Sent;
  readonly transcript: Sent;
  readonly status: string;
  readonly updated_at: string | null;
}

/** Fetches a recording. Of its answer nothing is read before it is needed. Throws as the client does, or `failed`. */
export async function fetched(client: Client, id: string): Promise<Fetched> {
  const request = requestFor(routes.get, { id });
  const answer = await client.send({ ...request, unread: true });
  try {
    const whole = recordIn(answer);
    const parts = new Map(membersOf(whole));
    const part = (name: string) => parts.get(name) ?? sentAs(null);
    if (!parts.has('id')) throw new Failure('failed', 'The answer is not a recording of this interface.');
    return {
      whole,
      summary: part('summary'),
      transcript: part('transcript'),
      status: String(part('status').value),
      updated_at: textIn(part('updated_at').value),
    };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('failed', `The recording ${id} cannot be read: its answer is no JSON.`, {
      cause: error,
    });
  }
}

function recordIn({ body, text }: WireAnswer): Sent {
  if (text === undefined) return unwrapped(sentAs(body));
  // Nobody reads it to its end, where it would show that it was cut.
  if (!text.trimEnd().endsWith('}')) throw new SyntaxError('cut');
  return unwrapped(unreadText(text));
}

const unwrapped = (sent: Sent) => memberOf(sent, 'data') ?? sent;

const textIn = (value: unknown) => (typeof value === 'string' ? value : null);
