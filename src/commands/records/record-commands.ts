import type {
  AnyCommand,
  Argument,
  Arguments,
  Command,
  CommandInput,
  CommandResult,
} from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { createTextOption, hasFlags, type Options } from '../../cli/command/options.ts';
import { readLimit, readStart, showRecord, showsTable } from '../../cli/command/records.ts';
import { requiresChange } from '../../cli/command/rules.ts';
import { type Body, dataOption } from '../../cli/flags/body.ts';
import { bulkOptions, isBulk } from '../../cli/flags/bulk.ts';
import { fieldChangeOptions, fieldOption, hasDefinedFields } from '../../cli/flags/field-values.ts';
import {
  createIdArgument,
  customFieldArgument,
  entryArgument,
  entryListArgument,
  findReference,
  listArgument,
  referenceArgument,
} from '../../cli/flags/references.ts';
import {
  createSelectionOptions,
  readSelection,
  type Shortcut,
  wantsFigures,
} from '../../cli/flags/selection.ts';
import { describeDeletePrompt, hasWriteNotes } from '../../cli/writes/writing.ts';
import type { Client } from '../../client/client.ts';
import type { Batch, PagingOptions } from '../../client/pagination.ts';
import type { Input, Route } from '../../contract/grammar.ts';
import { lists } from '../../contract/lists.ts';
import type { RouteRecord } from '../../contract/received.ts';
import {
  type NamedNoun,
  singularNouns,
  type TypedNoun,
  toTypedNoun,
  type WritableNoun,
} from '../../contract/singular-nouns.ts';
import { isNamedNoun, type MatchField } from '../../records/match.ts';
import { views } from '../../render/views.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { addArticle } from '../../values/text.ts';
import type { BulkNoun } from '../bulk/choose-targets.ts';
import type { Target } from '../bulk/targets.ts';
import type { EditTarget } from '../edit/edit-nouns.ts';
import type { DeletedRecord } from '../undo/deletion-question.ts';
import type { ChangedRecord } from './field-changes.ts';
import { type CommonParts, defineWrite, findIdName, toPath, type Write, writeBody } from './record-writes.ts';

interface Listing extends Pick<Command, 'description' | 'examples' | 'rules'> {
  /** The selection flags besides --where. */
  readonly shortcuts?: readonly Shortcut[];
  /** Summaries that replace the shortcuts' own summaries. */
  readonly summaries?: Partial<Record<Shortcut, string>>;
}

interface Deletion<G extends Route> extends Pick<Command, 'summary' | 'description' | 'examples'> {
  /** Returns the consequences of a deletion that the confirmation prompt names, besides the record's label. */
  readonly describe?: (session: Session, record: RouteRecord<G>) => Promise<Partial<DeletedRecord>>;
}

type RecordRoutes = Readonly<Record<'list' | 'get' | 'create' | 'update' | 'delete', Route>>;

/** A noun whose records are read and written by routes. */
interface RecordNoun<R extends RecordRoutes> {
  readonly noun: WritableNoun;
  readonly routes: R;
  /** The noun on the command line: `customFields` is typed as `custom-fields`. */
  readonly command: TypedNoun;
  /** Returns the arguments for the path of a route. */
  readonly listArguments: (route: Route, takesMany?: boolean) => Arguments;
}

/** Returns functions that define the commands of a noun whose records are read and written by routes. */
export function defineRecordCommands<const R extends RecordRoutes>(noun: WritableNoun, routes: R) {
  const id = createRecordArgument(noun);
  const listArguments = ({ path }: Route, takesMany = false): Arguments => ({
    ...(path.includes(':list_id') && { list: findIdName(path) ? entryListArgument : listArgument }),
    ...(findIdName(path) && { id: { ...id, ...(takesMany && { takesMany }) } }),
  });
  const records: RecordNoun<R> = { noun, routes, command: toTypedNoun(noun), listArguments };
  const { command } = records;
  const toWrite = <W extends Route>(verb: string, route: W) =>
    ({ noun, route, words: [command, verb], pathArguments: listArguments(route) }) as const;
  return {
    list: (definition: Listing) => defineList(records, definition),
    get: (examples: readonly string[]) => defineGet(records, examples),
    create: <const A extends Arguments, O extends Options>(definition: Write<R['create'], A, O>) =>
      defineWrite(toWrite(definition.name ?? 'create', routes.create), definition, {
        effects: 'creates',
        ...createParts(noun),
        ...(noun === 'entries' && { writeMany: addManyEntries }),
        async send(session, { ifAbsent }, body, write) {
          if (ifAbsent === undefined || !isNamedNoun(noun)) return write(body);
          const { createIfAbsent } = await import('./upsert.ts');
          const by = ifAbsent as MatchField; // as parsed
          return createIfAbsent(session, { noun, by, flag: 'ifAbsent', body }, write);
        },
      }),
    /** Defines the command that updates the record with a value, or creates one. */
    upsert: <O extends Options>(matchedNoun: NamedNoun, definition: Write<R['create'], Arguments, O>) =>
      defineUpsert(records, matchedNoun, definition),
    /** `edit`: opens an editor in a terminal if there is no flag. */
    update: <O extends Options>(
      definition: Write<R['update'], Arguments, O>,
      edit?: (session: Session, readTarget: () => Promise<EditTarget>) => Promise<CommandResult>,
    ): AnyCommand => {
      const update = defineUpdate(records, definition);
      if (!edit) return update;
      const run: AnyCommand['run'] = (session, input) =>
        hasFlags(update.options ?? {}, input) || isBulk(input, 'id')
          ? update.run(session, input)
          : edit(session, () => readTarget(session, records, input, 'update'));
      return { ...update, form: run, run };
    },
    edit: (examples: readonly string[], { removal }: { readonly removal?: Route } = {}) =>
      defineEdit(records, examples, removal),
    /** Defines another write to a record. */
    write: <W extends Route, A extends Arguments, O extends Options>(
      verb: string,
      route: W,
      definition: Write<W, A, O>,
    ) => defineWrite(toWrite(verb, route), definition),
    remove: (definition: Deletion<R['get']>) => defineDelete(records, definition),
  };
}

/** Adds many contacts or organizations to a list, if the input names them. */
const addManyEntries: NonNullable<CommonParts['writeMany']> = (session, input, buildBody) =>
  isBulk({ ...input, where: undefined }, 'contact', 'organization')
    ? loadWrites().then(({ addMany }) => addMany(session, 'entries add', input, buildBody))
    : undefined;

/** Returns the common parts of the commands that create a record. */
const createParts = (noun: WritableNoun) => ({
  options: { ...(hasDefinedFields(noun) && { field: fieldOption }), data: dataOption },
  readFields: (session: Session, input: CommandInput, path: JsonObject) =>
    readFieldFlags(session, { noun, path }, input),
});

function defineUpsert<R extends RecordRoutes, O extends Options>(
  { noun, routes, command, listArguments }: RecordNoun<R>,
  matchedNoun: NamedNoun,
  definition: Write<R['create'], Arguments, O>,
): AnyCommand {
  const route: R['create'] = routes.create;
  const words = [command, 'upsert'] as const;
  return defineWrite({ noun, route, words, pathArguments: listArguments(route) }, definition, {
    ...createParts(noun),
    async send(session, { by }, body, create) {
      const { upsertRecord } = await import('./upsert.ts');
      const request = { noun: matchedNoun, by: by as MatchField | undefined, flag: 'by', body }; // as parsed
      const createNew = async (fields: Body) => {
        // If the name is matched, no organization has it.
        if (noun === 'organizations' && by !== 'name' && fields.domains !== undefined)
          await (await import('./same-name.ts')).checkSameName(session, fields.name);
        return create(fields);
      };
      return upsertRecord(session, request, createNew, (id, changes) =>
        writeBody<R['update']>(
          session,
          noun,
          routes.update,
          toPath<R['update']>(routes.update, { id }),
          changes,
        ),
      );
    },
  });
}

/** Returns the argument for the id of a record, or for another reference to it. */
function createRecordArgument(noun: WritableNoun): Argument {
  const reference = findReference(noun);
  if (reference) return referenceArgument(reference);
  if (noun === 'customFields') return customFieldArgument;
  return noun === 'entries' ? entryArgument : createIdArgument(singularNouns[noun], noun);
}

function defineList<R extends RecordRoutes>(
  { noun, routes, command, listArguments }: RecordNoun<R>,
  { shortcuts, summaries, ...definition }: Listing,
): AnyCommand {
  const options = createSelectionOptions(shortcuts, summaries);
  return {
    name: 'list',
    output: { records: [`${command}[]`, 'figures'] },
    summary: routes.list.summary,
    paging: 'list',
    args: listArguments(routes.list),
    options,
    ...definition,
    async run(session, input) {
      const path: Readonly<Record<string, string>> = toPath(routes.list, input);
      const client = await session.client();
      const readPages = (paging: Partial<PagingOptions>) =>
        client.pages<R['list']>(routes.list, path as Input<R['list']>, {
          start: readStart(session),
          ...paging,
        });
      const typed = readSelection(options, input);
      const isNewestFirst = noun === 'notes' && input.sort === undefined && showsTable(session);
      const selection = isNewestFirst ? { ...typed, sort: '-created_at' } : typed;
      const list = { noun, listId: path.list_id, readPages };
      const load = () => import('../../cli/selection/noun-records.ts');
      if (selection && wantsFigures(selection))
        return (await load()).readNounFigures(session, list, selection);
      const batches = selection
        ? await (await load()).selectNounRecords(session, list, selection)
        : readPages({ limit: await readLimit(session) });
      const nouns = command.replace('-', ' ');
      const create = `kith ${command} ${noun === 'entries' ? 'add' : 'create'} --help`;
      return {
        kind: 'records',
        view: views[noun],
        batches: isNewestFirst && !typed ? clearUsedFields(batches) : batches,
        ...(noun === 'entries' && { readExample: () => readExampleEntry(client, path.list_id) }),
        empty: typed ? `No ${nouns} match.` : `There are no ${nouns} yet. To add one, see: ${create}`,
        importModel: findReference(noun),
      };
    },
  };
}

/** Clears the used fields of the default sort order, so that a narrow table may hide that column. */
async function* clearUsedFields(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  for await (const batch of batches) yield { ...batch, usedFields: [] };
}

/** Returns an entry without values, whose fields are those of its list. */
async function readExampleEntry(client: Client, list_id = ''): Promise<JsonObject> {
  const { entry_type, process, fields = [] } = await client.read(lists.get, { list_id });
  const list_fields = Object.fromEntries(fields.map((field) => [field.name, field]));
  return { entryable_type: entry_type, ...(process && { status: null }), list_fields };
}

function defineGet<R extends RecordRoutes>(
  { noun, routes, command, listArguments }: RecordNoun<R>,
  examples: readonly string[],
): AnyCommand {
  return {
    name: 'get',
    output: { records: [command, `${command}[]`] },
    summary: routes.get.summary,
    args: listArguments(routes.get, true),
    examples,
    async run(session, input) {
      const importModel = findReference(noun);
      if (!isBulk(input, 'id'))
        return showRecord(
          session,
          routes.get,
          toPath(routes.get, input) as Input<R['get']>,
          views[noun],
          importModel,
        );
      const { getMany } = await import('../bulk/read-many.ts');
      const client = await session.client();
      const read = ({ id, list_id }: Target) =>
        client.record(routes.get, toPath(routes.get, { id, list: list_id }));
      return getMany(session, { noun, view: views[noun], importModel }, input, read);
    },
  };
}

function defineUpdate<R extends RecordRoutes, O extends Options>(
  { noun, routes, command, listArguments }: RecordNoun<R>,
  { rules = [], ...definition }: Write<R['update'], Arguments, O>,
): AnyCommand {
  const route: R['update'] = routes.update;
  const bulk: BulkNoun = { noun, routes, command: `${command} update` };
  const read = async (session: Session, path: JsonObject) =>
    (await (await session.client()).record(routes.get, path)).value;
  return defineWrite(
    { noun, route, words: [command, 'update'], pathArguments: listArguments(route, true) },
    { ...definition, rules: [...rules, requiresChange] },
    {
      options: { ...(hasDefinedFields(noun) && fieldChangeOptions), data: dataOption, ...bulkOptions },
      writeMany: (session, input, buildBody) =>
        isBulk(input, 'id')
          ? loadWrites().then(({ updateMany }) => updateMany(session, bulk, input, buildBody))
          : undefined,
      readFields: (session, input, path) =>
        readFieldFlags(session, { noun, path, read: () => read(session, path) }, input),
      async readBefore(session, path) {
        const isUsed = hasWriteNotes(session) || session.call.skipsUnchanged;
        if (!isUsed || session.globals.dryRun) return undefined;
        return read(session, path).catch(() => undefined); // the write reports the failure
      },
    },
  );
}

/** Returns the `custom_fields` or `list_fields` that the flags set. */
async function readFieldFlags(
  session: Session,
  { noun, ...record }: Omit<ChangedRecord, 'noun'> & { readonly noun: WritableNoun },
  input: CommandInput,
): Promise<Body> {
  if (!hasDefinedFields(noun) || !hasFlags(fieldChangeOptions, input)) return {};
  const { resolveFieldChanges } = await import('./field-changes.ts');
  return resolveFieldChanges(session, { noun, ...record }, input);
}

const editOptions = {
  file: createTextOption('Apply a YAML file, or - for stdin, instead of opening an editor', 'FILE|-', {
    completion: 'files',
  }),
};

/** Defines the command that edits a record as YAML. */
function defineEdit<R extends RecordRoutes>(
  records: RecordNoun<R>,
  examples: readonly string[],
  removal: Route | undefined,
): AnyCommand {
  const { noun, routes, command, listArguments } = records;
  return {
    name: 'edit',
    output: { records: [command, 'request', 'request[]'] },
    summary: `Edit ${addArticle(singularNouns[noun])} as YAML in an editor`,
    description:
      `Edit the fields of \`${command} update\` as YAML in an editor (VISUAL or EDITOR). kith shows the changes, and ` +
      'asks before it sends them. An empty value clears the field; deleting a line changes nothing. If anything ' +
      'fails, your text is kept. --file applies a YAML file without an editor. See kith help records.',
    effects: 'updates',
    isFileBased: true,
    describeInteraction: ({ file }) => (file === undefined ? 'opens an editor; pass --file' : undefined),
    options: editOptions,
    args: listArguments(routes.update),
    examples,
    async run(session, input) {
      const { editRecord } = await import('../edit/edit-record.ts');
      const path = typeof input.file === 'string' ? input.file : undefined;
      return editRecord(session, path, async () => ({
        ...(await readTarget(session, records, input, 'edit')),
        routes: { ...routes, removal },
      }));
    },
  };
}

/** Reads the record that the arguments name, to edit it. */
async function readTarget<R extends RecordRoutes>(
  session: Session,
  { noun, routes, command }: RecordNoun<R>,
  input: CommandInput,
  verb: string,
): Promise<EditTarget> {
  const path = toPath(routes.get, input);
  const record = await (await session.client()).record(routes.get, path);
  const { profile } = session.globals;
  const flags = profile === undefined ? [] : ['--profile', profile];
  const words = ['kith', command, verb, ...Object.values<string>(path), ...flags];
  return { noun, routes, path, record, words };
}

function defineDelete<R extends RecordRoutes>(
  { noun, routes, command, listArguments }: RecordNoun<R>,
  { describe, ...definition }: Deletion<R['get']>,
): AnyCommand {
  const args = listArguments(routes.delete, true);
  const [name = '', argument] = Object.entries(args).at(-1) ?? [];
  return {
    name: 'delete',
    output: { records: ['deletion', 'deletion[]', 'write-result[]', 'request', 'request[]'] },
    effects: 'deletes',
    exitCodes: [6],
    describeInteraction: describeDeletePrompt,
    options: bulkOptions,
    ...definition,
    args: { ...args, [name]: { ...argument, isRepeatable: true } as Argument }, // the last argument identifies the record
    run: async (session, input) => {
      const describeRecord = async (id: string): Promise<DeletedRecord> => {
        const path = toPath(routes.get, { ...input, [name]: id });
        const { value } = await (await session.client()).record(routes.get, path);
        const record = readObject(value);
        const { labelRecord } = await import('../../cli/writes/record-labels.ts');
        const more = await describe?.(session, value as RouteRecord<R['get']>);
        return { ...labelRecord(noun, record, id), record, ...more };
      };
      if (isBulk(input, name)) {
        const { deleteMany } = await loadWrites();
        return deleteMany(session, { noun, routes, command: `${command} delete` }, input, describeRecord);
      }
      const { deleteRecords } = await import('../undo/deletion.ts');
      const getParams = (id: string) => toPath(routes.delete, { ...input, [name]: id });
      const ids = input[name] as readonly string[]; // it is repeatable
      return deleteRecords(session, routes.delete, getParams, { noun, ids, describe: describeRecord });
    },
  };
}

const loadWrites = () => import('../bulk/write-many.ts');
