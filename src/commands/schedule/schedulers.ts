import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Session } from '../../cli/command/context.ts';
import { Failure } from '../../contract/errors.ts';
import { resolveHomeFolder } from '../../settings/paths.ts';
import { formatCrontabBlock, listCrontabNames } from './crontab.ts';
import {
  formatCrontabLine,
  formatLaunchdPlist,
  formatSystemdService,
  formatSystemdTimer,
  type Schedule,
  type Scheduler,
} from './scheduler-entries.ts';
import { readCrontab, runTool, type Step } from './steps.ts';

/** The name of the files of an installed schedule. */
const toEntryName = (name: string) => `kith-${name}`;

/** Returns the scheduler of this machine: launchd on macOS, systemd if it runs for this user, or else cron. */
export async function detectScheduler(session: Session): Promise<Scheduler> {
  const { platform } = session.services.machine;
  if (platform === 'darwin') return 'launchd';
  if (platform === 'win32') {
    throw new Failure('failed', 'kith schedule install does not support the Windows Task Scheduler.', {
      hint: 'Create a task that runs the command, or use kith under WSL.',
    });
  }
  return (await hasUserManager(session)) ? 'systemd' : 'cron';
}

async function hasUserManager(session: Session): Promise<boolean> {
  const { hasProgram } = await session.terminal.programs();
  if (!hasProgram('systemctl')) return false;
  return (await runTool(session, ['systemctl', '--user', 'show-environment'])).exit === 0;
}

const resolveUnits = (session: Session, name: string) => {
  const unit = join(resolveHomeFolder(session.runtime.env), '.config/systemd/user', toEntryName(name));
  return { service: `${unit}.service`, timer: `${unit}.timer` };
};

const resolveAgent = (session: Session, name: string) =>
  join(resolveHomeFolder(session.runtime.env), 'Library/LaunchAgents', `${toEntryName(name)}.plist`);

const getDomain = () => `gui/${userInfo().uid}`;

const systemctl = (...words: readonly string[]) => ['systemctl', '--user', ...words];

/** Returns the steps that install the entry of a schedule, and start it. `schedule.name`: without `kith-`. */
export function planEntry(session: Session, scheduler: Scheduler, schedule: Schedule): Step[] {
  const { name } = schedule;
  const entry = { ...schedule, name: toEntryName(name) };
  if (scheduler === 'cron')
    return [{ kind: 'crontab', name, block: formatCrontabBlock(name, formatCrontabLine(entry)) }];
  if (scheduler === 'systemd') {
    const { service, timer } = resolveUnits(session, name);
    const timerName = `${entry.name}.timer`;
    const reload = systemctl('daemon-reload');
    const disable = existsSync(timer) ? undefined : systemctl('disable', '--now', timerName);
    return [
      { kind: 'write', path: service, text: `${formatSystemdService(entry)}\n`, revert: reload },
      { kind: 'write', path: timer, text: `${formatSystemdTimer(entry)}\n` },
      { kind: 'run', command: reload },
      { kind: 'run', command: systemctl('enable', timerName), revert: disable },
      // A running timer takes over a new time only when it is restarted.
      { kind: 'run', command: systemctl('restart', timerName) },
    ];
  }
  const agent = resolveAgent(session, name);
  const load = ['launchctl', 'bootstrap', getDomain(), agent];
  const reload = existsSync(agent) ? load : undefined;
  return [
    { kind: 'write', path: agent, text: `${formatLaunchdPlist(entry)}\n`, revert: reload },
    // launchd loads no agent that is loaded already.
    { kind: 'run', command: ['launchctl', 'bootout', `${getDomain()}/${entry.name}`], mayFail: true },
    { kind: 'run', command: load },
  ];
}

/** Returns the steps that stop the entry of a schedule and remove it, as far as it exists. */
export async function planEntryRemoval(
  session: Session,
  scheduler: Scheduler,
  name: string,
): Promise<Step[]> {
  const entryName = toEntryName(name);
  if (scheduler === 'cron') {
    const { hasProgram } = await session.terminal.programs();
    if (!hasProgram('crontab') || !listCrontabNames(await readCrontab(session)).includes(name)) return [];
    return [{ kind: 'crontab', name, block: '' }];
  }
  if (scheduler === 'systemd') {
    const { service, timer } = resolveUnits(session, name);
    const files = [timer, service].filter((path) => existsSync(path));
    if (files.length === 0) return [];
    return [
      { kind: 'run', command: systemctl('disable', '--now', `${entryName}.timer`), mayFail: true },
      ...files.map((path): Step => ({ kind: 'remove', path })),
      { kind: 'run', command: systemctl('daemon-reload'), mayFail: true },
    ];
  }
  const agent = resolveAgent(session, name);
  if (!existsSync(agent)) return [];
  return [
    { kind: 'run', command: ['launchctl', 'bootout', `${getDomain()}/${entryName}`], mayFail: true },
    { kind: 'remove', path: agent },
  ];
}

/** Returns a function that tells whether a schedule has an entry which its scheduler runs. */
export function createEntryChecker(session: Session, crontabNames: readonly string[]) {
  return async (scheduler: Scheduler, name: string): Promise<boolean> => {
    if (scheduler === 'cron') return crontabNames.includes(name);
    if (scheduler === 'launchd') return existsSync(resolveAgent(session, name));
    const { service, timer } = resolveUnits(session, name);
    if (!existsSync(service) || !existsSync(timer)) return false;
    const { hasProgram } = await session.terminal.programs();
    if (!hasProgram('systemctl')) return false;
    return (await runTool(session, systemctl('is-enabled', `${toEntryName(name)}.timer`))).exit === 0;
  };
}

/** Returns the names of the schedules in the crontab of this user; none if cron is not installed. */
export async function readCrontabNames(session: Session): Promise<string[]> {
  const { hasProgram } = await session.terminal.programs();
  return hasProgram('crontab') ? listCrontabNames(await readCrontab(session)) : [];
}
