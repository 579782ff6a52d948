import { defineCommand, type InteractionDescriber } from '../../cli/command/command.ts';
import { createChoiceOption } from '../../cli/command/options.ts';
import { exactlyOne } from '../../cli/command/rules.ts';
import { jobArgument, parseJob } from './job.ts';
import { afterFailures, nameArgument, onFailure } from './schedule-options.ts';
import { readTimeFlags, timeOptions } from './schedule-time.ts';
import { schedulers } from './scheduler-entries.ts';

/** Explains why a command that changes this machine cannot run unattended. */
const describeChangePrompt: InteractionDescriber = (_, { yes, dryRun }) =>
  yes || dryRun ? undefined : 'asks before it changes this machine: add --yes';

export const schedule = [
  defineCommand({
    name: 'install',
    exitCodes: [75],
    summary: 'Install a schedule in cron, systemd or launchd',
    description:
      'Install a schedule that runs a command, or replace the schedule with this name. kith shows the changes ' +
      'and asks. Type the command after --, without kith. It is stored with its profile, paths, time zone and ' +
      'environment, but never the API key: sign in, or set KITH_API_KEY_FILE.',
    args: { name: nameArgument, job: jobArgument },
    options: {
      ...timeOptions,
      for: createChoiceOption(
        'Scheduler (default: launchd on macOS, systemd if it runs for this user, or else cron):',
        schedulers,
        'SCHEDULER',
      ),
      onFailure,
      afterFailures,
    },
    rules: [exactlyOne('every', 'hourly', 'daily', 'weekly', 'monthly')],
    output: { text: ['installed-schedule'] },
    describeInteraction: describeChangePrompt,
    effects: 'local',
    writingFlags: ['dryRun', 'yes'],
    isFileBased: true,
    examples: [
      'schedule install nightly --daily 03:00 -- meetings export --out meetings --quiet',
      'schedule install index --every 15m --for cron --yes -- index update --quiet',
      'schedule install billing --monthly "1 06:00" --after-failures 2 -- lists report "Sales pipeline" --output report.html',
      'schedule install weekly --weekly "mon-fri 07:30" --on-failure "curl -fsS https://ping.example.com/fail" -- meetings export --out meetings',
    ],
    async run(session, { name, job: words, for: scheduler, onFailure, afterFailures, ...timeFlags }) {
      const { installSchedule } = await import('./install.ts');
      const job = await parseJob(words, session);
      const time = readTimeFlags(timeFlags);
      return installSchedule(session, { name, job, time, scheduler, onFailure, afterFailures });
    },
  }),
  defineCommand({
    name: 'list',
    output: { records: ['schedule[]'] },
    summary: 'List installed schedules with their next and last runs',
    description:
      'List installed schedules. STATE is installed, entry missing (from the scheduler), program missing ' +
      '(Node.js, kith or the folder was moved), job missing (an entry without its schedule), newer version or ' +
      'damaged. JSON has `last_error`.',
    effects: 'local',
    examples: ['schedule list', 'schedule list --json --jq \'.[] | select(.state != "installed") | .name\''],
    async run(session) {
      return (await import('./list.ts')).listSchedules(session);
    },
  }),
  defineCommand({
    name: 'run',
    summary: 'Run an installed schedule now, as its scheduler does',
    description:
      'Run the command of an installed schedule now, as its scheduler does: with its stored environment, lock, log, ' +
      'and --on-failure. Exits with the exit code of that command, or with 75 if the schedule is already running. In a ' +
      'terminal, kith also prints the output.',
    args: { name: { ...nameArgument, completion: 'schedules' } },
    output: { text: ['scheduled-run'] },
    effects: 'local',
    isFileBased: true,
    exitCodes: [3, 4, 5, 6, 7, 8, 9, 75], // of the job
    examples: ['schedule run nightly'],
    async run(session, { name }) {
      return (await import('./run.ts')).runSchedule(session, name);
    },
  }),
  defineCommand({
    name: 'remove',
    exitCodes: [75],
    summary: 'Remove a schedule from its scheduler, with its log',
    description:
      'Remove a schedule: its entry in the crontab, its systemd units or its launchd agent, and its log. kith shows ' +
      'these changes, and asks; --dry-run only shows them. If the schedule does not exist, the command removes nothing ' +
      'and exits with 0.',
    args: { name: { ...nameArgument, completion: 'schedules' } },
    output: { text: ['removed-schedule'] },
    describeInteraction: describeChangePrompt,
    effects: 'discards',
    writingFlags: ['dryRun', 'yes'],
    isFileBased: true,
    examples: ['schedule remove nightly', 'schedule remove nightly --yes'],
    async run(session, { name }) {
      return (await import('./remove.ts')).removeSchedule(session, name);
    },
  }),
];
