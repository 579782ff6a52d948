import { Failure } from '../../contract/errors.ts';
import { integer, type Option } from '../flags/options.ts';

/** When something runs; what is left out is every one of it, as in launchd. */
export interface ScheduleTime {
  readonly minute: number;
  readonly hour?: number;
  /** 0 is Sunday, as all three count. */
  readonly weekday?: number;
}

/** The days of a week, as all three count them. */
export const weekdays: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** A command at set times. No text of it holds a control character: none of the three could carry it. */
export interface Schedule {
  /** Of the files: letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  readonly when: ScheduleTime;
  /** The time zone of the times. cron and launchd use the machine's. */
  readonly zone: string;
  /** The absolute path of a program, and its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The home folder, where launchd puts the log. */
  readonly home: string;
}

/** What runs a command at set times. */
export const schedulers = ['cron', 'systemd', 'launchd'] as const;

/** A part of what a scheduler takes. */
export interface SchedulerEntry {
  readonly scheduler: (typeof schedulers)[number];
  readonly name: 'cron' | 'service' | 'timer' | 'plist';
  /** Where it goes, and how it is turned on. */
  readonly place: string;
  /** Without its last line feed. */
  readonly text: string;
}

/** All that the schedulers take, ready to be put in its place. */
export function buildSchedulerEntries(schedule: Schedule): readonly SchedulerEntry[] {
  const unit = `~/.config/systemd/user/${schedule.name}`;
  const agent = `~/Library/LaunchAgents/${schedule.name}.plist`;
  return [
    {
      scheduler: 'cron',
      name: 'cron',
      place: `add this line with: crontab -e (times in ${schedule.zone})`,
      text: formatCrontabLine(schedule),
    },
    { scheduler: 'systemd', name: 'service', place: `${unit}.service`, text: formatSystemdService(schedule) },
    {
      scheduler: 'systemd',
      name: 'timer',
      place: `${unit}.timer, then: systemctl --user enable --now ${schedule.name}.timer; and, to run while you are signed out: loginctl enable-linger`,
      text: formatSystemdTimer(schedule),
    },
    {
      scheduler: 'launchd',
      name: 'plist',
      place: `${agent}, then: launchctl load ${agent} (times in ${schedule.zone})`,
      text: formatLaunchdPlist(schedule),
    },
  ];
}

/** A line for `crontab -e`. */
export function formatCrontabLine({ when, command, environment }: Schedule): string {
  const { minute, hour, weekday } = when;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${quoteForCron(value)}`);
  const line = [...variables, ...command.map(quoteForCron)].join(' ');
  return `${minute} ${hour ?? '*'} * * ${weekday ?? '*'} ${line}`;
}

/** A systemd unit that runs the command once. */
export function formatSystemdService({ name, command, environment }: Schedule): string {
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${quoteForUnit(`${name}=${value}`)}`,
  );
  // systemd starts no program whose own path has quotes or backslashes in it; a shell does.
  const starter = plainWord.test(command[0] ?? '') ? [] : ['/bin/sh', '-c', 'exec "$0" "$@"'];
  const words = [...starter, ...command].map((word) => quoteForUnit(word.replaceAll('$', '$$$$')));
  return joinLines(
    '[Unit]',
    `Description=${name}`,
    '',
    '[Service]',
    'Type=oneshot',
    ...variables,
    `ExecStart=${words.join(' ')}`,
  );
}

/** The systemd timer that starts the unit of the same name; a time that the machine slept through is made up for. */
export function formatSystemdTimer({ name, when: { minute, hour, weekday }, zone }: Schedule): string {
  const day = weekdays[weekday ?? -1];
  const date = day === undefined ? '*-*-*' : `${day.charAt(0).toUpperCase()}${day.slice(1)} *-*-*`;
  return joinLines(
    '[Unit]',
    `Description=${name}`,
    '',
    '[Timer]',
    `OnCalendar=${date} ${hour === undefined ? '*' : padTwo(hour)}:${padTwo(minute)}:00 ${zone}`,
    'Persistent=true',
    '',
    '[Install]',
    'WantedBy=timers.target',
  );
}

/** A launchd agent, with what the command prints in a log of its name. */
export function formatLaunchdPlist({ name, when, command, environment, home }: Schedule): string {
  const log = formatString(`${home}/Library/Logs/${name}.log`);
  const variables = Object.entries(environment).flatMap(([name, value]) => [
    formatKey(name),
    formatString(value),
  ]);
  const times = [
    ['Weekday', when.weekday],
    ['Hour', when.hour],
    ['Minute', when.minute],
  ].flatMap(([name, value]) =>
    value === undefined ? [] : [formatKey(String(name)), `<integer>${value}</integer>`],
  );
  return joinLines(
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    ...indent([formatKey('Label'), formatString(name)]),
    ...indent([formatKey('ProgramArguments'), '<array>', ...indent(command.map(formatString)), '</array>']),
    ...(variables.length > 0
      ? indent([formatKey('EnvironmentVariables'), '<dict>', ...indent(variables), '</dict>'])
      : []),
    ...indent([formatKey('StartCalendarInterval'), '<dict>', ...indent(times), '</dict>']),
    ...indent([formatKey('StandardOutPath'), log, formatKey('StandardErrorPath'), log]),
    '</dict>',
    '</plist>',
  );
}

/** Words that are the same with and without quotes, in a shell as in a unit. */
const plainWord = /^[\w@+=:,./-]+$/;

/**
 * A word for the shell of cron, which takes a bare `%` for a line feed. Some crons also take `\\` for one
 * backslash: each one here is followed by a quote.
 */
function quoteForCron(word: string): string {
  if (plainWord.test(word)) return word;
  return `'${word.replace(/['\\%]/g, (character) => ({ "'": `'"'"'`, '\\': `\\''`, '%': '\\%' })[character] ?? '')}'`;
}

/** A word of a unit file, in which `%` begins a specifier. */
function quoteForUnit(word: string): string {
  return plainWord.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;
}

const formatKey = (name: string) => `<key>${name}</key>`;

function formatString(value: string): string {
  return `<string>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</string>`;
}

const indent = (texts: readonly string[]) => texts.map((line) => `  ${line}`);

const joinLines = (...all: readonly string[]) => all.join('\n');

const padTwo = (number: number) => String(number).padStart(2, '0');

const daily: Option<ScheduleTime | undefined> = {
  summary: 'Every day, at this time',
  placeholder: 'HH:MM',
  parse(given) {
    const time = parseTime(given);
    if (time) return time;
    throw new Failure('usage', `"${given}" is not a time of day.`, {
      hint: 'Type it as 07:30, from 00:00 to 23:59.',
    });
  },
};

const weekly: Option<ScheduleTime | undefined> = {
  summary: 'Every week, on a day at a time: "mon 07:30"',
  placeholder: 'DAY HH:MM',
  parse(given) {
    const [day = '', clock = '', ...more] = given.trim().toLowerCase().split(/\s+/);
    const weekday = weekdays.indexOf(day);
    const time = parseTime(clock);
    if (time && weekday >= 0 && more.length === 0) return { ...time, weekday };
    throw new Failure('usage', `"${given}" is not a day of the week and a time.`, {
      hint: `Type it as "mon 07:30"; a day is one of ${weekdays.join(', ')}.`,
    });
  },
};

/** The flags of which one says when something runs. */
export const timeOptions = {
  hourly: integer('Every hour, at this minute', 'MINUTE', { min: 0, max: 59 }),
  daily,
  weekly,
};

function parseTime(given: string): ScheduleTime | undefined {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(given) ?? [];
  return hour === undefined ? undefined : { hour: Number(hour), minute: Number(minute) };
}
