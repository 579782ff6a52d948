import type { CommandInput } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { isInteractive } from '../../cli/command/interaction.ts';
import { stdinWord } from '../../cli/flags/bulk.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { readList } from '../../cli/references/resolve-path-id.ts';
import { selectNounRecords } from '../../cli/selection/noun-records.ts';
import { countRecords, formatName, labelRecord } from '../../cli/writes/record-labels.ts';
import type { PagingOptions } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import type { Input, Route } from '../../contract/grammar.ts';
import { singularNouns, toSingularNoun, type WritableNoun } from '../../contract/singular-nouns.ts';
import { repeatIfChanged, requireUnchanged } from '../../records/read-all.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { formatInteger, toPlural } from '../../values/text.ts';
import { resolveEntries, resolveNames } from './resolve-targets.ts';
import { readNamedTargets, type Target } from './targets.ts';

/** A noun, and the routes of its records. */
export interface BulkNoun {
  readonly noun: WritableNoun;
  readonly routes: Readonly<Record<'list' | 'get' | 'create' | 'update' | 'delete', Route>>;
  /** The noun and the verb on the command line: `custom-fields update`. */
  readonly command: string;
}

/** The chosen records, and the labels of the first of them. */
export interface ChosenTargets {
  readonly targets: readonly Target[];
  /** The first records of --where. */
  readonly sample: readonly JsonObject[];
}

/** Maximum number of records that a question names. */
const maxSample = 5;

/**
 * Returns the records that --where selects, or that stdin names.
 * @throws {Failure} usage if an id is passed, too
 */
export async function chooseTargets(
  session: Session,
  { noun, routes }: BulkNoun,
  input: CommandInput,
): Promise<ChosenTargets> {
  const ids = [input.id ?? []].flat();
  if (input.where !== undefined && ids.length > 0)
    throw new Failure('usage', 'ID and --where cannot be used together.');
  if (ids.length > 1)
    throw new Failure('usage', `"${stdinWord}" must be the only id.`, { hint: 'Put all ids on stdin.' });
  const list_id = typeof input.list === 'string' ? (await readList(session, input.list)).id : undefined;
  if (input.where !== undefined) return selectTargets(session, { noun, routes, list_id }, input);
  return { targets: await readTargets(session, noun, list_id), sample: [] };
}

/** Reads the records on stdin. @throws {Failure} usage, or not_found for an unknown name */
export async function readTargets(
  session: Session,
  noun: WritableNoun,
  list_id?: string,
): Promise<readonly Target[]> {
  const kind = noun === 'notes' || noun === 'entries' ? undefined : toSingularNoun(noun);
  const named = await readNamedTargets(session, { noun, list_id, takesNames: kind !== undefined });
  if (noun === 'entries') return resolveEntries(session, named);
  return kind ? resolveNames(session, kind, named) : named.map(({ id }) => ({ id }));
}

async function selectTargets(
  session: Session,
  { noun, routes, list_id }: Pick<BulkNoun, 'noun' | 'routes'> & { readonly list_id: string | undefined },
  { where, tz }: CommandInput,
): Promise<ChosenTargets> {
  const client = await session.client();
  const path = { ...(list_id !== undefined && { list_id }) };
  const readPages = (paging: Partial<PagingOptions>) =>
    client.pages(routes.list, path as Input<Route>, paging);
  const list = { noun, listId: list_id, isUnlimited: true, readPages };
  return withProgress(session, (update) =>
    repeatIfChanged(async () => {
      const targets = new Map<string, Target>();
      const sample: JsonObject[] = [];
      const batches = await selectNounRecords(session, list, { where, tz });
      for await (const { records } of requireUnchanged(batches)) {
        for (const { value } of records) {
          const record = readObject(value);
          const id = String(record.id);
          targets.set(id, { id, list_id });
          if (sample.length < maxSample) sample.push(record);
        }
        update(`Selecting: ${formatInteger(targets.size)} ${toPlural(singularNouns[noun])}`);
      }
      return { targets: [...targets.values()], sample };
    }),
  );
}

/** Describes chosen records: `12 contacts: Ada Lovelace (0rlnky), ... and 7 more`. */
export function describeTargets(noun: WritableNoun, { targets, sample }: ChosenTargets): string {
  const names = sample.map((record) => formatName(labelRecord(noun, record, '')));
  const more = targets.length - names.length;
  return `${countRecords(noun, targets.length)}: ${names.join(', ')}${more > 0 ? ` and ${formatInteger(more)} more` : ''}`;
}

/** @throws {Failure} usage if a question is needed and nobody can answer it, because stdin has the ids */
export function requireAnswerable(session: Session, verb: string, input: CommandInput): void {
  const { yes, dryRun } = session.globals;
  if (yes || dryRun || (input.where !== undefined && isInteractive(session))) return;
  throw new Failure('usage', `Refusing to ${verb} many records without confirmation.`, {
    hint: 'Add --yes to skip the question, or --dry-run to see the requests.',
  });
}
