import { resolveWorkspaceLogs } from '../../cli/change-log.ts';
import { type CommandResult, toRecordsResult, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { confirmPlan } from '../../cli/command/interaction.ts';
import { readUndoSetting } from '../../cli/connect/settings.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { requireEnded, startRun } from '../../cli/write-run.ts';
import { Failure } from '../../contract/errors.ts';
import { withLock } from '../../files/lock.ts';
import { toPathKey } from '../../records/path.ts';
import { createTimeFormatter } from '../../render/display.ts';
import type { TableStyle } from '../../render/text/paint.ts';
import { wrapParagraph } from '../../render/text/paragraph.ts';
import { views } from '../../render/views.ts';
import { addRestored, findRestored, History, listObstacles, type RevertTarget } from '../../undo/history.ts';
import { planRevert, type RecordIds, type RevertPlan } from '../../undo/plan.ts';
import { Reverter } from '../../undo/revert.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { formatCount } from '../../values/text.ts';
import { resolveCreates } from '../../writes/created.ts';
import { type LoggedCommand, requireCommand } from '../../writes/log.ts';
import { createLogFolder } from '../../writes/log-files.ts';
import type { UnrecordedCommand } from '../../writes/unrecorded.ts';
import { describeConflicts, describePlan, toPlanDocument } from './plan-text.ts';
import { changeItems, invertItems, planItemRevert } from './revert-items.ts';

/** The words of an undo, or of a redo. */
const verbs = {
  undo: { title: 'Undo', past: 'Undid', progress: 'Undoing' },
  redo: { title: 'Redo', past: 'Reverted', progress: 'Redoing' },
} as const;
type Verb = keyof typeof verbs;

/**
 * Runs work while no other undo, redo or merge writes to the workspace.
 * @throws {Failure} busy if another one is running
 */
export async function withRevertLock<T>(
  session: Session,
  folder: string,
  work: () => Promise<T>,
): Promise<T> {
  createLogFolder(folder);
  const lock = { path: `${folder}/revert.lock`, work: 'is reverting a command or merging records' };
  return withLock(lock, session.runtime.lockHolder, work);
}

/** What to revert. */
interface RevertRequest {
  readonly folder: string;
  readonly verb: Verb;
  /** The number of the command; if omitted, the last one. */
  readonly number: number | undefined;
  /** The numbers of commands that changed nothing. */
  readonly omittedNumbers: ReadonlySet<number>;
}

/** Reverts the last command, or the last undo, or the command with a number. Continues an interrupted run. */
export async function revertLast(session: Session, verb: Verb, number?: number): Promise<CommandResult> {
  const folder = await resolveWorkspaceLogs(session);
  const request: RevertRequest = { folder, verb, number, omittedNumbers: new Set() };
  if (session.globals.dryRun) return revert(session, request);
  return withRevertLock(session, folder, () => revert(session, request));
}

async function revert(session: Session, request: RevertRequest): Promise<CommandResult> {
  const read = () => proposeRevert(session, request);
  if (!session.globals.dryRun)
    return runRevert(session, await confirmPlan(session, request.verb, read), request.verb);
  const { plan, lines, unrecorded, target } = await read();
  if (plan) {
    const text = ({ width }: Pick<TableStyle, 'width'>) =>
      lines.map((line) => `${wrapIndented(line, width)}\n`).join('');
    return { kind: 'text', text, json: toRawJson(toPlanDocument(plan, unrecorded, false)) };
  }
  for (const line of lines) await session.messages.note(line);
  return revertImport(session, target);
}

/** Plans a revert, and describes it for the question. */
async function proposeRevert(session: Session, request: RevertRequest) {
  const { verb, number, omittedNumbers } = request;
  const plannedRevert = await planTarget(session, request);
  const { target, plan, unrecorded } = plannedRevert;
  const { command, interruptedRevert } = target;
  if (plan && !plan.hasWrites && !interruptedRevert && number === undefined) {
    // All writes of the command lost their response and were not carried out.
    return proposeRevert(session, {
      ...request,
      omittedNumbers: new Set([...omittedNumbers, command.number]),
    });
  }
  const { title } = verbs[verb];
  const heading = interruptedRevert ? `Continue the interrupted ${verb} of` : title;
  return {
    ...plannedRevert,
    text: `${title} \`kith ${command.command}\`?`,
    lines: [
      ...unrecorded.map((later) => `A later command is not recorded: ${describeCommand(session, later)}.`),
      ...(plan
        ? describePlan(plan, heading, formatTime(session, command))
        : [`Undo ${describeCommand(session, command)}, recorded in ${command.report}.`]),
    ],
    seen: [command.number, plan && [plan.changes, plan.steps, ...plan.tags], unrecorded],
  };
}

const numberHint = 'To revert an earlier command, pass its number: kith undo --list';

/** Names a command and its time: "`kith contacts delete` from 5 min ago". */
function describeCommand(session: Session, { command, at }: UnrecordedCommand | LoggedCommand): string {
  const name = command === undefined ? 'an unknown command' : `\`kith ${command}\``;
  return at === undefined ? name : `${name} from ${formatTime(session, { at })}`;
}

/** A command to revert and its plan; an import has no plan. */
interface PlannedRevert {
  readonly target: RevertTarget;
  readonly ids: RecordIds;
  /** The records that the interrupted revert created without their response. */
  readonly restored?: Awaited<ReturnType<typeof findRestored>>;
  readonly plan?: RevertPlan;
  /** The later commands that are not recorded, each once. */
  readonly unrecorded: readonly UnrecordedCommand[];
}

/** Finds the command to revert, and plans it. @throws {Failure} usage if it is not the last one, or records have changed */
async function planTarget(session: Session, request: RevertRequest): Promise<PlannedRevert> {
  const { target, history } = await findTarget(session, request);
  const { command, interruptedRevert } = target;
  const { ids } = history;
  const unrecorded = history.listUnrecorded(interruptedRevert ?? command);
  const [last] = unrecorded;
  const { yes, dryRun } = session.globals;
  if (last && yes && !dryRun && request.number === undefined) {
    const message = `The last command is not recorded, so it cannot be reverted: ${describeCommand(session, last)}.`;
    throw new Failure('usage', message, { hint: numberHint });
  }
  if (command.report !== undefined && command.undoes !== undefined)
    throw new Failure('usage', `The last undo reverted the import recorded in ${command.report}.`, {
      hint: 'To repeat the import, import its file again.',
    });
  if (command.report !== undefined) return { target, ids, unrecorded };
  if (command.items) return { target, ids, unrecorded, plan: planItemRevert(command, command.items) };
  const client = await session.client();
  const { createdIds } = history;
  const restored = interruptedRevert ? await findRestored(client, interruptedRevert, createdIds) : [];
  const knownIds = new Set([...createdIds, ...restored.map(({ after }) => String(after.id))]);
  const writes = await resolveCreates(client, command, knownIds);
  const allIds = addRestored(ids, restored);
  const plan = await planRevert(client, { ...command, writes }, allIds);
  if (plan.conflicts.length > 0) throw describeConflicts(plan);
  return { target, ids: allIds, restored, plan, unrecorded };
}

async function runRevert(
  session: Session,
  { target, ids, restored = [], plan, unrecorded }: PlannedRevert,
  verb: Verb,
): Promise<CommandResult> {
  if (!plan) return revertImport(session, target);
  const { command, interruptedRevert } = target;
  const { past, progress } = verbs[verb];
  const items = command.items && invertItems(command.items);
  const subject = {
    command: verb,
    undoes: command.number,
    ...(verb === 'redo' && { is_redo: true as const }),
    ...(command.is_script && { is_script: true as const }),
    ...(items && { items }),
  };
  if (items) await session.guards.checkCommand({ effects: 'marks' }, {}, [verb]);
  const { run, recorder, close } = await startRun(session, {}, async ({ connections }) => ({
    recorder: await connections.createRecorder(subject, interruptedRevert),
  }));
  try {
    for (const { n, after } of restored) recorder.open().append({ n, after });
    if (items) {
      recorder.open();
      await changeItems(session, items);
    } else {
      const reverter = new Reverter(run, ids.newIds, plan.tags);
      const losses = await withProgress(session, (update) =>
        reverter.run(plan, (done) =>
          update({ verb: progress, done, total: plan.steps.length, unit: 'write' }),
        ),
      );
      await warnOfLosses(session, losses);
    }
    recorder.finish();
  } finally {
    close();
  }
  // Two requests may be needed for one record.
  const writtenKeys = new Set(plan.steps.map((step) => toPathKey({ ...step, id: step.id ?? step.from })));
  const changeCount = items ? plan.changes.length : writtenKeys.size;
  const text = `${past} \`kith ${command.command}\`: ${formatCount(changeCount, 'change')}.\n`;
  return toTextResult(session.globals.quiet ? '' : text, toPlanDocument(plan, unrecorded, true));
}

/** Maximum number of reasons that a warning has. */
const maxReasons = 5;

async function warnOfLosses({ messages: { warn } }: Session, reasons: readonly string[]): Promise<void> {
  for (const reason of reasons.slice(0, maxReasons)) await warn(`Not restored: ${reason}`);
  const more = reasons.length - maxReasons;
  if (more > 0) await warn(`Not restored for other reasons: ${formatCount(more, 'more value')}.`);
}

/**
 * Finds the command to revert.
 * @throws {Failure} not_found if there is none, usage if it cannot be reverted, failed if its log cannot be used
 */
async function findTarget(session: Session, { folder, verb, number, omittedNumbers }: RevertRequest) {
  const history = new History(folder, omittedNumbers);
  const last = verb === 'undo' ? history.findUndo() : history.findRedo();
  const target = number === undefined ? last : findNumbered(history, verb, number, last);
  if (!target) throw await createEmptyFailure(session, verb, history);
  if (!session.globals.dryRun) await requireEnded(session, folder, target.command);
  const obstacles = listObstacles(target.command);
  const command = requireCommand(target.command);
  if (obstacles.length === 0) return { target: { ...target, command }, history };
  throw new Failure('usage', `\`kith ${target.command.command}\` cannot be undone: ${obstacles.join(' ')}`);
}

/** Returns the command with a number. @throws {Failure} not_found, usage if it cannot be reverted now, failed as above */
function findNumbered(
  history: History,
  verb: Verb,
  number: number,
  last: RevertTarget | undefined,
): RevertTarget {
  if (last?.command.number === number) return last;
  const unusableLog = history.unusableLogs.find((log) => log.number === number);
  if (unusableLog) throw unusableLog.failure;
  const command = history.find(number);
  const hint = 'List the commands: kith undo --list';
  if (!command) throw new Failure('not_found', `No recorded command has the number ${number}.`, { hint });
  if (last?.interruptedRevert)
    throw new Failure('usage', `An earlier ${verb} was interrupted.`, {
      hint: `Finish it first: kith ${verb} ${last.command.number}`,
    });
  if (verb === 'undo' && history.canUndo(command)) return { command, interruptedRevert: undefined };
  const reason = verb === 'undo' ? describeStatus(history, command) : 'not the last undo';
  const message = `\`kith ${verb}\` cannot revert command ${number} (${reason}).`;
  throw new Failure('usage', message, { hint });
}

async function createEmptyFailure(session: Session, verb: Verb, history: History): Promise<Failure> {
  if (verb === 'redo')
    return new Failure(
      'not_found',
      'Nothing to redo: the last command that changed this workspace was not an undo.',
    );
  const setting = await readUndoSetting(session);
  const [last] = history.unrecordedCommands;
  const unrecorded = last && ` Not recorded: ${describeCommand(session, last)}.`;
  const message =
    history.commands.length > 0
      ? 'Nothing to undo: all recorded commands are undone.'
      : 'Nothing to undo: no change to this workspace was recorded on this machine.';
  return new Failure('not_found', `${message}${unrecorded ?? ''}`, {
    ...(setting !== 'on' && { hint: 'To record the commands of scripts too: kith config set undo on' }),
  });
}

/** Formats the time of a command, to follow "from". */
function formatTime({ runtime: { now } }: Session, { at }: Pick<LoggedCommand, 'at'>): string {
  const time = createTimeFormatter(now(), undefined, false)(at);
  return time === 'now' ? 'just now' : time;
}

/** Wraps a line, which keeps the spaces at its start. */
function wrapIndented(line: string, width: number | undefined): string {
  const text = line.trimStart();
  const start = line.length - text.length;
  return `${' '.repeat(start)}${wrapParagraph(text, width, start + 4)}`;
}

/** Reverts an import. */
async function revertImport(session: Session, { command }: RevertTarget): Promise<CommandResult> {
  const { report: file = '' } = command;
  const confirmedSession = { ...session, globals: { ...session.globals, yes: true } };
  const { undoImport } = await import('./undo-import.ts');
  return undoImport(confirmedSession, { file, concurrency: undefined }).catch((error: unknown) => {
    if (!(error instanceof Failure && error.code === 'usage') || error.detail.hint !== undefined) throw error;
    throw new Failure(error.code, error.message, { ...error.detail, hint: numberHint });
  });
}

/** Lists the workspace's commands, the last one first. */
export async function listRecorded(session: Session): Promise<CommandResult> {
  const history = new History(await resolveWorkspaceLogs(session));
  const records = history.commands.map((command) => ({
    command: command.command,
    at: command.at,
    changes: command.report === undefined ? (command.items?.changes ?? command.writes).length : null,
    status: describeStatus(history, command),
    number: command.number,
  }));
  const unrecorded = history.unrecordedCommands.map(({ command = null, at = null, number, failure }) => ({
    command,
    at,
    changes: null,
    status: failure?.message ?? 'not recorded',
    number,
  }));
  const all = [...records, ...unrecorded].sort((left, right) => right.number - left.number);
  return toRecordsResult(all, views.recorded, 'No command is recorded yet.');
}

function describeStatus(history: History, command: LoggedCommand): string {
  if (history.isReverted(command)) return 'undone';
  const isUndoneImport = command.report !== undefined && command.undoes !== undefined;
  if (isUndoneImport) return 'cannot be redone';
  if (listObstacles(command).length > 0) return 'cannot be undone';
  if (command.undoes === undefined || command.is_redo) return 'can be undone';
  if (!command.isFinished) return 'interrupted';
  return history.findRedo()?.command === command ? 'can be redone' : 'cannot be redone';
}
