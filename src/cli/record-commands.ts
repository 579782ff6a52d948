import type { Batch, PagingOptions } from '../client/pagination.ts';
import type { Input, Route } from '../contract/grammar.ts';
import { lists } from '../contract/lists.ts';
import type { RouteRecord } from '../contract/received.ts';
import { singularNouns } from '../contract/singular-nouns.ts';
import type { FilteredNoun } from '../filter/noun-fields.ts';
import { views } from '../render/views.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import type { RawJson } from '../values/raw-json.ts';
import type { EditTarget } from './ask/edit-record.ts';
import type {
  AnyCommand,
  Arguments,
  ArgumentValues,
  Command,
  CommandInput,
  CommandResult,
} from './command.ts';
import type { Session } from './context.ts';
import { defineEditCommand } from './edit-command.ts';
import { type Body, dataOption, mergeBody, readData } from './flags/body.ts';
import { fieldChangeOptions, resolveFieldChanges } from './flags/field-changes.ts';
import { fieldOption, hasDefinedFields } from './flags/field-values.ts';
import { flagName, hasFlags, type Options, type OptionValues } from './flags/options.ts';
import { findReference, idArgument, referenceArgument } from './flags/references.ts';
import { requiresChange } from './flags/rules.ts';
import { createSelectionOptions, readSelection, type Shortcut } from './flags/selection.ts';
import { isInteractive } from './interaction.ts';
import type { WrittenNoun } from './record-labels.ts';
import { findIdName, type Path, toPath, withPath } from './record-paths.ts';
import { noMatchNote, noteIfEmpty, readFirst, readLimit, showRecord } from './records.ts';
import { entryArgument, listArgument, resolveNames, withRecordId } from './references/record-ids.ts';
import { deleteRecords, describeDeletePrompt, type IdResolver, writeRecord } from './writing.ts';

/** A command that sends a body. Its arguments follow those that name the record. */
interface Write<R extends Route, A extends Arguments, O extends Options>
  extends Pick<
    Command<A, O>,
    'description' | 'args' | 'options' | 'rules' | 'examples' | 'describeInteraction'
  > {
  readonly name?: string;
  /**
   * Returns the body, if it is not just `fields`: the values of flags that set a field, custom field or list field.
   * `data` is the value of --data. Called for each path to try, if a list is named.
   */
  body?(
    session: Session,
    input: ArgumentValues<A> & OptionValues<O> & { readonly data: Body | undefined },
    request: { readonly path: Path<R>; readonly fields: Body },
  ): Body | Promise<Body>;
  /** Opens an editor for fields that the flags lack, and passes them to `write`; undefined if they lack none. */
  edit?(
    session: Session,
    input: OptionValues<O> & { readonly data?: unknown },
    write: (fields: Body) => Promise<CommandResult>,
  ): Promise<CommandResult> | undefined;
  onWritten?(session: Session, record: RawJson<RouteRecord<R> | null>): Promise<void>;
}

/** What all commands that create, or that update, have in common. */
interface CommonParts extends Pick<Command, 'isCreateOnly' | 'hasForm' | 'options'> {
  /** Reads the custom fields or list fields that the flags set. */
  readonly readFields?: (session: Session, input: CommandInput, path: JsonObject) => Promise<Body>;
}

type PageObserver<R extends Route> = (
  session: Session,
  pages: AsyncIterable<Batch<RouteRecord<R>>>,
) => AsyncIterable<Batch>;

interface Listing<R extends Route> extends Pick<Command, 'description' | 'examples'> {
  /** The flags for one comparison that it has. */
  readonly shortcuts?: readonly Shortcut[];
  /** Passes the pages on. */
  readonly observe?: PageObserver<R>;
}

interface Deletion<G extends Route> extends Pick<Command, 'summary' | 'examples'> {
  /** Returns the name of a record without a name field. */
  readonly readName?: (session: Session, record: RouteRecord<G>) => Promise<string>;
}

/** Returns functions that define the commands of a noun whose records are read and written by routes. */
export function defineRecordCommands<
  const R extends Readonly<Record<'list' | 'get' | 'create' | 'update' | 'delete', Route>>,
>(noun: FilteredNoun & WrittenNoun, routes: R) {
  const command = flagName(noun).slice(2); // `customFields` is typed as `custom-fields`
  const what = singularNouns[noun];
  const view = views[noun];
  /** The kind of reference that names a record, if it has more than an id. Such records can be imported. */
  const reference = findReference(noun);
  const id = reference
    ? referenceArgument(reference)
    : what === 'entry'
      ? entryArgument
      : idArgument(what, noun);

  /** Returns the arguments for the path of a route: a list by its id or name, any other record by its id. */
  const pathArguments = ({ path }: Route): Arguments => ({
    ...(path.includes(':list_id') && { list: listArgument }),
    ...(findIdName(path) && { id }),
  });

  function defineWrite<W extends Route, A extends Arguments, O extends Options>(
    name: string,
    route: W,
    { args, options, body, edit, onWritten, ...definition }: Write<W, A, O>,
    { readFields, ...common }: CommonParts = {},
  ): AnyCommand {
    const allOptions: Options = { ...options, ...common.options };
    const allArguments: Arguments = { ...pathArguments(route), ...args };
    return {
      name,
      summary: route.summary,
      isWrite: true,
      ...definition,
      ...common,
      options: allOptions,
      args: allArguments,
      async run(session, input) {
        const data = await readData(session, input.data);
        const hasForm = common.hasForm && !hasFlags(allOptions, input) && isInteractive(session);
        return withPath(session, { route, reference, isWrite: true }, input, async (path) => {
          const buildBody = async (input: CommandInput, data: Body | undefined) => {
            const values = { ...input, data } as ArgumentValues<A> & OptionValues<O> & { data: typeof data }; // as parsed
            const flags = Object.entries(options ?? {});
            const fields = {
              ...Object.fromEntries(
                flags.flatMap(([name, { field }]) => (field ? [[field, input[name]]] : [])),
              ),
              ...(await readFields?.(session, input, path)),
            };
            return mergeBody(data, body ? await body(session, values, { path, fields }) : fields);
          };
          const write = async (body: Body) => {
            const result = await writeRecord(session, noun, route, path, body);
            if (result.kind === 'record') await onWritten?.(session, result.record);
            return result;
          };
          if (!hasForm) {
            const parsed = input as ArgumentValues<A> & OptionValues<O>; // as parsed
            const writeEdited = async (fields: Body) =>
              write({ ...(await buildBody(input, data)), ...fields });
            return edit?.(session, parsed, writeEdited) ?? write(await buildBody(input, data));
          }
          const { createFromForm } = await import('./ask/create-form.ts');
          const passedArguments = Object.keys(allArguments).flatMap((name) =>
            [input[name] ?? []].flat().map(String),
          );
          return createFromForm(session, {
            noun,
            command: [command, definition.name ?? name],
            passedArguments,
            path,
            options: allOptions,
            buildBody: async (answers) => buildBody(answers, await readData(session, answers.data)),
            write,
          });
        });
      },
    };
  }

  /** Reads the record that the arguments name, to edit it. */
  const readTarget = (session: Session, input: CommandInput, verb: string): Promise<EditTarget> =>
    withPath(session, { route: routes.get, reference, isWrite: true }, input, async (path) => {
      const record = await (await session.client()).record(routes.get, path);
      const { profile } = session.globals;
      const flags = profile === undefined ? [] : ['--profile', profile];
      const words = ['kith', command, verb, ...Object.values<string>(path), ...flags];
      return { noun, routes, path, record, words };
    });

  return {
    list: ({ shortcuts, observe, ...definition }: Listing<R['list']>): AnyCommand => ({
      name: 'list',
      summary: routes.list.summary,
      paging: 'list',
      isWatchable: true,
      args: pathArguments(routes.list),
      options: createSelectionOptions(shortcuts),
      ...definition,
      run: (session, input) =>
        withPath(session, { route: routes.list }, input, async (path) => {
          const client = await session.client();
          const readPages = (paging: Partial<PagingOptions>) => {
            const pages = client.pages<R['list']>(routes.list, path as Input<R['list']>, paging);
            return observe ? observe(session, pages) : pages;
          };
          const selection = readSelection(createSelectionOptions(shortcuts), input);
          const selected = selection
            ? await (await import('./selection/noun-records.ts')).selectNounRecords(
                session,
                { noun, path },
                selection,
                readPages,
              )
            : readPages({ limit: await readLimit(session) });
          // With the first page, withListId learns whether the list exists.
          const batches = 'list_id' in path ? (await readFirst(selected)).batches : selected;
          const note = selection
            ? noMatchNote
            : `The list is empty. To add a record, see: kith ${command} ${noun === 'entries' ? 'add' : 'create'} --help`;
          return {
            kind: 'records',
            view,
            batches: noteIfEmpty(session, batches, note),
            importModel: reference,
          };
        }),
    }),
    get: (examples: readonly string[]): AnyCommand => ({
      name: 'get',
      summary: routes.get.summary,
      args: pathArguments(routes.get),
      examples,
      run: (session, input) =>
        withPath(session, { route: routes.get, reference }, input, (path) =>
          showRecord(session, routes.get, path as Input<R['get']>, view, reference),
        ),
    }),
    create: <const A extends Arguments, O extends Options>(definition: Write<R['create'], A, O>) =>
      defineWrite('create', routes.create, definition, {
        isCreateOnly: true,
        hasForm: true,
        options: { ...(hasDefinedFields(noun) && { field: fieldOption }), data: dataOption },
        readFields: (session, input, path) => resolveFieldChanges(session, { noun, path }, input),
      }),
    /** `edit`: opens an editor in a terminal if there is no flag. */
    update: <O extends Options>(
      { rules = [], ...definition }: Write<R['update'], Arguments, O>,
      edit?: (session: Session, readTarget: () => Promise<EditTarget>) => Promise<CommandResult>,
    ): AnyCommand => {
      const update = defineWrite(
        'update',
        routes.update,
        { ...definition, rules: [...rules, requiresChange] },
        {
          options: { ...(hasDefinedFields(noun) && fieldChangeOptions), data: dataOption },
          readFields(session, input, path) {
            const read = async () => (await (await session.client()).record(routes.get, path)).value;
            return resolveFieldChanges(session, { noun, path, read }, input);
          },
        },
      );
      if (!edit) return update;
      const run: AnyCommand['run'] = (session, input) =>
        hasFlags(update.options ?? {}, input)
          ? update.run(session, input)
          : edit(session, () => readTarget(session, input, 'update'));
      return { ...update, hasForm: true, run };
    },
    edit: (
      examples: readonly string[],
      { removal, onWritten }: { removal?: Route; onWritten?: EditTarget['onWritten'] } = {},
    ) =>
      defineEditCommand(
        { what, command, args: pathArguments(routes.update), examples },
        async (session, input) => ({
          ...(await readTarget(session, input, 'edit')),
          routes: { ...routes, removal },
          onWritten,
        }),
      ),
    /** Defines another write to a record. */
    write: defineWrite,
    remove: ({ summary, examples, readName }: Deletion<R['get']>): AnyCommand => ({
      name: 'delete',
      summary,
      isWrite: true,
      describeInteraction: describeDeletePrompt,
      args: { ...pathArguments(routes.delete), id: { ...id, isRepeatable: true } },
      examples,
      run: (session, { list, id }) =>
        withPath(session, { route: routes.delete, isWrite: true }, { list }, async (parent) => {
          const references = id as readonly string[]; // it is repeatable
          // With several ids a missing record is reported, so check first that the list exists.
          if (references.length > 1 && 'list_id' in parent && !session.globals.dryRun)
            await (await session.client()).record(lists.get, parent);
          const toParams = (id: string) => ({ ...parent, ...toPath(routes.delete, id) });
          const withId: IdResolver = (text, call) =>
            withRecordId(session, { kind: reference, ...parent }, text, call);
          return deleteRecords(session, routes.delete, toParams, {
            noun,
            ids: await resolveNames(session, reference, references),
            withId,
            describe: (text) =>
              withId(text, async (id) => {
                const path = { ...parent, ...toPath(routes.get, id) };
                const { value } = await (await session.client()).record(routes.get, path);
                const record = value as RouteRecord<R['get']>;
                const { labelRecord } = await import('./record-labels.ts');
                const label = { ...labelRecord(noun, readObject(record), id), record: readObject(record) };
                return readName ? { ...label, name: await readName(session, record) } : label;
              }),
          });
        }),
    }),
  };
}
