import * as v from 'valibot';
import { cleanEnds } from '../values/clean-text.ts';
import { isObject } from '../values/json-object.ts';
import { describeUnknownField } from '../values/names.ts';
import { formatInteger, quote, truncateValue } from '../values/text.ts';
import { Failure } from './errors.ts';
import { createFieldErrors, type FieldPath, formatPointer, isWithin } from './field-errors.ts';
import {
  createClosedObject,
  type FieldSchemas,
  maxTextBytes,
  type Route,
  type WireRequest,
} from './grammar.ts';

type Json = Record<string, unknown>;

/**
 * Validates and converts the query parameters of a request.
 * @throws {Failure} `malformed` for one that is unknown, repeated, or of the wrong type
 */
export function validateQuery(route: Route, query: WireRequest['query']): Json {
  const fields: FieldSchemas = route.query ?? {};
  const input: Json = {};
  for (const [name, text] of query) {
    const schema = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!schema) {
      const validNames = Object.keys(fields).join(', ');
      const hint =
        validNames === '' ? 'This path has no query parameters' : `Valid parameters: ${validNames}`;
      throw new Failure('malformed', `Unknown query parameter ${quote(name)}. ${hint}.`);
    }
    const fail = (problem: string) => new Failure('malformed', `Query parameter "${name}" ${problem}.`);
    if (Object.hasOwn(input, name)) throw fail('is repeated');
    if (!isStorable(text)) throw fail(mustBeStorable);
    const value = v.is(schema, text) || !/^[+-]?\d{1,15}$/.test(text) ? text : Number(text);
    const { issues } = v.safeParse(schema, value);
    if (issues) throw fail(`${describeRequirement(issues[0])}, not ${quote(text)}`);
    input[name] = value;
  }
  return input;
}

/**
 * Validates the form of a request body. Texts lose invisible characters at their ends. Invalid values are removed from the input, which leaves holes in arrays, so that
 * the handler can check the rest and one response reports all errors. `ignoredPointers` are JSON pointers to the unknown keys,
 * which a lenient service ignores.
 */
export function validateBody(route: Route, body: unknown, isLenient = false) {
  const errors = createFieldErrors();
  if (!route.body && body === undefined) return { input: {}, errors, ignoredPointers: new Set<string>() };
  if (!isObject(body)) throw new Failure('malformed', 'The body must be a JSON object.');
  const unstorable = findUnstorable(body, []);
  const cleanBody = cleanTexts(body);
  const input = structuredClone(cleanBody) as Json;
  const { issues } = v.safeParse(createClosedObject(route.body ?? {}), cleanBody);
  const mismatches = (issues ?? []).map((issue): InvalidValue => {
    const place = readIssuePath(issue);
    return { place, ...describeIssue(issue, place) };
  });
  const invalid = [...unstorable, ...mismatches];
  const unknownKeys = isLenient ? invalid.filter(({ code }) => code === 'unknown') : [];
  const ignoredPointers = new Set(unknownKeys.map(({ place }) => formatPointer(place)));
  for (const { place, code, message } of invalid) {
    if (ignoredPointers.size > 0 && isWithin(place, ignoredPointers)) removeKey(input, place);
    else {
      errors.add(place, code, message);
      removeInvalid(input, place);
    }
  }
  if (!route.body) errors.raise(); // a handler without a body does not raise them
  return { input, errors, ignoredPointers };
}

/** Copies a JSON value, with clean ends of all its texts. */
function cleanTexts(value: unknown): unknown {
  if (typeof value === 'string') return cleanEnds(value);
  if (Array.isArray(value)) return value.map(cleanTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cleanTexts(item)]));
}

/** The maximum size of a request body in bytes, over HTTP and in this process. */
export const maxBody = 1024 * 1024;

/** Refuses a body over the limit. @throws {Failure} `too_large` */
export function checkBodySize({ body, text }: Pick<WireRequest, 'body' | 'text'>): void {
  if (body === undefined || Buffer.byteLength(text ?? JSON.stringify(body)) <= maxBody) return;
  throw createBodyTooLarge();
}

/** The failure of a body over the limit. */
export const createBodyTooLarge = () =>
  new Failure('too_large', `The body must have at most ${maxBody} bytes.`);

/** Keys that valibot ignores silently. */
const reservedNames = ['__proto__', 'constructor', 'prototype'];

/** The maximum depth of a body. The contract itself needs four. */
const maxDepth = 50;
/** The maximum number of items in an array. Each costs at least one query, and a request must not take minutes. */
const maxItems = 1000;

interface InvalidValue {
  readonly place: FieldPath;
  readonly code: string;
  readonly message: string | (() => string);
}

/**
 * Finds values that JSON allows and no record can store.
 * @throws {Failure} `malformed` for a body that is nested too deeply, `invalid` for one with too many items
 */
function findUnstorable(value: unknown, place: FieldPath): InvalidValue[] {
  const problem = typeof value === 'string' ? findTextProblem(value) : undefined;
  if (problem !== undefined) return [{ place, code: 'value', message: `${formatPlace(place)} ${problem}.` }];
  if (typeof value !== 'object' || value === null) return [];
  if (place.length === maxDepth)
    throw new Failure('malformed', `The body is nested more than ${maxDepth} levels deep.`);
  const parts = Object.entries(value);
  const childProblems = parts.flatMap(([key, part]) => {
    const childPlace = [...place, Array.isArray(value) ? Number(key) : key];
    const inside = findUnstorable(part, childPlace);
    return reservedNames.includes(key)
      ? [{ place: childPlace, code: 'unknown', message: `Unknown field ${quote(key)}.` }]
      : inside;
  });
  if (parts.length > maxItems) {
    const message = `${formatPlace(place) || 'The body'} must have at most ${maxItems} items.`;
    const errors = createFieldErrors();
    errors.add(place, 'value', message);
    errors.raise();
  }
  return childProblems;
}

/** Returns what is wrong with a text in a body, as the end of a sentence. */
function findTextProblem(text: string): string | undefined {
  if (!isStorable(text)) return mustBeStorable;
  const limit = `must have at most ${formatInteger(maxTextBytes)} bytes of UTF-8`;
  return Buffer.byteLength(text) > maxTextBytes ? limit : undefined;
}

const formatPlace = (place: FieldPath) => place.map(String).map(truncateValue).join('.');

/** Whether a database stores a text unchanged: without U+0000 and unpaired surrogates. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

const mustBeStorable = 'must not contain U+0000 or unpaired surrogates';

/** Removes an invalid value: a field of the body, or the whole array item that contains it. */
function removeInvalid(input: Json, place: FieldPath): void {
  const lastIndex = place.findLastIndex((key) => typeof key === 'number');
  removeKey(input, place.slice(0, Math.max(lastIndex, 0) + 1));
}

function removeKey(input: Json, place: FieldPath): void {
  let holder: unknown = input;
  for (const key of place.slice(0, -1)) holder = (holder as Json | undefined)?.[key];
  if (typeof holder === 'object' && holder !== null) Reflect.deleteProperty(holder, place.at(-1) ?? '');
}

/** Returns the path of an issue in a JSON value. */
export function readIssuePath({ path }: v.BaseIssue<unknown>): (string | number)[] {
  return (path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
}

/** Returns the code of an issue, and the function that describes it in a sentence: a body may have very many issues. */
export function describeIssue(issue: v.BaseIssue<unknown>, place: FieldPath) {
  if (issue.type === 'raw_check') {
    const describe = () => describeUnknownField(String(place.at(-1)), issue.expected?.split(' ') ?? []);
    return { code: 'unknown', message: describe };
  }
  if (issue.kind === 'schema' && issue.received === 'undefined') {
    return { code: 'required', message: () => `${formatPlace(place)} is required.` };
  }
  const code = issue.kind === 'schema' && issue.type !== 'picklist' ? 'type' : 'value';
  return { code, message: () => `${formatPlace(place)} ${describeRequirement(issue)}.` };
}

/** Describes a valid value, as the end of a sentence. */
const describeRequirement = (issue: v.BaseIssue<unknown>) =>
  requirements[issue.type]?.(issue) ?? 'must be an object';

/** Descriptions of valid values, by the type of an issue. */
const requirements: Readonly<Partial<Record<string, (issue: v.BaseIssue<unknown>) => string>>> = {
  picklist: ({ expected }) => `must be one of ${expected?.replaceAll(/[("")]/g, '').replaceAll(' | ', ', ')}`,
  integer: () => 'must be a whole number',
  min_value: ({ requirement }) => `must be ${requirement} or more`,
  max_value: ({ requirement }) => `must be at most ${requirement}`,
  min_length: ({ requirement }) =>
    requirement === 1 ? 'must not be empty' : `must have ${requirement} characters or more`,
  max_length: ({ requirement }) => `must have at most ${requirement} characters`,
  number: () => 'must be a number',
  boolean: () => 'must be true or false',
  array: () => 'must be an array',
  string: () => 'must be a string',
};
