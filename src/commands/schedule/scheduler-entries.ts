import { escapeMarkup } from '../../values/markup.ts';
import { padNumber, type ScheduleTime, weekdayNames } from './schedule-time.ts';

/** A scheduled command. Its strings contain no control characters, which no scheduler supports. */
export interface Schedule {
  /** The name of the files: letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  /** In the time zone of the machine. */
  readonly startTime: ScheduleTime;
  /** The absolute path of a program, then its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The home folder, which contains the log of launchd. */
  readonly home: string;
}

export const schedulers = ['cron', 'systemd', 'launchd'] as const;

export type Scheduler = (typeof schedulers)[number];

/** Returns a line for `crontab -e`. */
export function formatCrontabLine({ startTime, command, environment }: Schedule): string {
  const formatField = (numbers: readonly number[] | undefined) => numbers?.join(',') ?? '*';
  const { minutes, hours, weekdays, days } = startTime;
  const fields = [minutes, hours, days, undefined, weekdays].map(formatField);
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${quoteForCron(value)}`);
  return [...fields, ...variables, ...command.map(quoteForCron)].join(' ');
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
export function formatSystemdTimer({ name, startTime }: Schedule): string {
  const { minutes, hours, weekdays, days } = startTime;
  const names = weekdays?.map((day) => weekdayNames[day]?.replace(/^./, (letter) => letter.toUpperCase()));
  const [day, hour, minute] = [days, hours, minutes].map(
    (numbers) => numbers?.map(padNumber).join(',') ?? '*',
  );
  return `[Unit]
Description=${name}

[Timer]
OnCalendar=${names ? `${names.join(',')} ` : ''}*-*-${day} ${hour}:${minute}:00
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
    StartCalendarInterval: listCalendarIntervals(startTime),
    StandardOutPath: log,
    StandardErrorPath: log,
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${formatPlistValue(agent).join('\n')}
</plist>`;
}

/** Returns the times for launchd, which takes one number for each field: a dictionary, or an array of several. */
function listCalendarIntervals({
  minutes = [undefined],
  hours = [undefined],
  weekdays = [undefined],
  days = [undefined],
}: FullTime) {
  const dates = weekdays.flatMap((Weekday) => days.map((Day) => ({ Weekday, Day })));
  const times = dates.flatMap((date) =>
    hours.flatMap((Hour) => minutes.map((Minute) => ({ ...date, Hour, Minute }))),
  );
  const [only, ...more] = times;
  return only && more.length === 0 ? only : times;
}

type FullTime = { readonly [Field in keyof ScheduleTime]?: readonly (number | undefined)[] };

type PlistValue =
  | string
  | number
  | readonly PlistValue[]
  | { readonly [key: string]: PlistValue | undefined };

function formatPlistValue(value: PlistValue): string[] {
  if (typeof value === 'number') return [`<integer>${value}</integer>`];
  if (typeof value === 'string') return [`<string>${escapeMarkup(value)}</string>`];
  const indent = (line: string) => `  ${line}`;
  if (isArray(value)) return ['<array>', ...value.flatMap(formatPlistValue).map(indent), '</array>'];
  const fields = Object.entries(value).flatMap(([key, field]) =>
    field === undefined ? [] : [`<key>${key}</key>`, ...formatPlistValue(field)],
  );
  return ['<dict>', ...fields.map(indent), '</dict>'];
}

/** `Array.isArray` does not recognize read-only arrays. */
const isArray = (value: PlistValue): value is readonly PlistValue[] => Array.isArray(value);

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
