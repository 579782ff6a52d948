import { exitCodes, Failure } from '../../contract/errors.ts';
import { type Environment, resolveHomeFolder } from '../../settings/paths.ts';
import { command, said } from '../command.ts';
import type { Session } from '../context.ts';
import { choice, type Option } from '../flags/options.ts';
import { exactlyOne } from '../flags/rules.ts';
import { type Job, jobArgument, nestedJobReason, parseJob } from '../jobs/job.ts';
import {
  buildCronEnvironment,
  findLikelyReasons,
  keyNotInCron,
  needsShellKey,
  pinWorkspace,
  readScheduleEnvironment,
  readTimeZone,
  requireHomeFolder,
} from '../jobs/schedule-environment.ts';
import {
  buildSchedulerEntries,
  type Schedule,
  type SchedulerEntry,
  type ScheduleTime,
  schedulers,
  timeOptions,
} from '../jobs/scheduler-entries.ts';
import { startProgress } from '../print/progress.ts';

const fileName: Option<string | undefined> = {
  summary: 'Name of the units and the agent (default: kith and the words of the command)',
  value: 'NAME',
  read(given) {
    if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(given)) return given;
    throw new Failure('usage', `"${given}" cannot name a file of each system.`, {
      hint: 'Type letters, digits, "-", "_" and ".".',
    });
  },
};

export const schedule = [
  command({
    name: 'print',
    summary: 'Print what runs a command at set times: for cron, systemd and launchd',
    description:
      'Print what runs a command at set times: a line for a crontab, a service and a timer for systemd, and an ' +
      'agent for launchd. The command is what follows --, without kith. It is checked now, and its paths become ' +
      'absolute. The output includes the profile in use, the time zone, and KITH_CONFIG_DIR, KITH_BASE_URL and ' +
      'KITH_API_KEY_FILE if they are set here, but never KITH_API_KEY. Nothing is installed.',
    args: { job: jobArgument },
    options: { ...timeOptions, for: choice('Only for', schedulers, 'SCHEDULER'), name: fileName },
    rules: [exactlyOne('hourly', 'daily', 'weekly')],
    answers: 'text',
    attended: nestedJobReason,
    local: true,
    examples: [
      'schedule print --daily 07:30 -- events export --out meetings --quiet',
      'schedule print --weekly "mon 07:30" --for cron -- events export --out meetings --quiet',
      'schedule print --hourly 15 --for systemd --jq .timer -- events export --out meetings',
    ],
    async run(session, { job: typed, hourly, daily, weekly, for: scheduler, name }) {
      const job = await pinWorkspace(session, await parseJob(typed, session, session.invocation().folder));
      const when = daily ?? weekly ?? { minute: hourly ?? 0 }; // the rule: one of them is given
      const planned = buildSchedule(session, job, when, name ?? job.name);
      const parts = buildSchedulerEntries(planned).filter(
        (part) => !scheduler || part.scheduler === scheduler,
      );
      if (needsShellKey(session, job)) await session.note(keyNotInCron);
      await warnAboutLength(session, parts);
      const { command, environment } = planned;
      const texts = Object.fromEntries(parts.map(({ name, text }) => [name, text]));
      return said(await formatEntries(session, parts), {
        name: planned.name,
        time_zone: planned.zone,
        command,
        environment,
        ...texts,
      });
    },
  }),
  command({
    name: 'test',
    summary: 'Run a command as cron would, and say whether it works there',
    description:
      'Run a command as cron would: in the home folder, without a terminal, and with HOME, LOGNAME, SHELL, PATH and ' +
      'what `kith schedule print` takes along as all of its environment. The command is what follows --, without ' +
      'kith, and it really runs. Ends with exit code 1 when it fails.',
    args: { job: jobArgument },
    answers: 'text',
    attended: nestedJobReason,
    local: true,
    examples: ['schedule test -- events export --out meetings --quiet', 'schedule test -- auth status'],
    async run(session, { job: typed }) {
      const { folder } = session.invocation();
      const job = await pinWorkspace(session, await parseJob(typed, session, folder));
      const env = buildCronEnvironment(session);
      const home = await requireHomeFolder(session);
      for (const [path, absolute] of job.resolvedPaths) {
        await session.note(
          `cron starts in ${home}: here "${path}" is ${absolute}, and so it is in the schedule.`,
        );
      }
      await session.note(`This really runs kith ${job.words.join(' ')}`);
      const { exit, ...printed } = await runJob(session, job, env, home);
      const works = exit === 0;
      const reasons = works ? [] : await findLikelyReasons(session, job, env);
      const meaning = describeExitCode(exit);
      const verdict = `From cron it ${works ? 'works' : 'fails'}: exit code ${exit}, ${meaning}.`;
      const mail = printed.mail === '' || printed.mail.endsWith('\n') ? printed.mail : `${printed.mail}\n`;
      const { stdout, stderr } = printed;
      return {
        ...said(works ? `${mail}${verdict}\n` : mail, {
          works,
          exit,
          meaning,
          reasons,
          stdout,
          stderr,
          command: job.words,
          environment: env,
        }),
        failure: works ? undefined : new Failure('failed', verdict, { hint: reasons.join(' ') || undefined }),
      };
    },
  }),
];

/** Throws `usage` where a text has a character that a crontab cannot hold. */
function buildSchedule(session: Session, { words }: Job, when: ScheduleTime, name: string): Schedule {
  const { node, script } = session.invocation();
  const command = [node, script, ...words];
  const environment = readScheduleEnvironment(session);
  const stray = [...command, ...Object.values(environment)].find((text) => /\p{Cc}/u.test(text));
  if (stray !== undefined) {
    throw new Failure('usage', `A schedule holds no line feed and no control character: "${stray}".`);
  }
  return { name, when, zone: readTimeZone(), command, environment, home: resolveHomeFolder(session.env) };
}

/** Each part under a comment that says where it goes; one alone as it is, so that it can be put there. */
async function formatEntries(session: Session, parts: readonly SchedulerEntry[]): Promise<string> {
  const [first, ...more] = parts;
  if (first && more.length === 0) {
    await session.note(`${first.scheduler}: ${first.place}`);
    return `${first.text}\n`;
  }
  return parts.map(({ scheduler, place, text }) => `# ${scheduler}: ${place}\n${text}\n`).join('\n');
}

/** The bytes of a command that every cron takes. */
const maxCronBytes = 998;

async function warnAboutLength(session: Session, parts: readonly SchedulerEntry[]): Promise<void> {
  const line = parts.find(({ name }) => name === 'cron')?.text ?? '';
  const bytes = Buffer.byteLength(line);
  if (bytes <= maxCronBytes) return;
  await session.note(
    `The line for cron has ${bytes} bytes; there are crons that cut it after ${maxCronBytes}.`,
  );
}

/** Runs a job to its end: its exit code, what it printed, and both streams as they came, which is what cron mails. */
async function runJob(session: Session, job: Job, env: Environment, folder: string) {
  const { node, script } = session.invocation();
  const printed = { stdout: '', stderr: '', mail: '' };
  const kept = (stream: 'stdout' | 'stderr') => async (text: string) => {
    printed[stream] += text;
    printed.mail += text;
  };
  const progress = startProgress(session);
  progress.update('Running, as cron would');
  try {
    const exit = await session.programs.unattended({
      command: [node, script, ...job.words],
      env,
      folder,
      stdout: kept('stdout'),
      stderr: kept('stderr'),
      signal: session.signal,
    });
    session.signal.throwIfAborted();
    return { exit, ...printed };
  } finally {
    progress.end();
  }
}

function describeExitCode(exit: number): string {
  const meanings: Readonly<Record<number, string>> = exitCodes;
  return meanings[exit] ?? 'which is none of kith';
}
