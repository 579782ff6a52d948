import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Archive } from '../../../archive/archive.ts';
import { findCopies } from '../../../archive/transfer/find-copies.ts';
import { findLosses } from '../../../archive/transfer/losses.ts';
import type { RecordPlanner } from '../../../archive/transfer/plan-record.ts';
import { TargetRecords } from '../../../archive/transfer/target-records.ts';
import type { CommandResult } from '../../../cli/command/command.ts';
import type { Session, WorkspaceChoice } from '../../../cli/command/context.ts';
import { confirmWrites } from '../../../cli/command/interaction.ts';
import { identifyWorkspace } from '../../../cli/connect/connection.ts';
import { withWorkspaceLocks } from '../../../cli/connect/workspace-locks.ts';
import { withProgress } from '../../../cli/progress/progress.ts';
import { openRun } from '../../../cli/write-run.ts';
import { hasWriteNotes } from '../../../cli/writes/writing.ts';
import type { Client } from '../../../client/client.ts';
import { writableNouns } from '../../../contract/singular-nouns.ts';
import { databaseVariable } from '../../../settings/database-location.ts';
import { formatDatabase } from '../../../values/database-url.ts';
import { formatInteger, quoteShellWord } from '../../../values/text.ts';
import type { InterruptedCommand } from '../../../writes/interrupted.ts';
import { createStopFailure } from '../../../writes/outcome.ts';
import { formatNoun } from '../place.ts';
import { announceLosses, TransferReport } from './transfer-report.ts';
import { TransferRun } from './transfer-run.ts';

export interface TransferTarget {
  /** The session on the target. */
  readonly session: Session;
  readonly place: WorkspaceChoice;
  /** The target as it was typed. */
  readonly name: string;
  /** Whether to describe each record. */
  readonly isVerbose: boolean;
  /** Maximum number of records written at once; undefined for the default of the target. */
  readonly concurrency: number | undefined;
}

/** The command in the change log. */
const command = 'workspace copy';

/** Copies the records of an archive into a workspace through the API. */
export async function transfer(archive: Archive, target: TransferTarget): Promise<CommandResult> {
  const { session } = target;
  const losses = findLosses(archive);
  await announceLosses(session, target.name, losses);
  if (session.globals.dryRun)
    return withTarget(session, await session.client(), async (records) => {
      const planner = findCopies(archive, records);
      return plan(archive, planner, target).toResult('planned', losses);
    });
  await session.guards.checkCommand({ effects: 'updates' }, {}, command.split(' '));
  return withWorkspaceLocks(session, await identifyWorkspace(session), async () =>
    (await write(archive, target)).toResult('copied', losses),
  );
}

/** Reads the records of the target into a temporary folder, which is removed after `work`. */
async function withTarget<T>(
  session: Session,
  client: Client,
  work: (target: TargetRecords) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'kith-copy-'));
  let target: TargetRecords | undefined;
  try {
    target = await withProgress(session, (update) =>
      TargetRecords.read({
        client,
        folder,
        onProgress: (noun, done, total) =>
          update({ verb: `Comparing ${formatNoun(noun)}`, done, total: total ?? done, unit: 'record' }),
      }),
    );
    return await work(target);
  } finally {
    target?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function plan(archive: Archive, planner: RecordPlanner, { isVerbose }: TransferTarget): TransferReport {
  const report = new TransferReport(archive, isVerbose);
  for (const { source, plan } of planner.planAll()) report.add({ source, ...plan });
  return report;
}

async function write(archive: Archive, target: TransferTarget): Promise<TransferReport> {
  const { session } = target;
  const { run, recorder, interrupted, ...opened } = await openRun(session, {
    command,
    input: writableNouns.map((noun) => archive.manifest.files[noun].sha256),
    describe: ({ doneRows }) => `${formatInteger(doneRows)} records were`,
    concurrency: target.concurrency,
  });
  try {
    const client = await opened.session.client();
    return await withTarget(session, client, async (records) => {
      const createdIds = listCreatedIds(interrupted);
      const planner = findCopies(archive, records, createdIds);
      await confirm(target, plan(archive, planner, { ...target, isVerbose: false }));
      const transferRun = new TransferRun({ archive, planner, client, run });
      const report = await runTransfer(archive, target, transferRun);
      if (run.stop) report.stop = createStopFailure(run.stop, `${report.describe()}.`);
      if (report.failure === undefined) run.finish();
      if (recorder && run.hasWritten && hasWriteNotes(session))
        await session.messages.note(`To revert the copy: ${formatUndo(target)}`);
      return report;
    });
  } finally {
    opened.close();
  }
}

/** Returns the ids of the records that an interrupted run has created, by row. */
function listCreatedIds(interrupted: InterruptedCommand | undefined): ReadonlyMap<number, string> {
  const ids = new Map<number, string>();
  for (const [row, writes] of interrupted?.rows ?? []) {
    const created = writes.find(({ action, after }) => action === 'create' && after);
    if (created?.after) ids.set(row, String(created.after.id));
  }
  return ids;
}

/** Returns the command that reverts the copy. */
function formatUndo({ session, place }: TransferTarget): string {
  const { profile } = session.globals;
  if (!('database' in place) || profile) return `kith undo --profile ${quoteShellWord(profile ?? '')}`;
  return `${databaseVariable}=${quoteShellWord(formatDatabase(place.database))} kith undo`;
}

async function confirm({ session, name }: TransferTarget, planned: TransferReport): Promise<void> {
  if (planned.hasChanges) await confirmWrites(session, 'copy', `Copy to ${name}: ${planned.describe()}?`);
}

async function runTransfer(
  archive: Archive,
  { session, isVerbose }: TransferTarget,
  run: TransferRun,
): Promise<TransferReport> {
  const report = new TransferReport(archive, isVerbose);
  const total = writableNouns.reduce((sum, noun) => sum + archive.manifest.files[noun].records, 0);
  await withProgress(session, async (update) => {
    for await (const outcome of run.run()) {
      report.add(outcome);
      update({ verb: 'Copying', done: report.count, total, unit: 'record' });
    }
  });
  return report;
}
