import { existsSync } from 'node:fs';
import { type CommandResult, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { getErrorMessage } from '../../contract/errors.ts';
import { makeChanges, readScheduler } from './install.ts';
import { checkScheduleName } from './schedule-options.ts';
import { type Scheduler, schedulers } from './scheduler-entries.ts';
import { planEntryRemoval } from './schedulers.ts';
import { describeSteps, type Step } from './steps.ts';
import { resolveScheduleFiles } from './stored-schedules.ts';

/** Removes the entries and the files of a schedule, as far as they exist. */
export async function removeSchedule(session: Session, name: string): Promise<CommandResult> {
  checkScheduleName(name);
  const entries: Step[] = [];
  // Not only the stored scheduler: the stored schedule may be missing, damaged or replaced.
  for (const scheduler of schedulers) entries.push(...(await planRemoval(session, scheduler, name)));
  const { definition, lastRun, log, earlierLog } = resolveScheduleFiles(session.runtime.env, name);
  const files = [definition, lastRun, log, earlierLog].filter((path) => existsSync(path));
  const steps = [...entries, ...files.map((path): Step => ({ kind: 'remove', path }))];
  if (steps.length === 0)
    return toTextResult(`There is no schedule ${name}; nothing was removed.\n`, { id: name, deleted: false });
  const isRemoved = await makeChanges(session, steps, `Remove the schedule ${name}?`);
  if (!isRemoved)
    return toTextResult(await describeSteps(session, steps), { id: name, deleted: false, steps });
  return toTextResult(session.globals.quiet ? '' : `Removed schedule ${name}.\n`, {
    id: name,
    deleted: true,
  });
}

/** Plans the removal of an entry. A crontab that cannot be read does not matter to a schedule of another scheduler. */
async function planRemoval(session: Session, scheduler: Scheduler, name: string): Promise<Step[]> {
  try {
    return await planEntryRemoval(session, scheduler, name);
  } catch (error) {
    session.signal.throwIfAborted();
    const stored = readScheduler(session, name);
    if (stored === undefined || stored === scheduler) throw error;
    await session.messages.warn(getErrorMessage(error));
    return [];
  }
}
