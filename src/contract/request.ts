import { Failure } from './errors.ts';
import type { Route, WireRequest } from './grammar.ts';

/** Where a route puts what it is given: into the path, the query or the body. */
export function buildRequest(route: Route, input: Readonly<Record<string, unknown>>): WireRequest {
  const rest = { ...input };
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const id = String(rest[name] ?? '');
    delete rest[name];
    // "." and ".." would be taken as a walk through the path, "" as the list; half a letter has no encoding.
    if (/^\.{0,2}$/.test(id) || !id.isWellFormed()) throw new Failure('usage', `"${id}" is not an id.`);
    return encodeURIComponent(id);
  });
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    method: route.method,
    path,
    query: route.body ? [] : given.map(([name, value]) => [name, String(value)]),
    ...(route.body && { body: Object.fromEntries(given) }),
  };
}
