import {
  type CommandInput,
  type CommandResult,
  toRecordsResult,
  toTextResult,
} from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { confirmDeletion, confirmWrites } from '../../cli/command/interaction.ts';
import { readFirst } from '../../cli/command/records.ts';
import type { Body } from '../../cli/flags/body.ts';
import { stdinWord } from '../../cli/flags/bulk.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { readList } from '../../cli/references/resolve-path-id.ts';
import { countRecords } from '../../cli/writes/record-labels.ts';
import { hasWriteNotes, previewWrites } from '../../cli/writes/writing.ts';
import type { Batch } from '../../client/pagination.ts';
import { isRecordFailure } from '../../contract/errors.ts';
import { singularNouns, toSingularNoun, type WritableNoun } from '../../contract/singular-nouns.ts';
import { toPlural } from '../../values/text.ts';
import { toRequest, type Write } from '../../writes/nouns.ts';
import {
  buildDeletionQuestion,
  type DeletedRecord,
  maxRecordsInQuestion,
} from '../undo/deletion-question.ts';
import {
  type BulkNoun,
  chooseTargets,
  describeTargets,
  readTargets,
  requireAnswerable,
} from './choose-targets.ts';
import { resultView, toResultRecord } from './results.ts';
import { BulkRun, type BulkWrites } from './run-writes.ts';
import type { Target } from './targets.ts';

/** Builds the body of a write for a record, whose arguments or flags replace those of the input. */
type BodyBuilder = (record: CommandInput) => Promise<Body>;

/** Updates the records that stdin names or --where selects. */
export async function updateMany(
  session: Session,
  bulk: BulkNoun,
  input: CommandInput,
  buildBody: BodyBuilder,
): Promise<CommandResult> {
  const { noun, command } = bulk;
  requireAnswerable(session, 'update', input);
  const chosen = await chooseTargets(session, bulk, input);
  const { targets } = chosen;
  if (targets.length === 0) return noteNone(session, noun, input);
  const build = createBuilder(input, buildBody);
  await checkBodies(targets, build);
  if (input.where !== undefined && !session.globals.yes && !session.globals.dryRun) {
    await session.messages.warn(`Selected ${describeTargets(noun, chosen)}.`);
    await confirmWrites(session, 'update', `Update ${countRecords(noun, targets.length)}?`);
  }
  return writeMany(session, noun, {
    command,
    input: toIdentity(input, targets),
    past: 'updated',
    targets,
    toWrite: async (target) => toWrite(noun, 'update', target, await build(target)),
  });
}

/** Deletes the records that stdin names or --where selects. `describe`: describes a record for the question. */
export async function deleteMany(
  session: Session,
  bulk: BulkNoun,
  input: CommandInput,
  describe: (id: string) => Promise<DeletedRecord>,
): Promise<CommandResult> {
  const { noun, command } = bulk;
  requireAnswerable(session, 'delete', input);
  const { targets } = await chooseTargets(session, bulk, input);
  if (targets.length === 0) return noteNone(session, noun, input);
  const ids = targets.map(({ id }) => id);
  if (!session.globals.dryRun)
    await confirmDeletion(session, async () =>
      buildDeletionQuestion(
        session,
        noun,
        await Promise.all(ids.slice(0, maxRecordsInQuestion).map(describe)),
        ids,
      ),
    );
  return writeMany(session, noun, {
    command,
    input: toIdentity(input, targets),
    past: 'deleted',
    targets,
    toWrite: (target) => toWrite(noun, 'delete', target, {}),
  });
}

/** Adds the contacts or organizations on stdin to a list. */
export async function addMany(
  session: Session,
  command: string,
  input: CommandInput,
  buildBody: BodyBuilder,
): Promise<CommandResult> {
  requireAnswerable(session, 'add', input);
  const flag = input.contact === stdinWord ? 'contact' : 'organization';
  const noun = flag === 'contact' ? 'contacts' : 'organizations';
  const list_id = (await readList(session, String(input.list))).id;
  const targets = await readTargets(session, noun);
  if (targets.length === 0) return noteNone(session, noun, input);
  const build = ({ id }: Target) => buildBody({ list: list_id, [flag]: id });
  await build(targets[0] as Target); // there is one
  return writeMany(session, 'entries', {
    command,
    input: toIdentity(input, targets),
    past: 'added',
    targets,
    toWrite: async (target) => toWrite('entries', 'create', { list_id }, await build(target)),
  });
}

const toWrite = (
  noun: WritableNoun,
  action: Write['action'],
  { id, list_id }: Partial<Target>,
  body: Body,
): Write => ({
  noun: toSingularNoun(noun),
  action,
  body,
  ...(id !== undefined && { id }),
  ...(list_id !== undefined && { list_id }),
});

/** Returns what identifies the writes: the expression, or else the ids. */
function toIdentity(input: CommandInput, targets: readonly Target[]): unknown {
  const ids = targets.map(({ id, list_id }) => (list_id === undefined ? id : `${list_id}/${id}`));
  return [input, input.where === undefined ? ids.toSorted() : []];
}

/** Builds one body for all records of a list, unless it depends on the values of each record. */
function createBuilder({ addField, removeField }: CommandInput, buildBody: BodyBuilder) {
  const bodies = new Map<string | undefined, Promise<Body>>();
  return ({ id, list_id }: Target): Promise<Body> => {
    const build = () => buildBody({ id, ...(list_id !== undefined && { list: list_id }) });
    if (addField !== undefined || removeField !== undefined) return build();
    const body = bodies.get(list_id) ?? build();
    bodies.set(list_id, body);
    return body;
  };
}

/** Builds a body for each list, so that an invalid flag is reported before anything is sent. */
async function checkBodies(
  targets: readonly Target[],
  build: (target: Target) => Promise<Body>,
): Promise<void> {
  const firstOfList = new Map(targets.toReversed().map((target) => [target.list_id, target]));
  for (const target of firstOfList.values())
    await build(target).catch((error: unknown) => {
      if (!isRecordFailure(error)) throw error;
    });
}

async function noteNone(session: Session, noun: WritableNoun, input: CommandInput): Promise<CommandResult> {
  const nouns = toPlural(singularNouns[noun]);
  await session.messages.note(input.where === undefined ? `No ${nouns} on stdin.` : `No ${nouns} match.`);
  return { ...toRecordsResult([], resultView), ...formatOf(session), isReadOnly: true };
}

/** Results are NDJSON in a pipe. */
const formatOf = ({ streams: { stdout } }: Session) =>
  stdout.isTerminal ? {} : ({ defaultFormat: 'ndjson' } as const);

const progressVerbs = { updated: 'Updating', deleted: 'Deleting', added: 'Adding' } as const;

/** Sends the writes, and returns their results as they arrive. A terminal shows the progress and a summary instead. */
async function writeMany(session: Session, noun: WritableNoun, writes: BulkWrites): Promise<CommandResult> {
  const { globals } = session;
  const { targets, past } = writes;
  if (globals.dryRun) {
    const requests = [];
    for (const target of targets) requests.push(toRequest(await writes.toWrite(target)));
    return previewWrites(session, requests);
  }
  const run = new BulkRun(session, writes);
  const { format, json, jq, fields, idsOnly } = globals;
  const isFormatted = json || idsOnly || [format, jq, fields].some((flag) => flag !== undefined);
  const noteSummary = async () => {
    const isComplete = run.summary.total === targets.length; // otherwise the failure has the summary
    if (hasWriteNotes(session) && isComplete)
      await session.messages.note(run.summary.describe(past, targets.length));
  };
  if (session.streams.stdout.isTerminal && !isFormatted) {
    const steps = { verb: progressVerbs[past], total: targets.length, unit: singularNouns[noun] };
    await withProgress(session, async (update) => {
      for await (const _ of run.run()) update({ ...steps, done: run.summary.total });
    });
    await noteSummary();
    return { ...toTextResult('', run.summary.counts), failure: run.failure };
  }
  const size = format === 'table' ? targets.length : 1;
  const batches = async function* (): AsyncGenerator<Batch> {
    let records = [];
    for await (const outcome of run.run()) {
      if (idsOnly && outcome.failure) continue; // the next command of a pipe must not get it
      records.push(toResultRecord(outcome, session.runtime.now()));
      if (records.length < size) continue;
      yield { records, total: undefined, hasMore: false };
      records = [];
    }
    if (records.length > 0) yield { records, total: undefined, hasMore: false };
    await noteSummary();
  };
  return {
    kind: 'records',
    batches: (await readFirst(batches())).batches,
    view: resultView,
    ...formatOf(session),
    get failure() {
      return run.failure;
    },
  };
}
