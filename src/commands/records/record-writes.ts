import type {
  AnyCommand,
  Arguments,
  ArgumentValues,
  Command,
  CommandInput,
  CommandResult,
} from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import type { Options, OptionValues } from '../../cli/command/options.ts';
import { type Body, mergeBody, readData } from '../../cli/flags/body.ts';
import { getReferenceCache } from '../../cli/references/reference-cache.ts';
import { writeRecord } from '../../cli/writes/writing.ts';
import { buildRequest, type PathNames, type Route } from '../../contract/grammar.ts';
import type { TypedNoun, WritableNoun } from '../../contract/singular-nouns.ts';
import { once } from '../../values/concurrency.ts';
import type { JsonObject } from '../../values/json-object.ts';

/** The path parameters of a route. */
type Path<R extends Route> = Readonly<Record<PathNames<R['path']>, string>>;

/** Returns the name of the path parameter that is not a list. */
export const findIdName = (path: string) => /:(?!list_id\b)(\w+)/.exec(path)?.[1];

/** Returns the path parameters of a route from the arguments `list` and `id`. */
export function toPath<R extends Route>({ path }: R, { list, id }: CommandInput): Path<R> {
  const name = findIdName(path);
  // A path has no other parameters.
  return { ...(path.includes(':list_id') && { list_id: list }), ...(name && { [name]: id }) } as Path<R>;
}

/** A command that sends a body. Its arguments follow those that name the record. */
export interface Write<R extends Route, A extends Arguments, O extends Options>
  extends Pick<
    Command<A, O>,
    'description' | 'args' | 'options' | 'rules' | 'examples' | 'describeInteraction'
  > {
  readonly name?: string;
  /** If omitted, the summary of the route. */
  readonly summary?: string;
  /**
   * Returns the body, if it is not just `fields`: the values of flags that set a field, custom field or list field.
   * `data` is the value of --data.
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
}

/** What all commands that create, or that update, have in common. */
export interface CommonParts extends Pick<Command, 'effects' | 'options'> {
  /** Writes many records if the input names them. `buildBody`: builds the body for some arguments and flags of one. */
  readonly writeMany?: (
    session: Session,
    input: CommandInput,
    buildBody: (record: CommandInput) => Promise<Body>,
  ) => Promise<CommandResult> | undefined;
  /** Reads the custom fields or list fields that the flags set. */
  readonly readFields?: (session: Session, input: CommandInput, path: JsonObject) => Promise<Body>;
  /** Reads the record before an update, if the command says whether it has changed. */
  readonly readBefore?: (session: Session, path: JsonObject) => Promise<unknown>;
  /** Sends the body that the flags describe, if it is not just `write(body)`. */
  readonly send?: (
    session: Session,
    input: CommandInput,
    body: Body,
    write: (body: Body) => Promise<CommandResult>,
  ) => Promise<CommandResult>;
}

interface WriteCommand<R extends Route> {
  readonly noun: WritableNoun;
  readonly route: R;
  /** The words of the command: `['lists', 'create']`. */
  readonly words: readonly [noun: TypedNoun, verb: string];
  /** The arguments of the path. */
  readonly pathArguments: Arguments;
}

/** Writes a record, after the organization that it belongs to if the command is to create that too. */
export async function writeBody<R extends Route>(
  session: Session,
  noun: WritableNoun,
  route: R,
  path: Path<R>,
  body: Body,
  before?: unknown,
): Promise<CommandResult> {
  const write = (own: Session, fields: Body) => writeRecord(own, noun, route, path, fields, { before });
  if (!getReferenceCache(session).newOrganizations.has(String(body.organization_id)))
    return write(session, body);
  const { writeWithOrganization } = await import('./new-organization.ts');
  const build = (fields: Body) => buildRequest(route, { ...fields, ...path });
  return writeWithOrganization(session, body, build, write);
}

const manyResults = ['write-result[]'] as const;

export function defineWrite<R extends Route, A extends Arguments, O extends Options>(
  { noun, route, words, pathArguments }: WriteCommand<R>,
  { args, options, body, edit, ...definition }: Write<R, A, O>,
  { readFields, readBefore, writeMany, send, ...common }: CommonParts = {},
): AnyCommand {
  const allOptions: Options = { ...options, ...common.options };
  const allArguments: Arguments = { ...pathArguments, ...args };
  const setters = Object.entries(options ?? {}).flatMap(([name, { field }]) =>
    field ? [[name, field]] : [],
  );
  const buildBody = async (session: Session, input: CommandInput, data: Body | undefined) => {
    const path = toPath(route, input);
    const fields: Body = {
      ...Object.fromEntries(setters.map(([name = '', field]) => [field, input[name]])),
      ...(await readFields?.(session, input, path)),
    };
    const values = { ...input, data } as ArgumentValues<A> & OptionValues<O> & { data: typeof data }; // as parsed
    return mergeBody(data, body ? await body(session, values, { path, fields }) : fields);
  };
  const form: AnyCommand['form'] = async (session, input) => {
    const path = toPath(route, input);
    const { createFromForm } = await import('../forms/create-form.ts');
    return createFromForm(session, {
      ...{ noun, path },
      passedArguments: Object.keys(allArguments).flatMap((name) => [input[name] ?? []].flat().map(String)),
      write: (body) => writeBody(session, noun, route, path, body),
      command: words,
      options: allOptions,
      buildBody: async (answers) => buildBody(session, answers, await readData(session, answers.data)),
    });
  };
  return {
    name: words[1],
    output: { records: [words[0], 'request', 'request[]', ...(writeMany ? manyResults : [])] },
    summary: route.summary,
    effects: route.method === 'DELETE' ? 'deletes' : 'updates',
    ...definition,
    ...common,
    options: allOptions,
    args: allArguments,
    ...(common.effects === 'creates' && { form }),
    async run(session, input) {
      const data = once(() => readData(session, input.data));
      const buildOne = async (record: CommandInput) =>
        buildBody(session, { ...input, ...record }, await data());
      const many = writeMany?.(session, input, buildOne);
      if (many) return many;
      const path = toPath(route, input);
      const write = async (body: Body) =>
        writeBody(session, noun, route, path, body, await readBefore?.(session, path));
      await data();
      const build = () => buildOne({});
      const parsed = input as ArgumentValues<A> & OptionValues<O>; // as parsed
      const sendBody = (body: Body) => (send ? send(session, input, body, write) : write(body));
      const writeEdited = async (fields: Body) => sendBody({ ...(await build()), ...fields });
      return edit?.(session, parsed, writeEdited) ?? sendBody(await build());
    },
  };
}
