import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CommandResult, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { isInteractive, requireConsent } from '../../cli/command/interaction.ts';
import { findPasswords } from '../../cli/connect/secrets.ts';
import type { Result } from '../../contract/documents/results.ts';
import { Failure } from '../../contract/errors.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { requireReplaceable } from '../../files/durable-file.ts';
import { withLock } from '../../files/lock.ts';
import { makeFolder, privatePermissions } from '../../files/permissions.ts';
import { readDatabasePasswords } from '../../settings/database-location.ts';
import {
  type Environment,
  findProjectFiles,
  resolveDataFolder,
  resolveHomeFolder,
  resolveScheduleFolder,
} from '../../settings/paths.ts';
import { getZoneName, resolveZone } from '../../values/dates.ts';
import {
  buildCronEnvironment,
  checkControlCharacters,
  type Job,
  listMissingSecrets,
  requireHomeFolder,
  requireProfile,
} from './job.ts';
import { checkScheduleName } from './schedule-options.ts';
import { describeTime, findNextRun, type ScheduleTime } from './schedule-time.ts';
import type { Scheduler } from './scheduler-entries.ts';
import { detectScheduler, planEntry, planEntryRemoval } from './schedulers.ts';
import { applySteps, describeSteps, type Step } from './steps.ts';
import {
  formatStoredSchedule,
  readStoredSchedule,
  resolveScheduleFiles,
  type StoredSchedule,
  scheduleFormat,
} from './stored-schedules.ts';

/** What to install. */
export interface Installation {
  readonly name: string;
  readonly job: Job;
  readonly time: ScheduleTime;
  readonly scheduler: Scheduler | undefined;
  readonly onFailure: string | undefined;
  readonly afterFailures: number | undefined;
}

/** Installs a schedule, or replaces the one with its name. */
export async function installSchedule(session: Session, installation: Installation): Promise<CommandResult> {
  const { name, job } = installation;
  checkScheduleName(name);
  checkTimeZone(session.runtime.env);
  await requireProfile(session, job);
  checkSecrets(session, installation);
  const scheduler = installation.scheduler ?? (await detectScheduler(session));
  const stored = await buildStoredSchedule(session, installation, scheduler);
  const steps = await planInstallation(session, stored);
  for (const message of listMissingSecrets(session, job)) await session.messages.note(message);
  const lastDay = Math.max(...(stored.time.days ?? [0]));
  if (lastDay > 28) await session.messages.note(`Day ${lastDay} is skipped in months that do not have it.`);
  const { log } = resolveScheduleFiles(session.runtime.env, name);
  const next = findNextRun(stored.time, stored.time_zone, session.runtime.now().getTime());
  const json: Result<'installed-schedule'> = {
    name,
    scheduler,
    schedule: describeTime(stored.time),
    time_zone: stored.time_zone,
    next_run: next === undefined ? null : new Date(next).toISOString(),
    log,
    command: stored.job,
  };
  const isInstalled = await makeChanges(session, steps, `Install the schedule ${name}?`);
  if (!isInstalled) return toTextResult(await describeSteps(session, steps), { ...json, steps });
  if (scheduler === 'systemd')
    await session.messages.note(
      'The schedule runs only while you are signed in. To change this, type: loginctl enable-linger',
    );
  const when = next === undefined ? '' : ` Next run: ${new Date(next).toISOString()}.`;
  const text = `Installed schedule ${name} (${scheduler}): ${json.schedule} ${stored.time_zone}.${when}\nLog: ${log}\n`;
  return toTextResult(session.globals.quiet ? '' : text, json);
}

/** @throws {Failure} usage if TZ is not the time zone of the machine, in which all schedulers run */
function checkTimeZone({ TZ }: Environment): void {
  if (!TZ) return;
  const [zone, machineZone] = [resolveZone(TZ), resolveZone(readMachineZone())];
  if (zone && machineZone && getZoneName(zone) === getZoneName(machineZone)) return;
  throw new Failure('usage', 'Schedules run in the time zone of the machine, but TZ is a different one.', {
    hint: 'Unset TZ: env -u TZ kith schedule install ...',
  });
}

/** Returns the path of the machine's zone, as in /usr/share/zoneinfo/Asia/Seoul. Without one, the C library uses UTC. */
function readMachineZone(): string {
  const path = '/etc/localtime';
  return existsSync(path) ? realpathSync(path) : 'UTC';
}

/** @throws {Failure} usage if the schedule would store a password, or a key of this shell or of the settings */
function checkSecrets(session: Session, { job, onFailure = '' }: Installation): void {
  const places = [['The job', job.words.join(' ')] as const, ['--on-failure', onFailure]] as const;
  for (const [place, text] of places) {
    const passwords = [...findPasswords(text.split(' ')), ...readDatabasePasswords(session.runtime.env)];
    const hasPassword = passwords.some((password) => text.includes(password));
    if (!hasPassword && session.streams.redact(text) === text) continue;
    const secret = hasPassword ? 'a password' : 'the API key';
    throw new Failure('usage', `${place} contains ${secret}, which the schedule would store.`);
  }
}

async function buildStoredSchedule(
  session: Session,
  { name, job, time, onFailure, afterFailures }: Installation,
  scheduler: Scheduler,
): Promise<StoredSchedule> {
  const { node, script } = session.runtime.getInvocation();
  const environment = Object.entries(buildCronEnvironment(session)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const values = environment.map(([, value]) => value);
  checkControlCharacters([node, script, ...job.words, onFailure ?? '', ...values]);
  const { TZ = 'UTC' } = Object.fromEntries(environment);
  return {
    version: 1,
    name,
    scheduler,
    time,
    time_zone: TZ,
    job: [...job.words],
    node,
    script,
    folder: await findJobFolder(session),
    environment: Object.fromEntries(environment),
    ...(onFailure !== undefined && { on_failure: onFailure }),
    ...(afterFailures !== undefined && { after_failures: afterFailures }),
  };
}

/** Returns the folder of the nearest project file, so that its guards and defaults apply to the job, or the home folder. */
async function findJobFolder(session: Session): Promise<string> {
  const [projectFile] = findProjectFiles(session.runtime);
  return projectFile === undefined ? requireHomeFolder(session) : dirname(projectFile);
}

/** Returns the steps that install a schedule, and remove the entry of the same name from another scheduler. */
async function planInstallation(session: Session, stored: StoredSchedule): Promise<Step[]> {
  const { name, scheduler } = stored;
  const { definition } = resolveScheduleFiles(session.runtime.env, name);
  requireReplaceable(scheduleFormat, definition);
  const earlier = readScheduler(session, name);
  const removal = earlier && earlier !== scheduler ? await planEntryRemoval(session, earlier, name) : [];
  return [
    { kind: 'write', path: definition, text: formatStoredSchedule(stored), permissions: privatePermissions },
    ...planEntry(session, scheduler, {
      name,
      startTime: stored.time,
      command: [stored.node, stored.script, 'schedule', 'run', name],
      environment: readEntryEnvironment(session),
      home: resolveHomeFolder(session.runtime.env),
    }),
    ...removal,
  ];
}

/** Returns the scheduler of a stored schedule; undefined if there is none, or if it is damaged. */
export function readScheduler({ runtime: { env } }: Session, name: string): Scheduler | undefined {
  try {
    return readStoredSchedule(env, name)?.scheduler;
  } catch {
    return undefined;
  }
}

/** Returns the variable with which `schedule run` finds the stored schedule. */
function readEntryEnvironment({ runtime: { env } }: Session): Record<string, string> {
  const folder = resolveDataFolder(env);
  return env.KITH_CONFIG_DIR ? { KITH_CONFIG_DIR: folder } : { XDG_DATA_HOME: dirname(folder) };
}

/** Milliseconds to wait for another run that changes schedules. */
const lockTimeout = 10_000;

/**
 * Shows the steps, asks and makes the changes. With --yes it neither shows nor asks. Returns false for a dry run.
 * @throws {Failure} usage without a terminal and --yes, cancelled if declined
 */
export async function makeChanges(
  session: Session,
  steps: readonly Step[],
  question: string,
): Promise<boolean> {
  const { globals, signal } = session;
  const { env, lockHolder } = session.runtime;
  if (globals.dryRun) return false;
  if (!globals.yes) {
    if (!isInteractive(session)) {
      throw new Failure('usage', 'Refusing to change this machine without confirmation.', {
        hint: 'Pass --yes to skip the prompt, or --dry-run to see the changes.',
      });
    }
    await session.streams.stderr.write(await describeSteps(session, steps));
    await requireConsent(session, question);
  }
  const folder = resolveScheduleFolder(env);
  accessFile('write', folder, () => makeFolder(folder, privatePermissions.folder));
  const lock = { path: `${folder}.lock`, work: 'is changing schedules' };
  await withLock(lock, { ...lockHolder, signal }, () => applySteps(session, steps), lockTimeout);
  return true;
}
