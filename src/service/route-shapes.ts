import type { Route } from '../contract/grammar.ts';
import { contract } from '../contract/index.ts';

/** Returns the segments of a path without its parameters: `/v1/lists/:list_id/entries` -> `/v1/lists/:/entries`. */
export const readShape = (segments: readonly string[]): string =>
  segments.map((text, index) => (isParameter(index) && text !== '' ? ':' : text)).join('/');

/** Whether the segment at an index is a parameter. After `/v1`, names of collections and ids take turns. */
export const isParameter = (index: number): boolean => index > 2 && index % 2 === 1;

/** The paths of the contract by their shape. */
const patterns = new Map(
  Object.values(contract)
    .flatMap((resource) => Object.values<Route>(resource))
    .map(({ path }) => [readShape(path.split('/')), path]),
);

/** Returns the path of the contract that a path matches: `/v1/contacts/c1` -> `/v1/contacts/:contact_id`. */
export const findPattern = (path: string): string | undefined => patterns.get(readShape(path.split('/')));
