import type { CommandInput, CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { getDefaultConcurrency } from '../../cli/connect/connection.ts';
import { readList } from '../../cli/references/resolve-path-id.ts';
import type { Batch } from '../../client/pagination.ts';
import { type Failure, isRecordFailure } from '../../contract/errors.ts';
import type { Noun } from '../../contract/singular-nouns.ts';
import type { View } from '../../render/columns.ts';
import { mapInOrder } from '../../values/in-order.ts';
import { joinElements, type RawJson } from '../../values/raw-json.ts';
import { RunSummary } from '../../writes/outcome.ts';
import { readTargets } from './choose-targets.ts';
import { readNamedTargets, type Target } from './targets.ts';

/** Records per batch: a table fits its columns to the first one. */
const batchSize = 25;

async function readTargetsOf(session: Session, noun: Noun, input: CommandInput): Promise<readonly Target[]> {
  if (noun === 'events' || noun === 'recordings')
    return readNamedTargets(session, { noun, takesNames: false });
  const list_id = typeof input.list === 'string' ? (await readList(session, input.list)).id : undefined;
  return readTargets(session, noun, list_id);
}

/** Reads records concurrently and yields them in order, or their failures. @throws {Failure} that concerns all records */
async function* readEach<T>(
  session: Session,
  targets: readonly Target[],
  read: (target: Target) => Promise<T>,
): AsyncGenerator<{ readonly target: Target; readonly value?: T; readonly failure?: Failure }> {
  const readOne = async (target: Target) => {
    try {
      return { target, value: await read(target) };
    } catch (error) {
      if (!isRecordFailure(error)) throw error;
      return { target, failure: error };
    }
  };
  const concurrency = await getDefaultConcurrency(session);
  yield* mapInOrder(targets, concurrency, () => [], readOne);
}

const createReadFailure = (summary: RunSummary) =>
  summary.createFailure('found', 'Pass ids of records that exist.');

/** A noun, and how its records are printed. */
interface PrintedNoun extends Pick<CommandResult, 'importModel'> {
  readonly noun: Noun;
  readonly view: View;
}

/** Prints the records that stdin names, in the order of stdin. */
export async function getMany(
  session: Session,
  { noun, view, importModel }: PrintedNoun,
  input: CommandInput,
  read: (target: Target) => Promise<RawJson>,
): Promise<CommandResult> {
  const targets = await readTargetsOf(session, noun, input);
  if (targets.length === 0) await session.messages.note('No ids on stdin.');
  const summary = new RunSummary();
  const batches = async function* (): AsyncGenerator<Batch> {
    let records: RawJson[] = [];
    for await (const { target, value, failure } of readEach(session, targets, read)) {
      summary.add({ name: target.id, status: failure ? 'failed' : 'done', failure });
      if (value) records.push(value);
      if (records.length < batchSize) continue;
      yield { records, total: undefined, hasMore: false };
      records = [];
    }
    yield { records, total: undefined, hasMore: false };
  };
  return {
    kind: 'records',
    batches: batches(),
    view,
    importModel,
    get failure() {
      return createReadFailure(summary);
    },
  };
}

/** Shows the records that stdin names, one after the other. */
export async function showMany(
  session: Session,
  noun: Noun,
  input: CommandInput,
  show: (target: Target) => Promise<CommandResult>,
): Promise<CommandResult> {
  const targets = await readTargetsOf(session, noun, input);
  if (targets.length === 0) await session.messages.note('No ids on stdin.');
  const summary = new RunSummary();
  const shown: (CommandResult & { readonly kind: 'text' })[] = [];
  for await (const { target, value, failure = value?.failure } of readEach(session, targets, show)) {
    summary.add({ name: target.id, status: failure ? 'failed' : 'done', failure });
    if (value?.kind === 'text') shown.push(value);
  }
  return {
    kind: 'text',
    text: async (style) => {
      const texts: string[] = [];
      for (const { text } of shown) texts.push(typeof text === 'string' ? text : await text(style));
      return texts.join('\n');
    },
    json: joinElements(shown.map(({ json }) => json)),
    failure: createReadFailure(summary),
  };
}
