import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, inject, test } from 'vitest';
import { findRefusingUrl, sendJson, startTestService } from '../client/loopback.ts';
import { createEnv } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { ctrlC, ctrlD, runInTerminal, withExitCode } from '../support/terminal.ts';

const arrowDown = '\u001b[B';
const clearLine = '\u0015';
const hosted = `${arrowDown}${arrowDown}\r`;

/** Creates a home folder in which the sample is filled already. */
function createHome() {
  const home = createTemporaryFolder();
  const data = join(home, '.local/share/kith');
  mkdirSync(data, { recursive: true });
  copyFileSync(inject('sample'), join(data, 'demo.sqlite'));
  return home;
}

/** Returns the last lines of the screen, without colors. */
const readEnd = (out: string, count: number) =>
  stripVTControlCharacters(out).replaceAll('\r', '').trimEnd().split('\n').slice(-count);

/** Returns whether the cursor, which a prompt hides, is visible again. */
const seesCursor = (out: string) => out.lastIndexOf('\u001b[?25h') >= out.lastIndexOf('\u001b[?25l');

const choices = [
  '◆  kith manages contacts, organizations,',
  '│  notes, lists and recorded meetings.',
  '│  You are not signed in to a workspace.',
  '│  Which workspace do you want to use?',
  '│  ● Sample workspace',
  '│  ○ Workspace on this machine',
  '│  ○ Hosted service',
];

test.each([40, 200])('the first run fits %d columns, and continues with the command', async (columns) => {
  const { out } = await runInTerminal(
    withExitCode('kith lists list --fields name --format tsv --no-header'),
    {
      env: createEnv(createHome()),
      columns,
      reactions: [['Which workspace', '\r']],
    },
  );
  const screen = stripVTControlCharacters(out).replaceAll('\r', '');
  if (columns === 40) expect(screen).toContain(choices.join('\n'));
  else expect(screen).toContain('● Sample workspace (recommended for a first look)\n');
  expect(readEnd(out, 2)).toEqual(['Reseller program', 'code 0']);
});

test.each([
  ['Escape', '\u001b'],
  ['Ctrl-C', ctrlC],
  ['Ctrl-D', ctrlD],
])('%s on the first run restores the terminal and changes nothing', async (_, typed) => {
  const home = createTemporaryFolder();
  const { out } = await runInTerminal(withExitCode('kith contacts list'), {
    env: createEnv(home),
    columns: 40,
    reactions: [['Hosted service', typed]],
  });
  expect(readEnd(out, 2)).toEqual(['kith: Interrupted.', 'code 130']);
  expect(seesCursor(out)).toBe(true);
  expect(readdirSync(home)).toEqual([]);
});

test('asks again for a wrong URL, which can be edited, and a wrong key, which is never shown', async () => {
  const { url } = await startTestService(({ headers }, response) =>
    headers.authorization === 'Bearer right-key-1234'
      ? sendJson(response, 200, { data: [{ id: 'x1', name: 'Deals' }] })
      : sendJson(response, 401, { title: 'Invalid API key.' }),
  );
  const refusing = await findRefusingUrl();
  const { out } = await runInTerminal(withExitCode('kith auth login --profile 개인'), {
    env: createEnv(createTemporaryFolder()),
    columns: 40,
    reactions: [
      ['Which workspace', hosted],
      ['Base URL of the service', `${refusing}\r`],
      ['refused.', ''],
      // The typed URL is in the field; the end of the right one replaces it.
      [refusing, `${clearLine}${url}\r`],
      ['API key', 'wrong-key-1234\r'],
      ['Invalid API key.', ''],
      ['API key', 'right-key-1234\r'],
    ],
  });
  expect(out).not.toMatch(/(wrong|right)-key/);
  expect(readEnd(out, 3)).toEqual([
    `Signed in to ${url}: profile 개인`,
    'Next: kith contacts list',
    'code 0',
  ]);
});

test.each<[string, [string, string][]]>([
  [
    'Ctrl-C after a part of the key',
    [
      ['API key', 'half-of-a-key'],
      ['▪▪▪▪▪▪▪▪▪▪▪▪▪', ctrlC],
    ],
  ],
  ['Ctrl-D', [['API key', ctrlD]]],
])('%s keeps the chosen workspace out of the settings', async (_, reactions) => {
  const { url } = await startTestService((_, response) => sendJson(response, 401));
  const home = createTemporaryFolder();
  const { out } = await runInTerminal(withExitCode('kith'), {
    env: createEnv(home),
    columns: 40,
    reactions: [['Which workspace', hosted], ['Base URL of the service', `${url}\r`], ...reactions],
  });
  expect(out).not.toContain('half');
  expect(readEnd(out, 2)).toEqual(['kith: Interrupted.', 'code 130']);
  expect(seesCursor(out)).toBe(true);
  expect(readdirSync(home).filter((name) => name !== '.cache')).toEqual([]);
});
