/** When something runs; what is left out is every one of it, as in launchd. */
export interface When {
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
  readonly when: When;
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
export interface SchedulePart {
  readonly scheduler: (typeof schedulers)[number];
  readonly name: 'cron' | 'service' | 'timer' | 'plist';
  /** Where it goes, and how it is turned on. */
  readonly place: string;
  /** Without its last line feed. */
  readonly text: string;
}

/** All that the schedulers take, ready to be put in its place. */
export function scheduleParts(schedule: Schedule): readonly SchedulePart[] {
  const unit = `~/.config/systemd/user/${schedule.name}`;
  const agent = `~/Library/LaunchAgents/${schedule.name}.plist`;
  return [
    {
      scheduler: 'cron',
      name: 'cron',
      place: `add this line with: crontab -e (times in ${schedule.zone})`,
      text: crontabLine(schedule),
    },
    { scheduler: 'systemd', name: 'service', place: `${unit}.service`, text: systemdService(schedule) },
    {
      scheduler: 'systemd',
      name: 'timer',
      place: `${unit}.timer, then: systemctl --user enable --now ${schedule.name}.timer; and, to run while you are signed out: loginctl enable-linger`,
      text: systemdTimer(schedule),
    },
    {
      scheduler: 'launchd',
      name: 'plist',
      place: `${agent}, then: launchctl load ${agent} (times in ${schedule.zone})`,
      text: launchdPlist(schedule),
    },
  ];
}

/** A line for `crontab -e`. */
export function crontabLine({ when, command, environment }: Schedule): string {
  const { minute, hour, weekday } = when;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${cronWord(value)}`);
  const line = [...variables, ...command.map(cronWord)].join(' ');
  return `${minute} ${hour ?? '*'} * * ${weekday ?? '*'} ${line}`;
}

/** A systemd unit that runs the command once. */
export function systemdService({ name, command, environment }: Schedule): string {
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`,
  );
  // systemd starts no program whose own path has quotes or backslashes in it; a shell does.
  const starter = isPlain.test(command[0] ?? '') ? [] : ['/bin/sh', '-c', 'exec "$0" "$@"'];
  const words = [...starter, ...command].map((word) => unitWord(word.replaceAll('$', '$$$$')));
  return lines(
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
export function systemdTimer({ name, when: { minute, hour, weekday }, zone }: Schedule): string {
  const day = weekdays[weekday ?? -1];
  const date = day === undefined ? '*-*-*' : `${day.charAt(0).toUpperCase()}${day.slice(1)} *-*-*`;
  return lines(
    '[Unit]',
    `Description=${name}`,
    '',
    '[Timer]',
    `OnCalendar=${date} ${hour === undefined ? '*' : twoDigits(hour)}:${twoDigits(minute)}:00 ${zone}`,
    'Persistent=true',
    '',
    '[Install]',
    'WantedBy=timers.target',
  );
}

/** A launchd agent, with what the command prints in a log of its name. */
export function launchdPlist({ name, when, command, environment, home }: Schedule): string {
  const log = text(`${home}/Library/Logs/${name}.log`);
  const variables = Object.entries(environment).flatMap(([name, value]) => [key(name), text(value)]);
  const times = [
    ['Weekday', when.weekday],
    ['Hour', when.hour],
    ['Minute', when.minute],
  ].flatMap(([name, value]) =>
    value === undefined ? [] : [key(String(name)), `<integer>${value}</integer>`],
  );
  return lines(
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    ...indented([key('Label'), text(name)]),
    ...indented([key('ProgramArguments'), '<array>', ...indented(command.map(text)), '</array>']),
    ...(variables.length > 0
      ? indented([key('EnvironmentVariables'), '<dict>', ...indented(variables), '</dict>'])
      : []),
    ...indented([key('StartCalendarInterval'), '<dict>', ...indented(times), '</dict>']),
    ...indented([key('StandardOutPath'), log, key('StandardErrorPath'), log]),
    '</dict>',
    '</plist>',
  );
}

/** Words that are the same with and without quotes, in a shell as in a unit. */
const isPlain = /^[\w@+=:,./-]+$/;

/**
 * A word for the shell of cron, which takes a bare `%` for a line feed. Some crons also take `\\` for one
 * backslash: each one here is followed by a quote.
 */
function cronWord(word: string): string {
  if (isPlain.test(word)) return word;
  return `'${word.replace(/['\\%]/g, (character) => ({ "'": `'"'"'`, '\\': `\\''`, '%': '\\%' })[character] ?? '')}'`;
}

/** A word of a unit file, in which `%` begins a specifier. */
function unitWord(word: string): string {
  return isPlain.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;
}

const key = (name: string) => `<key>${name}</key>`;

function text(value: string): string {
  return `<string>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</string>`;
}

const indented = (texts: readonly string[]) => texts.map((line) => `  ${line}`);

const lines = (...all: readonly string[]) => all.join('\n');

const twoDigits = (number: number) => String(number).padStart(2, '0');
