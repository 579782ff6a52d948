import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  formatCrontabLine,
  formatLaunchdPlist,
  formatSystemdService,
  formatSystemdTimer,
  type Schedule,
} from '../../../src/commands/schedule/scheduler-entries.ts';
import { createTemporaryFolder } from '../../support/kith.ts';

const daily: Schedule = {
  name: 'kith-events-export',
  startTime: { hours: [7], minutes: [30] },
  command: ['/usr/bin/node', '/opt/kith/bin/kith.js', 'events', 'export', '--out', '/srv/meetings'],
  environment: { KITH_PROFILE: 'work' },
  home: '/home/ada',
};

test('formats a schedule for every scheduler', () => {
  const texts = {
    cron: formatCrontabLine(daily),
    service: formatSystemdService(daily),
    timer: formatSystemdTimer(daily),
    plist: formatLaunchdPlist(daily),
  };
  expect(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.split('\n')]))).toEqual({
    cron: [
      '30 7 * * * KITH_PROFILE=work /usr/bin/node /opt/kith/bin/kith.js events export --out /srv/meetings',
    ],
    service: [
      '[Unit]',
      'Description=kith-events-export',
      '',
      '[Service]',
      'Type=oneshot',
      'Environment=KITH_PROFILE=work',
      'ExecStart=/usr/bin/node /opt/kith/bin/kith.js events export --out /srv/meetings',
    ],
    timer: [
      '[Unit]',
      'Description=kith-events-export',
      '',
      '[Timer]',
      'OnCalendar=*-*-* 07:30:00',
      'Persistent=true',
      '',
      '[Install]',
      'WantedBy=timers.target',
    ],
    plist: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
      '<plist version="1.0">',
      '<dict>',
      '  <key>Label</key>',
      '  <string>kith-events-export</string>',
      '  <key>ProgramArguments</key>',
      '  <array>',
      ...daily.command.map((word) => `    <string>${word}</string>`),
      '  </array>',
      '  <key>EnvironmentVariables</key>',
      '  <dict>',
      '    <key>KITH_PROFILE</key>',
      '    <string>work</string>',
      '  </dict>',
      '  <key>StartCalendarInterval</key>',
      '  <dict>',
      '    <key>Hour</key>',
      '    <integer>7</integer>',
      '    <key>Minute</key>',
      '    <integer>30</integer>',
      '  </dict>',
      '  <key>StandardOutPath</key>',
      '  <string>/home/ada/Library/Logs/kith-events-export.log</string>',
      '  <key>StandardErrorPath</key>',
      '  <string>/home/ada/Library/Logs/kith-events-export.log</string>',
      '</dict>',
      '</plist>',
    ],
  });
});

test.each([
  [{ minutes: [5] }, '5 * * * *', '*-*-* *:05:00', { Minute: 5 }],
  [{ hours: [0], minutes: [0] }, '0 0 * * *', '*-*-* 00:00:00', { Hour: 0, Minute: 0 }],
  [{ hours: [23], minutes: [59] }, '59 23 * * *', '*-*-* 23:59:00', { Hour: 23, Minute: 59 }],
  [
    { weekdays: [1], hours: [7], minutes: [30] },
    '30 7 * * 1',
    'Mon *-*-* 07:30:00',
    { Weekday: 1, Hour: 7, Minute: 30 },
  ],
  [
    { weekdays: [0, 6], hours: [7], minutes: [5] },
    '5 7 * * 0,6',
    'Sun,Sat *-*-* 07:05:00',
    [
      { Weekday: 0, Hour: 7, Minute: 5 },
      { Weekday: 6, Hour: 7, Minute: 5 },
    ],
  ],
  [
    { days: [1, 31], hours: [3], minutes: [0] },
    '0 3 1,31 * *',
    '*-*-01,31 03:00:00',
    [
      { Day: 1, Hour: 3, Minute: 0 },
      { Day: 31, Hour: 3, Minute: 0 },
    ],
  ],
  [{}, '* * * * *', '*-*-* *:*:00', {}],
  [
    { minutes: [0, 20, 40] },
    '0,20,40 * * * *',
    '*-*-* *:00,20,40:00',
    [{ Minute: 0 }, { Minute: 20 }, { Minute: 40 }],
  ],
  [
    { minutes: [0], hours: [0, 12] },
    '0 0,12 * * *',
    '*-*-* 00,12:00:00',
    [
      { Hour: 0, Minute: 0 },
      { Hour: 12, Minute: 0 },
    ],
  ],
])('formats the time %o for every scheduler', (when, cron, systemd, launchd) => {
  const schedule = { ...daily, startTime: when };
  expect({
    cron: formatCrontabLine(schedule).split(' ').slice(0, 5).join(' '),
    systemd: /^OnCalendar=(.*)$/m.exec(formatSystemdTimer(schedule))?.[1],
    launchd: parsePlist(formatLaunchdPlist(schedule)).StartCalendarInterval,
  }).toEqual({ cron, systemd, launchd });
});

const oddWords = [
  'a b',
  '회의 요약',
  "it's",
  '"quoted"',
  '100%',
  '%h',
  '%%',
  '\\%',
  '\\\\%',
  '\\',
  '\\\\',
  'C:\\new\\',
  '$HOME',
  '{$HOME}',
  '$$',
  '`id`',
  '$(id)',
  ';',
  '#no comment',
  '~',
  '*',
  '!',
  '-',
  '',
  '<&>',
  '&amp;',
  'a=b',
  "'%\\'",
];

/** A program that prints its arguments and one variable as JSON, at a path that needs careful quoting. */
function createEchoSchedule(): Schedule {
  const folder = join(createTemporaryFolder(), `bin "$x" %h it's 회의\\`);
  const environment = { KITH_CONFIG_DIR: join(folder, oddWords.join('')) };
  mkdirSync(folder);
  symlinkSync(process.execPath, join(folder, 'node'));
  const script = 'console.log(JSON.stringify([process.argv.slice(1), process.env.KITH_CONFIG_DIR]))';
  return { ...daily, environment, command: [join(folder, 'node'), '-e', script, '--', ...oddWords] };
}

/** Returns the command that cron passes to the shell; undefined if cron takes a part as input. Some crons read `\\` as `\`. */
function parseCronCommand(line: string, removesBackslashes: boolean): string | undefined {
  const command = line.split(' ').slice(5).join(' ');
  const escapes = removesBackslashes ? /\\([%\\])/g : /\\(%)/g;
  const isBare = command.replace(/\\./gs, '').includes('%');
  return isBare ? undefined : command.replace(/\\./gs, (pair) => pair.replace(escapes, '$1'));
}

test.each([[true], [false]])(
  'a crontab line passes every word to the program (cron removes backslashes: %o)',
  (removesBackslashes) => {
    const schedule = createEchoSchedule();
    const command = parseCronCommand(formatCrontabLine(schedule), removesBackslashes) ?? '';
    const output = execFileSync('/bin/sh', ['-c', command], {
      env: { HOME: '/home/ada' },
      encoding: 'utf8',
    });
    expect(JSON.parse(output)).toEqual([oddWords, schedule.environment.KITH_CONFIG_DIR]);
  },
);

/** The words of a line of a unit, read as systemd.service(5) says. */
function parseUnitWords(line: string, expandsVariables: boolean): string[] {
  const words = line.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? [];
  expect(words.join(' ')).toBe(line);
  return words.map((word) => {
    const unquoted = word.replace(/^"(.*)"$/s, '$1').replace(/\\(["\\])/g, '$1');
    expect(unquoted.replaceAll('%%', '')).not.toContain('%');
    const text = unquoted.replaceAll('%%', '%');
    if (expandsVariables) expect(text.replaceAll('$$', '')).not.toContain('$');
    return expandsVariables ? text.replaceAll('$$', '$') : text;
  });
}

test('a systemd unit passes every word unchanged', () => {
  const schedule = createEchoSchedule();
  const service = formatSystemdService(schedule);
  const line = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(service)?.[1] ?? '';
  expect(parseUnitWords(line('Environment'), false)).toEqual([
    `KITH_CONFIG_DIR=${schedule.environment.KITH_CONFIG_DIR}`,
  ]);
  const [program = '', ...args] = parseUnitWords(line('ExecStart'), true);
  const output = execFileSync(program, args, { env: schedule.environment, encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual([oddWords, schedule.environment.KITH_CONFIG_DIR]);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!hasSystemd)('systemd-analyze accepts the unit and timer', () => {
  const folder = createTemporaryFolder();
  const schedule = createEchoSchedule();
  const startTime = { weekdays: [1, 6], days: [1, 31], hours: [0, 7], minutes: [0, 30] };
  const files = {
    service: formatSystemdService(schedule),
    timer: formatSystemdTimer({ ...schedule, startTime }),
  };
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(folder, `${schedule.name}.${name}`);
    writeFileSync(path, text);
    return path;
  });
  const env = { PATH: process.env.PATH, XDG_RUNTIME_DIR: folder, HOME: folder };
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--user', ...paths], {
    env,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

type Plist = string | number | Plist[] | { [key: string]: Plist };

/** Parses a property list strictly: every part of it must be known. */
function parsePlist(xml: string): Record<string, Plist> {
  const [head, body = ''] = xml.split('<plist version="1.0">');
  expect(head).toMatch(
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<!DOCTYPE plist PUBLIC "[^"]+" "[^"]+">\n$/,
  );
  const tokens = body.match(/<[^<>]+>|[^<>]+/g)?.filter((token) => /[^\n ]/.test(token)) ?? [];
  const next = () => tokens.shift() ?? 'the end';
  const readContent = (tag: string) => {
    const text = tokens[0] === `</${tag}>` ? '' : next();
    expect([next(), text.replace(/&(amp|lt|gt);/g, '')]).toEqual([
      `</${tag}>`,
      expect.not.stringMatching(/[&<>]/),
    ]);
    return text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
  };
  const readValue = (): Plist => {
    const tag = next();
    if (tag === '<string>') return readContent('string');
    if (tag === '<integer>') return Number(readContent('integer'));
    const items: Plist[] = [];
    const entries: [string, Plist][] = [];
    while (!['</array>', '</dict>'].includes(tokens[0] ?? '</dict>')) {
      if (tag === '<array>') items.push(readValue());
      else {
        expect([tag, next()]).toEqual(['<dict>', '<key>']);
        entries.push([readContent('key'), readValue()]);
      }
    }
    expect(next()).toBe(tag.replace('<', '</'));
    return tag === '<array>' ? items : Object.fromEntries(entries);
  };
  const parsed = readValue();
  expect(tokens).toEqual(['</plist>']);
  return parsed as Record<string, Plist>; // the tests look at dictionaries
}

test('a launchd agent passes every word unchanged', () => {
  const schedule = createEchoSchedule();
  const log = '/home/ada/Library/Logs/kith-events-export.log';
  expect(parsePlist(formatLaunchdPlist(schedule))).toEqual({
    Label: 'kith-events-export',
    ProgramArguments: schedule.command,
    EnvironmentVariables: schedule.environment,
    StartCalendarInterval: { Hour: 7, Minute: 30 },
    StandardOutPath: log,
    StandardErrorPath: log,
  });
});
