import type { PathNames, Route } from '../contract/grammar.ts';
import type { CommandInput } from './command.ts';

/** The path parameters of a route. */
export type Path<R extends Route> = Readonly<Record<PathNames<R['path']>, string>>;

/** Returns the name of the path parameter that is not a list. */
export const findIdName = (path: string) => /:(?!list_id\b)(\w+)/.exec(path)?.[1];

/** Returns the path parameters of a route from the arguments `list` and `id`. */
export function toPath<R extends Route>({ path }: R, { list, id }: CommandInput): Path<R> {
  const name = findIdName(path);
  // A path has no other parameters.
  return { ...(path.includes(':list_id') && { list_id: list }), ...(name && { [name]: id }) } as Path<R>;
}
