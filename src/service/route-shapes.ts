import type { Route } from '../contract/grammar.ts';
import { contract } from '../contract/index.ts';

/** `/v1/COLLECTION/ID/COLLECTION/ID`, of which only the first collection is required. */
const pathPattern = /^(\/v1\/[^/]+)(?:\/([^/]+)(\/[^/]+)?(?:\/([^/]+))?)?$/;

/** The shape of a path, such as `/v1/lists/:/entries/:`, and the texts in the place of its parameters. */
interface ParsedPath {
  readonly shape: string;
  readonly parameters: readonly string[];
}

/** Splits a path into its shape and its parameters. The shape of a path that no route can have is the path. */
export function parsePath(path: string): ParsedPath {
  const [, collection, id, part = '', partId] = pathPattern.exec(path) ?? [];
  if (collection === undefined || id === undefined) return { shape: path, parameters: [] };
  const shape = `${collection}/:${part}`;
  return partId === undefined
    ? { shape, parameters: [id] }
    : { shape: `${shape}/:`, parameters: [id, partId] };
}

/** The paths of the contract by their shape. */
const patterns = new Map(
  Object.values(contract)
    .flatMap((resource) => Object.values<Route>(resource))
    .map(({ path }) => [parsePath(path).shape, path]),
);

/** Returns the path of the contract that a path matches: `/v1/contacts/c1` -> `/v1/contacts/:contact_id`. */
export const findPattern = (path: string): string | undefined => patterns.get(parsePath(path).shape);
