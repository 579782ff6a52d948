import { Failure } from '../contract/errors.ts';
import { hashText } from '../values/hash.ts';

/** Returns the strong entity tag of a record's JSON. Loading node:crypto for a hash would take longer than a lookup. */
export function createEntityTag(json: string): string {
  const [first, second] = hashText(json);
  return `"${first}-${second}"`;
}

/** Checks the current version of a record before it is changed. @throws {Failure} `changed` */
export type Precondition = (record: object) => void;

const tagPattern = /(?:W\/)?"[^"]*"/g;

/**
 * Returns the check for the header If-Match (RFC 9110, 13.1.1); undefined if every version passes. A weak tag matches
 * no version.
 * @throws {Failure} `malformed` if the header is not a list of tags
 */
export function parseIfMatch(header: string | undefined): Precondition | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  if (/[^\s,]/.test(header.replaceAll(tagPattern, ''))) {
    const message = `Invalid If-Match header: ${header}. Send * or the ETag of the record with its quotes.`;
    throw new Failure('malformed', message);
  }
  const tags: readonly string[] = header.match(tagPattern) ?? [];
  return (record) => {
    if (tags.includes(createEntityTag(JSON.stringify(record)))) return;
    throw new Failure('changed', 'The record has changed since it was read.');
  };
}
