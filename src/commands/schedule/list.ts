import { existsSync } from 'node:fs';
import { type CommandResult, toRecordsResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import type { Result } from '../../contract/documents/results.ts';
import { getErrorMessage } from '../../contract/errors.ts';
import { isNewerFailure } from '../../files/durable-file.ts';
import { views } from '../../render/views.ts';
import { quoteShellWord } from '../../values/text.ts';
import { readScheduler } from './install.ts';
import { describeTime, findNextRun } from './schedule-time.ts';
import { createEntryChecker, readCrontabNames } from './schedulers.ts';
import {
  listScheduleNames,
  readLastRun,
  readStoredSchedule,
  resolveScheduleFiles,
  type StoredSchedule,
} from './stored-schedules.ts';

/** Lists the installed schedules, and entries in the crontab whose schedule is missing. */
export async function listSchedules(session: Session): Promise<CommandResult> {
  const { env } = session.runtime;
  const names = listScheduleNames(env);
  const crontabNames = await readCrontabNames(session).catch(async (error) => {
    session.signal.throwIfAborted();
    if (names.some((name) => readScheduler(session, name) === 'cron')) throw error;
    await session.messages.warn(getErrorMessage(error)); // the user may not be allowed to use cron
    return [];
  });
  const isInstalled = createEntryChecker(session, crontabNames);
  const records: Result<'schedule'>[] = [];
  for (const name of names) {
    try {
      const stored = readStoredSchedule(env, name);
      if (stored) records.push(buildRecord(session, stored, await isInstalled(stored.scheduler, name)));
    } catch (error) {
      session.signal.throwIfAborted();
      await session.messages.warn(getErrorMessage(error));
      records.push({ ...emptyRecord, name, state: isNewerFailure(error) ? 'newer version' : 'damaged' });
    }
  }
  for (const name of crontabNames.filter((name) => !names.includes(name)))
    records.push({ ...emptyRecord, name, scheduler: 'cron', state: 'job missing' });
  const empty = 'There are no schedules. To install one, see: kith schedule install --help';
  return toRecordsResult(records, views.schedules, empty);
}

const emptyRecord: Result<'schedule'> = {
  name: '',
  scheduler: null,
  schedule: null,
  time_zone: null,
  state: '',
  next_run: null,
  last_run: null,
  last_exit_code: null,
  log: null,
  command: null,
  on_failure: null,
  last_error: null,
};

function buildRecord(
  { runtime: { env, now } }: Session,
  stored: StoredSchedule,
  isInstalled: boolean,
): Result<'schedule'> {
  const { name, scheduler, time, time_zone } = stored;
  const { started_at = null, exit_code = null, error = null } = readLastRun(env, name) ?? {};
  const isComplete = [stored.node, stored.script, stored.folder].every((path) => existsSync(path));
  const state = isInstalled ? (isComplete ? 'installed' : 'program missing') : 'entry missing';
  const next = state === 'installed' ? findNextRun(time, time_zone, now().getTime()) : undefined;
  return {
    ...emptyRecord,
    name,
    scheduler,
    schedule: describeTime(time),
    time_zone,
    state,
    next_run: next === undefined ? null : new Date(next).toISOString(),
    last_run: started_at,
    last_exit_code: exit_code,
    log: resolveScheduleFiles(env, name).log,
    command: ['kith', ...stored.job].map(quoteShellWord).join(' '),
    on_failure: stored.on_failure ?? null,
    last_error: error,
  };
}
