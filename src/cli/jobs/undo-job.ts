import { Failure } from '../../contract/errors.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { withLock } from '../../files/lock.ts';
import { makeFolder } from '../../files/permissions.ts';
import { createTimeFormatter } from '../../render/display.ts';
import type { TableStyle } from '../../render/text/paint.ts';
import { wrapParagraph } from '../../render/text/paragraph.ts';
import { type DamagedCommand, openJournal, readCommands, type StoredCommand } from '../../undo/journal.ts';
import { planUndo, toPlanDocument, type UndoPlan } from '../../undo/plan.ts';
import { runSteps } from '../../undo/run.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { formatCount } from '../../values/text.ts';
import { type CommandResult, toTextResult } from '../command.ts';
import type { Session } from '../context.ts';
import { isUndoOn } from '../flags/settings.ts';
import { isInteractive, requireConsent } from '../interaction.ts';
import { withProgress } from '../print/progress.ts';
import { undoImport } from './import-undo.ts';
import { describeConflicts, describeUndoPlan } from './undo-plan-text.ts';
import { resolveUndoPlace } from './undo-recording.ts';

type Place = Awaited<ReturnType<typeof resolveUndoPlace>>;

/** Reverts the last command that changed the workspace in use. An undo that was interrupted is continued. */
export async function undoLastCommand(session: Session): Promise<CommandResult> {
  const place = await resolveUndoPlace(session);
  if (session.globals.dryRun) return undo(session, place);
  accessFile('write', place.folder, () => makeFolder(place.folder, 0o700));
  const lock = { path: `${place.folder}/${place.workspace}.lock`, work: 'is undoing a command' };
  return withLock(lock, session.lockHolder, () => undo(session, place));
}

async function undo(session: Session, place: Place): Promise<CommandResult> {
  const command = await findCommand(session, place);
  if (command.import !== undefined) return undoRecordedImport(session, command, command.import);
  const client = await session.client();
  const plan = await planUndo(client, command);
  if (plan.changes.length === 0 && command.startedAt === undefined)
    throw new Failure(
      'not_found',
      `\`kith ${command.command}\` changed nothing, so there is nothing to undo.`,
    );
  if (plan.conflicts.length > 0) throw describeConflicts(plan);
  const lines = describeUndoPlan(plan, formatTime(session, command));
  if (session.globals.dryRun) {
    const text = ({ width }: Pick<TableStyle, 'width'>) =>
      lines.map((line) => `${wrapIndented(line, width)}\n`).join('');
    return { kind: 'text', text, json: toRawJson(toPlanDocument(plan, false)) };
  }
  for (const line of lines) await session.note(line);
  if (session.globals.yes) return runUndo(session, plan);
  await confirmUndo(session, command);
  return runUndo(session, await planAgain(session, place, plan));
}

/**
 * Plans an undo again: records may have changed while the question waited for an answer.
 * @throws {Failure} usage if they have
 */
async function planAgain(session: Session, place: Place, { command }: UndoPlan): Promise<UndoPlan> {
  const latest = await findCommand(session, place);
  if (latest.number !== command.number)
    throw new Failure('usage', 'Another command has changed the workspace in the meantime.', {
      hint: 'Run `kith undo` again.',
    });
  const plan = await planUndo(await session.client(), latest);
  if (plan.conflicts.length > 0) throw describeConflicts(plan);
  return plan;
}

async function runUndo(session: Session, plan: UndoPlan): Promise<CommandResult> {
  const { command } = plan;
  const journal = openJournal(command.path);
  journal.truncate(command.size); // a killed command may have written a part of a line
  journal.append({ started: session.now().toISOString() });
  const client = await session.createRecordingClient({ command: 'undo', undoes: command.number });
  const losses = await withProgress(session, (update) =>
    runSteps(client, plan, journal, (done) =>
      update({ verb: 'Undoing', done, total: undefined, unit: 'write' }),
    ),
  );
  await warnOfLosses(session, losses);
  const count = formatCount(plan.changes.length, 'change');
  const text = `Undid \`kith ${command.command}\`: ${count}.\n`;
  return toTextResult(session.globals.quiet ? '' : text, toPlanDocument(plan, true));
}

/** Maximum number of reasons that a warning has. */
const maxReasons = 5;

async function warnOfLosses({ warn }: Session, reasons: readonly string[]): Promise<void> {
  for (const reason of reasons.slice(0, maxReasons)) await warn(`Not restored: ${reason}`);
  const more = reasons.length - maxReasons;
  if (more > 0) await warn(`Not restored for other reasons: ${formatCount(more, 'more value')}.`);
}

/**
 * Finds the command to undo: the last one, or the one whose undo was interrupted.
 * @throws {Failure} not_found if there is none, usage if it cannot be undone
 */
async function findCommand(session: Session, { folder, workspace }: Place): Promise<StoredCommand> {
  const commands = readCommands(folder, workspace, session.now());
  const last = commands.next().value;
  if (!last) throw await createEmptyFailure(session);
  const command = requireIntact(last);
  if (command.undone_import !== undefined) {
    throw new Failure(
      'usage',
      `The last command undid the import ${command.undone_import}. It cannot be reverted.`,
      {
        hint: 'To repeat the import, import its file again.',
      },
    );
  }
  let wasContinued = false;
  for (const earlier of command.undoes === undefined ? [] : commands) {
    if (earlier.number === command.undoes && !requireIntact(earlier).isFinished)
      return requireUndoable(earlier);
    if (earlier.number <= (command.undoes ?? 0)) break;
    wasContinued ||= 'undoes' in earlier && earlier.undoes === command.undoes;
  }
  if (wasContinued)
    throw new Failure('usage', 'The last undo was interrupted and then continued. It cannot be reverted.');
  if (command.isFinished)
    throw new Failure(
      'not_found',
      `The last recorded command, \`kith ${command.command}\`, has already been undone.`,
    );
  return requireUndoable(command);
}

function requireIntact(command: StoredCommand | DamagedCommand): StoredCommand {
  if (!('isDamaged' in command)) return command;
  throw new Failure('usage', 'The last command cannot be undone: it was not recorded completely.', {
    hint: `Its journal is ${command.path}`,
  });
}

function requireUndoable(found: StoredCommand | DamagedCommand): StoredCommand {
  const command = requireIntact(found);
  const { incomplete = [] } = command;
  const reasons = [incomplete, command.impossible, command.writes.map(findReason)].flat(2);
  if (reasons.length === 0) return command;
  throw new Failure('usage', `\`kith ${command.command}\` cannot be undone: ${reasons.join(' ')}`);
}

/** A list without its entries would be of little use. */
const findReason = ({ what, missing }: StoredCommand['writes'][number]) =>
  what === 'list' && missing.length > 0 ? ['The entries of the list could not be recorded.'] : [];

async function createEmptyFailure(session: Session): Promise<Failure> {
  const isOn = await isUndoOn(session);
  const message =
    'Nothing to undo: no change to this workspace was recorded on this machine in the last 30 days.';
  return new Failure(
    'not_found',
    message,
    isOn ? {} : { hint: 'To record changes: kith config set undo on' },
  );
}

/** Formats the time of a command, to follow "from". */
function formatTime({ now }: Session, { at }: StoredCommand): string {
  const time = createTimeFormatter(now(), undefined, false)(at);
  return time === 'now' ? 'just now' : time;
}

async function confirmUndo(session: Session, { command }: StoredCommand): Promise<void> {
  if (session.globals.yes) return;
  if (!isInteractive(session))
    throw new Failure('usage', 'Refusing to undo without confirmation. Pass --yes to skip the prompt.');
  await requireConsent(session, `Undo \`kith ${command}\`?`);
}

/** Wraps a line, which keeps the spaces at its start. */
function wrapIndented(line: string, width: number | undefined): string {
  const text = line.trimStart();
  const start = line.length - text.length;
  return `${' '.repeat(start)}${wrapParagraph(text, width, start + 4)}`;
}

/** Undoes an import by its own journal. */
async function undoRecordedImport(
  session: Session,
  command: StoredCommand,
  file: string,
): Promise<CommandResult> {
  const { globals } = session;
  await session.note(
    `Undo \`kith ${command.command}\` from ${formatTime(session, command)}, recorded in ${file}.`,
  );
  if (!globals.dryRun) await confirmUndo(session, command);
  const confirmed = { ...session, globals: { ...globals, yes: true } };
  return undoImport(confirmed, { file, concurrency: undefined });
}
