import { Failure } from '../../contract/errors.ts';
import type { WireRequest } from '../../contract/grammar.ts';

/** The target of an HTTP request. */
export interface RequestTarget extends Pick<WireRequest, 'path' | 'query'> {
  /** Path and query as they were sent. */
  readonly text: string;
}

/** Parses a request target: a path with an optional query, after a host or without. @throws {Failure} `malformed`. */
export function parseTarget(sent = ''): RequestTarget {
  const [, text = '', path = '', query = ''] =
    /^(?:https?:\/\/[^/?#]*)?((\/[^?#]*)(?:\?([^#]*))?)/i.exec(sent) ?? [];
  if (path === '')
    throw new Failure('malformed', `The request target is not a path: ${JSON.stringify(sent)}.`);
  return { text, path, query: query === '' ? [] : [...new URLSearchParams(query)] };
}
