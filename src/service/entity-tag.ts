import { Failure } from '../contract/errors.ts';
import type { WireRequest, WireResponse } from '../contract/grammar.ts';
import { hashText } from '../values/hash.ts';
import { readObject } from '../values/json-object.ts';
import { truncateValue } from '../values/text.ts';

/** The fields whose names and types come from other records: id -> name, type and value. */
const valueMaps = ['custom_fields', 'list_fields'];

/**
 * Returns the strong entity tag of a record: `"STORED"`, or `"STORED.FIELDS"` for a record with defined fields. The
 * first part changes with the stored values, the second with the names and types of the fields.
 */
export function createEntityTag(record: object): string {
  const stored: Record<string, unknown> = { ...record };
  const fields: unknown[] = [];
  for (const name of valueMaps) {
    if (stored[name] === undefined) continue;
    const members = Object.entries(readObject(stored[name])).map(
      ([id, field]) => [id, readObject(field)] as const,
    );
    stored[name] = members.flatMap(([id, { value }]) => (value === null ? [] : [[id, value]]));
    fields.push(members.map(([id, { value: _, ...definition }]) => [id, definition]));
  }
  const parts = fields.length > 0 ? [stored, fields] : [stored];
  return createTextTag(...parts.map((part) => JSON.stringify(part)));
}

/** Returns the strong entity tag of texts. Loading node:crypto for a hash would take longer than a lookup. */
export function createTextTag(...texts: readonly string[]): string {
  const format = (half: number) => half.toString(16).padStart(8, '0');
  return `"${texts.map((text) => hashText(text).map(format).join('')).join('.')}"`;
}

/** Returns the tag of a compressed response. */
export const addEncoding = (tag: string, encoding: 'br' | 'gzip') => tag.replace(/"$/, `-${encoding}"`);

const toStrongTag = (tag: string) => tag.replace(/^W\//, '');

/** Returns the strong tag of the same response without compression. */
const toPlainTag = (tag: string) => toStrongTag(tag).replace(/-(?:br|gzip)"$/, '"');

/** Returns the part of a tag that changes with the stored values. */
const readStoredPart = (tag: string) => toPlainTag(tag).replace(/\..*/, '"');

const tagPattern = /(?:W\/)?"[^"]*"/g;

/** Parses a list of tags. @throws {Failure} `malformed` */
function parseTags(name: string, header: string | undefined): readonly string[] | '*' | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  if (!/[^\s,]/.test(header.replaceAll(tagPattern, ''))) return header.match(tagPattern) ?? [];
  const message = `Invalid ${name} header: ${truncateValue(header)}. Send * or the ETag of the record with its quotes.`;
  throw new Failure('malformed', message);
}

type Conditions = Pick<WireRequest, 'ifMatch' | 'ifNoneMatch'>;

/**
 * Parses the headers If-Match and If-None-Match (RFC 9110, 13.1). `find` returns the matching tag of If-None-Match, and
 * throws `changed` if no tag of If-Match matches. Returns undefined if there is no condition.
 * @throws {Failure} `malformed` if a header is not a list of tags
 */
function parseConditions({ ifMatch, ifNoneMatch }: Conditions) {
  const required = parseTags('If-Match', ifMatch);
  const excluded = parseTags('If-None-Match', ifNoneMatch);
  if ((required === undefined || required === '*') && excluded === undefined) return undefined;
  /** `tag`: of the current version. */
  return (tag: string): string | undefined => {
    if (Array.isArray(required)) {
      // A weak tag matches no version.
      const isCurrent = (other: string) =>
        other.startsWith('"') && readStoredPart(other) === readStoredPart(tag);
      if (!required.some(isCurrent))
        throw new Failure('changed', 'The record has changed since it was read.');
    }
    if (excluded === '*') return tag;
    return excluded?.find((other) => toPlainTag(other) === tag);
  };
}

/** Checks the current version of a record before it is changed. @throws {Failure} `changed` */
export type Precondition = (record: object) => void;

/** Returns the check of a request that changes a record. @throws {Failure} `malformed` */
export function parsePrecondition(conditions: Conditions): Precondition | undefined {
  const match = parseConditions(conditions);
  if (!match) return undefined;
  return (record) => {
    if (match(createEntityTag(record)) !== undefined)
      throw new Failure('changed', 'The record has a version that If-None-Match excludes.');
  };
}

/**
 * Returns the response to a read, or 304 with the tag that the client has, which may be that of a compressed response.
 * Conditions do not apply to a response without a tag.
 * @throws {Failure} `changed` if If-Match names another version, `malformed`
 */
export function applyConditions(response: WireResponse, conditions: Conditions): WireResponse {
  const { etag } = response.headers;
  const matched = etag === undefined ? undefined : parseConditions(conditions)?.(etag);
  if (matched === undefined) return response;
  return { status: 304, headers: { ...response.headers, etag: toStrongTag(matched) }, body: undefined };
}
