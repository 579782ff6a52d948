import type { Route } from '../contract/grammar.ts';
import { contract } from '../contract/index.ts';

/** A path of the contract, and the values of its parameters, still percent-encoded. */
export interface PathMatch {
  /** `/v1/contacts/:contact_id`; undefined if the contract has no such path. */
  readonly pattern: string | undefined;
  readonly values: readonly string[];
}

/** `/v1/COLLECTION/ID/COLLECTION/ID`, of which only the first collection is required. */
const pathPattern = /^(\/v1\/[^/]+)(?:\/([^/]+)(\/[^/]+)?(?:\/([^/]+))?)?$/;

export function matchPath(path: string): PathMatch {
  const { shape, values } = splitPath(path);
  return { pattern: patterns.get(shape), values };
}

/** Splits a path into its shape, such as `/v1/lists/:/entries/:`, and its values. Unknown paths are returned as shape. */
function splitPath(path: string) {
  const [, collection, id, part = '', partId] = pathPattern.exec(path) ?? [];
  if (collection === undefined || id === undefined) return { shape: path, values: [] };
  const shape = `${collection}/:${part}`;
  return partId === undefined ? { shape, values: [id] } : { shape: `${shape}/:`, values: [id, partId] };
}

/** The paths of the contract by their shape. */
const patterns = new Map(
  Object.values(contract)
    .flatMap((resource) => Object.values<Route>(resource))
    .map(({ path }) => [splitPath(path).shape, path]),
);
