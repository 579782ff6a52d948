import { Failure } from '../../contract/errors.ts';
import type { WireRequest } from '../../contract/grammar.ts';

/** Parses a request target: a path with an optional query, after a host or without. @throws {Failure} `malformed`. */
export function parseTarget(sent = ''): Pick<WireRequest, 'path' | 'query'> {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?#]*)?(\/[^?#]*)(?:\?([^#]*))?/i.exec(sent) ?? [];
  if (path === '')
    throw new Failure('malformed', `The request target is not a path: ${JSON.stringify(sent)}.`);
  return { path, query: query === '' ? [] : [...new URLSearchParams(query)] };
}
