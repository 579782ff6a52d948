import type { PathNames, Route } from '../contract/grammar.ts';
import type { Session } from './context.ts';
import type { FlagReference } from './flags/references.ts';
import { withListId, withRecordId } from './references/record-ids.ts';

/** The path parameters of a route. */
export type Path<R extends Route> = Readonly<Record<PathNames<R['path']>, string>>;

/** Returns the name of the path parameter that is not a list. */
export const findIdName = (path: string) => /:(?!list_id\b)(\w+)/.exec(path)?.[1];

/** Returns the path parameters of a record by its id; the path of a new record has none. */
export function toPath<R extends Route>({ path }: R, id: unknown): Path<R> {
  const name = findIdName(path);
  return (name === undefined ? {} : { [name]: id }) as Path<R>; // the path has no other parameter
}

/** The route that a command calls for a record, and the kind of reference that names the record. */
interface Target<R extends Route> {
  readonly route: R;
  readonly reference?: FlagReference | undefined;
  readonly isWrite?: boolean;
}

/** Calls a function with the path parameters that the arguments `list` and `id` name. */
export function withPath<R extends Route, T>(
  session: Session,
  { route, reference, isWrite = false }: Target<R>,
  { list, id }: Readonly<Record<string, unknown>>,
  call: (path: Path<R>) => Promise<T>,
): Promise<T> {
  const callWith = (parent: { readonly list_id?: string }) => {
    const callWithId = (one: unknown) => call({ ...parent, ...toPath(route, one) });
    return typeof id === 'string'
      ? withRecordId(session, { kind: reference, ...parent }, id, callWithId)
      : callWithId(id);
  };
  return typeof list === 'string' && route.path.includes(':list_id')
    ? withListId(session, list, (list_id) => callWith({ list_id }), { isWrite })
    : callWith({});
}
