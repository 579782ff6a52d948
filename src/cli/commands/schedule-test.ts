import { exitCodes, Failure } from '../../contract/errors.ts';
import type { Environment } from '../../settings/places.ts';
import { command, said } from '../command.ts';
import type { Session } from '../context.ts';
import { nestedJobReason, type Job, jobArgument, parseJob } from '../jobs/job.ts';
import { buildCronEnvironment, requireHomeFolder, findLikelyReasons, pinWorkspace } from '../jobs/unattended.ts';
import { progressOn } from '../print/progress.ts';

export const scheduleTest = command({
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
});

/** Runs a job to its end: its exit code, what it printed, and both streams as they came, which is what cron mails. */
async function runJob(session: Session, job: Job, env: Environment, folder: string) {
  const { node, script } = session.invocation();
  const printed = { stdout: '', stderr: '', mail: '' };
  const kept = (stream: 'stdout' | 'stderr') => async (text: string) => {
    printed[stream] += text;
    printed.mail += text;
  };
  const progress = progressOn(session);
  progress.say('Running, as cron would');
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
