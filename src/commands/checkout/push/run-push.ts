import { type CommandResult, toRecordsResult } from '../../../cli/command/command.ts';
import type { Session } from '../../../cli/command/context.ts';
import { isInteractive } from '../../../cli/command/interaction.ts';
import { withProgress } from '../../../cli/progress/progress.ts';
import { type OpenRun, openRun } from '../../../cli/write-run.ts';
import { showsPlan } from '../../../cli/writes/writing.ts';
import { toErrorDocument } from '../../../contract/documents/error.ts';
import type { Result } from '../../../contract/documents/results.ts';
import { Failure } from '../../../contract/errors.ts';
import { toSingularNoun, toTypedNoun } from '../../../contract/singular-nouns.ts';
import { createPlainColumn, type View } from '../../../render/columns.ts';
import { readObject } from '../../../values/json-object.ts';
import { formatCount, quoteShellWord } from '../../../values/text.ts';
import { createStopFailure, RunSummary } from '../../../writes/outcome.ts';
import { checkDeletionCount } from '../deletions.ts';
import { findLocalChanges, type LocalChanges } from '../local-changes.ts';
import { LocalFiles } from '../local-files.ts';
import { withLastArchive } from '../read-service.ts';
import { ReferenceWords, readReferenceWords } from '../reference-words.ts';
import { type WorkingCopy, withWorkingCopy } from '../working-copy.ts';
import { type PlanOptions, type PushPlan, planPush, readCurrentDefinitions } from './plan-push.ts';
import { PushedFiles } from './pushed-files.ts';
import { listSteps, type PushOutcome, PushSender } from './send-push.ts';
import { confirmPush, describeConflict, previewPush, showPlan } from './show-plan.ts';

const columns = [
  createPlainColumn('status'),
  createPlainColumn('noun'),
  createPlainColumn('id'),
  createPlainColumn('file'),
  createPlainColumn('error', { cell: ({ error }) => readObject(error).message ?? '' }),
];
const view: View = () => columns;

interface PushFlags {
  readonly overwrite: boolean;
  /** The confirmed number of deleted files. */
  readonly delete: number | undefined;
}

/** Sends the changes in the files of a working copy. */
export function pushFolder(session: Session, path: string, flags: PushFlags): Promise<CommandResult> {
  const work = `is pushing ${path}`;
  return withWorkingCopy(session, { path, work }, async (copy) => {
    const local = await scan(session, copy);
    const hasChanges =
      local.edited.length + local.created.length + local.deleted.length + local.errors.length > 0;
    if (!hasChanges && copy.state.rows.size === 0) return noteNothingSent(session);
    const definitions = await readCurrentDefinitions(await session.client());
    const words = await readWords(session, copy);
    const options = { copy, definitions, ...flags };
    if (session.globals.dryRun) {
      const plan = await planPush(session, local, options);
      if (showsPlan(session, false)) await showPlan(session, plan, words);
      const refusal = checkDeletionCount(plan.deletions, copy, flags.delete);
      const failure = refusal ?? createFailure(path, toConflicts(plan, words), undefined, 0);
      return { ...previewPush(plan), failure };
    }
    return new Push(session, path, words, options).run(local);
  });
}

const scan = async ({ signal }: Session, copy: WorkingCopy): Promise<LocalChanges> =>
  findLocalChanges(copy, await LocalFiles.scan(copy.folder, copy.state, signal), signal);

/** `count`: the number of edited files with the values of the service, which were written again. */
async function noteNothingSent(session: Session, count = 0): Promise<CommandResult> {
  const files = formatCount(count, 'edited file has', 'edited files have');
  await session.messages.note(
    count === 0
      ? 'No file was changed; nothing was sent.'
      : `Nothing was sent. ${files} the same values as the service; kith wrote ${count === 1 ? 'it' : 'them'} again.`,
  );
  return { ...toRecordsResult([], view), isReadOnly: true };
}

/** Reads the words for other records from the records that the last checkout read, and those created since. */
async function readWords(session: Session, copy: WorkingCopy): Promise<ReferenceWords> {
  const { state } = copy;
  const words = await withLastArchive(copy, async (archive) =>
    archive ? readReferenceWords(archive, session.signal) : new ReferenceWords(),
  );
  for (const entry of state.entries.values()) {
    const { noun, id } = entry;
    const isNamed = noun === 'contacts' || noun === 'organizations';
    if (isNamed && !words.has(toSingularNoun(noun), id))
      words.addRecord(noun, JSON.parse(state.read(entry).record));
  }
  return words;
}

const toConflicts = (plan: PushPlan, words: ReferenceWords): PushOutcome[] =>
  plan.conflicts.map((conflict) => ({
    status: 'conflict',
    noun: conflict.entry.noun as PushOutcome['noun'], // only editable files are read
    id: conflict.entry.id,
    file: conflict.file,
    failure: new Failure('changed', describeConflict(conflict, words)),
  }));

/** A push that sends its changes. */
class Push {
  readonly #session: Session;
  readonly #path: string;
  readonly #copy: WorkingCopy;
  readonly #words: ReferenceWords;
  readonly #options: PlanOptions & PushFlags;

  constructor(session: Session, path: string, words: ReferenceWords, options: PlanOptions & PushFlags) {
    this.#session = session;
    this.#path = path;
    this.#copy = options.copy;
    this.#words = words;
    this.#options = options;
  }

  async run(local: LocalChanges): Promise<CommandResult> {
    const session = this.#session;
    const opened = await openRun(session, {
      command: 'workspace push',
      // The same folder continues an interrupted push, whatever changed since.
      input: [this.#copy.folder.path],
      describe: ({ outcomes, rows }) => formatCount(outcomes.size + rows.size, 'change'),
    });
    try {
      const files = new PushedFiles(this.#copy, this.#options.definitions, this.#words);
      const isAdopted = await this.#adoptCreated(opened, files, local);
      return await this.#send(isAdopted ? await scan(session, this.#copy) : local, opened, files);
    } finally {
      opened.close();
    }
  }

  /** Adopts the records that an interrupted push created. Returns whether there are any. */
  async #adoptCreated({ interrupted }: OpenRun, files: PushedFiles, local: LocalChanges): Promise<boolean> {
    let isAdopted = false;
    for (const [row, writes] of interrupted?.rows ?? []) {
      const file = this.#copy.state.rows.get(row);
      const created = local.created.find((candidate) => candidate.file === file);
      const after = writes.find(({ action }) => action === 'create')?.after;
      if (!created || !after) continue;
      await files.adoptInterrupted(created, after);
      isAdopted = true;
    }
    return isAdopted;
  }

  async #send(local: LocalChanges, opened: OpenRun, files: PushedFiles): Promise<CommandResult> {
    const session = this.#session;
    const plan = await planPush(session, local, this.#options);
    const steps = listSteps(plan);
    const total = steps.reduce((sum, step) => sum + step.length, 0);
    if (total > 0) {
      if (showsPlan(session, isInteractive(session))) await showPlan(session, plan, this.#words);
      const { delete: confirmed } = this.#options;
      const refusal = checkDeletionCount(
        plan.deletions,
        this.#copy,
        confirmed,
        opened.interrupted !== undefined,
      );
      if (refusal) throw refusal;
      await confirmPush(session, plan);
    }
    for (const { edited, current } of plan.alreadySent) await files.update(edited.noun, edited, current);
    for (const deleted of plan.alreadyDeleted) files.forget(deleted);
    const outcomes = toConflicts(plan, this.#words);
    const sender = new PushSender(await opened.session.client(), opened, files);
    await withProgress(session, async (update) => {
      let done = 0;
      for await (const outcome of sender.send(steps)) {
        outcomes.push(outcome);
        update({ verb: 'Sending', done: ++done, total, unit: 'record' });
      }
    });
    const sent = outcomes.length - plan.conflicts.length;
    if (sent === total && !opened.run.isUnfinished) {
      opened.run.finish();
      this.#copy.state.finishRows();
    }
    if (outcomes.length === 0) return noteNothingSent(session, plan.alreadySent.length);
    const rows = outcomes.map((outcome) => toRow(outcome, session.runtime.now()));
    return {
      ...toRecordsResult(rows, view),
      failure: createFailure(this.#path, outcomes, opened.run.stop, total - sent),
    };
  }
}

const toRow = ({ noun, failure, ...outcome }: PushOutcome, now: Date): Result<'pushed-file'> => ({
  ...outcome,
  noun: toTypedNoun(noun),
  ...(failure && { error: toErrorDocument(failure, now) }),
});

function createFailure(
  path: string,
  outcomes: readonly PushOutcome[],
  stop: Failure | undefined,
  remaining: number,
): Failure | undefined {
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const done = outcomes.length - failed.length;
  const summary = `Sent ${formatCount(done, 'change')}; ${failed.length + remaining} not sent.`;
  if (stop || remaining > 0) return createStopFailure(stop, summary);
  if (failed.length === 0) return undefined;
  const named = new RunSummary();
  for (const { file, failure } of failed) named.add({ name: file, status: 'failed', failure });
  const folder = quoteShellWord(path);
  const hasConflicts = failed.some(({ status }) => status === 'conflict');
  const code = named.findCommonCode(outcomes.length);
  const isLost = failed.every(({ failure }) => failure?.code === 'unknown');
  const problem = isLost ? 'The responses were lost, so these changes may be done' : 'Not sent';
  return new Failure(code === 'changed' ? 'partial' : code, `${problem}: ${named.nameFailures()}.`, {
    hint: hasConflicts
      ? `To resolve conflicts, write the values on the service to the files. To send the files anyway: kith workspace push ${folder} --overwrite. To replace the files: kith workspace checkout ${folder} --overwrite`
      : isLost
        ? 'Run the command again. It sends only the changes that are not done.'
        : 'Correct the files, and run the command again.',
  });
}
