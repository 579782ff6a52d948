import { Failure } from '../../contract/errors.ts';
import { escapeMarkup } from '../../values/markup.ts';
import { createIntegerOption, type Option } from '../flags/options.ts';

/** The time of a job. An omitted field means every hour or every day, as in launchd. */
export interface ScheduleTime {
  readonly minute: number;
  readonly hour?: number;
  /** 0 is Sunday, in all three schedulers. */
  readonly weekday?: number;
}

/** Weekdays in the order of `ScheduleTime.weekday`. */
const weekdays: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** A scheduled command. Its strings contain no control characters, which no scheduler supports. */
export interface Schedule {
  /** The name of the files: letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  readonly startTime: ScheduleTime;
  /** The time zone of `startTime`. cron and launchd always use the time zone of the machine. */
  readonly zone: string;
  /** The absolute path of a program, then its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The home folder, which contains the log of launchd. */
  readonly home: string;
}

export const schedulers = ['cron', 'systemd', 'launchd'] as const;

/** An entry or a file for a scheduler, its place, and the command that enables it. */
export type SchedulerEntry = ReturnType<typeof buildSchedulerEntries>[number];

/** Returns the entries of a schedule for all schedulers; their texts have no final line feed. */
export function buildSchedulerEntries(schedule: Schedule) {
  const { name, zone } = schedule;
  const unit = `~/.config/systemd/user/${name}`;
  const agent = `~/Library/LaunchAgents/${name}.plist`;
  const timer = `${unit}.timer, then: systemctl --user enable --now ${name}.timer; to run while you are signed out: loginctl enable-linger`;
  const entries = [
    ['cron', 'cron', `add this line with: crontab -e (times in ${zone})`, formatCrontabLine],
    ['systemd', 'service', `${unit}.service`, formatSystemdService],
    ['systemd', 'timer', timer, formatSystemdTimer],
    ['launchd', 'plist', `${agent}, then: launchctl load ${agent} (times in ${zone})`, formatLaunchdPlist],
  ] as const;
  return entries.map(([scheduler, name, place, format]) => ({
    scheduler,
    name,
    place,
    text: format(schedule),
  }));
}

/** Returns a line for `crontab -e`. */
export function formatCrontabLine({ startTime, command, environment }: Schedule): string {
  const { minute, hour = '*', weekday = '*' } = startTime;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${quoteForCron(value)}`);
  return `${minute} ${hour} * * ${weekday} ${[...variables, ...command.map(quoteForCron)].join(' ')}`;
}

/** Returns a systemd unit that runs the command once. */
export function formatSystemdService({ name, command, environment }: Schedule): string {
  const variables = Object.entries(environment).map((pair) => `Environment=${quoteForUnit(pair.join('='))}`);
  // systemd cannot start a program whose path contains quotes or backslashes, but a shell can.
  const starter = plainWord.test(command[0] ?? '') ? [] : ['/bin/sh', '-c', 'exec "$0" "$@"'];
  const words = [...starter, ...command].map((word) => quoteForUnit(word.replaceAll('$', '$$$$')));
  return ['[Unit]', `Description=${name}`, '', '[Service]', 'Type=oneshot', ...variables]
    .concat(`ExecStart=${words.join(' ')}`)
    .join('\n');
}

/** Returns the systemd timer of the unit with the same name. If the machine slept, systemd runs a missed job later. */
export function formatSystemdTimer({ name, startTime: { minute, hour, weekday }, zone }: Schedule): string {
  const day = weekdays[weekday ?? -1]?.replace(/^./, (letter) => letter.toUpperCase());
  const time = [hour, minute].map((number) => (number === undefined ? '*' : String(number).padStart(2, '0')));
  return `[Unit]
Description=${name}

[Timer]
OnCalendar=${day === undefined ? '' : `${day} `}*-*-* ${time.join(':')}:00 ${zone}
Persistent=true

[Install]
WantedBy=timers.target`;
}

/** Returns a launchd agent, which appends the output of the command to a log with its name. */
export function formatLaunchdPlist({ name, startTime, command, environment, home }: Schedule): string {
  const log = `${home}/Library/Logs/${name}.log`;
  const agent = {
    Label: name,
    ProgramArguments: [...command],
    EnvironmentVariables: environment,
    StartCalendarInterval: { Weekday: startTime.weekday, Hour: startTime.hour, Minute: startTime.minute },
    StandardOutPath: log,
    StandardErrorPath: log,
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${formatPlistValue(agent).join('\n')}
</plist>`;
}

type PlistValue = string | number | string[] | { readonly [key: string]: PlistValue | undefined };

function formatPlistValue(value: PlistValue): string[] {
  if (typeof value === 'number') return [`<integer>${value}</integer>`];
  if (typeof value === 'string') return [`<string>${escapeMarkup(value)}</string>`];
  const indent = (line: string) => `  ${line}`;
  if (Array.isArray(value)) return ['<array>', ...value.flatMap(formatPlistValue).map(indent), '</array>'];
  const fields = Object.entries(value).flatMap(([key, field]) =>
    field === undefined ? [] : [`<key>${key}</key>`, ...formatPlistValue(field)],
  );
  return ['<dict>', ...fields.map(indent), '</dict>'];
}

/** Words that need no quotes, neither in a shell nor in a unit. */
const plainWord = /^[\w@+=:,./-]+$/;

/**
 * Quotes a word for the shell of cron, which reads a bare `%` as a line feed. Some crons also read `\\` as one
 * backslash, so each backslash is followed by a quote.
 */
function quoteForCron(word: string): string {
  if (plainWord.test(word)) return word;
  return `'${word.replace(/['\\%]/g, (character) => ({ "'": `'"'"'`, '\\': `\\''`, '%': '\\%' })[character] ?? '')}'`;
}

/** Quotes a word for a unit file, in which `%` begins a specifier. */
function quoteForUnit(word: string): string {
  return plainWord.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;
}

const daily: Option<ScheduleTime | undefined> = {
  summary: 'Run every day at this time',
  placeholder: 'HH:MM',
  parse(value) {
    const time = parseTime(value);
    if (time) return time;
    throw new Failure('usage', `"${value}" is not a time of day.`, {
      hint: 'Use HH:MM, from 00:00 to 23:59.',
    });
  },
};

const weekly: Option<ScheduleTime | undefined> = {
  summary: 'Run every week at this day and time, such as "mon 07:30"',
  placeholder: 'DAY HH:MM',
  parse(value) {
    const [day = '', clock = '', ...more] = value.trim().toLowerCase().split(/\s+/);
    const weekday = weekdays.indexOf(day);
    const time = parseTime(clock);
    if (time && weekday >= 0 && more.length === 0) return { ...time, weekday };
    throw new Failure('usage', `"${value}" is not a weekday and a time.`, {
      hint: `Use a weekday (${weekdays.join(', ')}) and a time, such as "mon 07:30".`,
    });
  },
};

/** The flags for the time of a schedule; exactly one is required. */
export const timeOptions = {
  hourly: createIntegerOption('Run every hour at this minute', 'MINUTE', 0, 59),
  daily,
  weekly,
};

function parseTime(value: string): ScheduleTime | undefined {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(value) ?? [];
  return hour === undefined ? undefined : { hour: Number(hour), minute: Number(minute) };
}
