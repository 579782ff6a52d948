import type { Client } from '../client/client.ts';
import type { PagingOptions } from '../client/pagination.ts';
import type { Input, PathNames, Route } from '../contract/grammar.ts';
import type { RouteRecord } from '../contract/received.ts';
import type { View } from '../render/views.ts';
import type { RawJson } from '../values/raw-json.ts';
import { type AnyCommand, type CommandResult, defineCommand } from './command.ts';
import type { Session } from './context.ts';
import type { ImportModel } from './print/import-model.ts';
import { deleteRecords, describeDeletePrompt, describeRecord } from './writing.ts';

/** A noun whose records are listed, shown and deleted by their ids. */
interface RecordNoun<L extends Route, G extends Route, D extends Route> {
  /** The noun of one record: `contact`. */
  readonly what: string;
  readonly routes: { readonly list: L; readonly get: G; readonly delete: D };
  /** The path parameter of the id. */
  readonly idName: PathNames<G['path']> & PathNames<D['path']>;
  readonly view: View;
  readonly importModel?: ImportModel;
  readonly examples: Readonly<Record<'list' | 'get' | 'delete', readonly string[]>>;
  readonly deletion: {
    readonly summary: string;
    /** Returns the name of a record for the confirmation prompt. */
    readonly getName: (record: RouteRecord<G>) => unknown;
    /** What is deleted with it: `, with its values`. */
    readonly suffix?: string;
  };
}

/** Defines the commands that list records, show one, and delete several. */
export function defineRecordCommands<L extends Route, G extends Route, D extends Route>({
  what,
  routes,
  idName,
  view,
  importModel,
  examples,
  deletion,
}: RecordNoun<L, G, D>): Readonly<Record<'list' | 'get' | 'remove', AnyCommand>> {
  const id = { summary: `${what.charAt(0).toUpperCase()}${what.slice(1)} ID` };
  const toInput = (id: string) => ({ [idName]: id }) as Input<G> & Input<D>; // the paths have this parameter
  return {
    list: defineCommand({
      name: 'list',
      summary: routes.list.summary,
      paging: 'list',
      examples: examples.list,
      async run(session) {
        const batches = (await session.client()).pages(
          routes.list,
          {} as Input<L>,
          await readPaging(session),
        );
        return { kind: 'records', view, batches, importModel };
      },
    }),
    get: defineCommand({
      name: 'get',
      summary: routes.get.summary,
      args: { id },
      examples: examples.get,
      run: (session, { id }) => showRecord(session, routes.get, toInput(id), view, importModel),
    }),
    remove: defineCommand({
      name: 'delete',
      summary: deletion.summary,
      isWrite: true,
      describeInteraction: describeDeletePrompt,
      args: { id: { ...id, isRepeatable: true } },
      examples: examples.delete,
      run: (session, { id }) =>
        deleteRecords(session, {
          what,
          ids: id,
          route: routes.delete,
          params: toInput,
          named: async (id) => {
            const record = await (await session.client()).read(routes.get, toInput(id));
            const name = deletion.getName(record as RouteRecord<G>); // only a write may return null
            return `${await describeRecord(id, name)}${deletion.suffix ?? ''}`;
          },
        }),
    }),
  };
}

/** Returns the page size and limit of a list, as the flags set them. */
export async function readPaging({
  globals,
  preferences,
}: Session): Promise<Pick<PagingOptions, 'size' | 'limit'>> {
  const { limit, pageSize } = await preferences();
  return { size: pageSize, limit: globals.all ? undefined : limit };
}

/** Reads one record of a route. */
export async function showRecord<R extends Route>(
  session: Session,
  route: R,
  input: Input<R>,
  view: View,
  importModel?: ImportModel,
): Promise<CommandResult> {
  const record = await (await session.client()).record(route, input);
  return { kind: 'record', record, view, importModel };
}

/** Reads a list to its end, record by record. */
export async function* iterateRecords<R extends Route>(
  client: Client,
  route: R,
  input: Omit<Input<R>, 'first' | 'after'>,
  paging?: Partial<PagingOptions>,
): AsyncGenerator<RawJson<RouteRecord<R>>> {
  for await (const { records } of client.pages(route, input, paging)) yield* records;
}
