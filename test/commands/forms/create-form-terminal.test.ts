import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createSignedInHome } from '../../support/binary.ts';
import { createMachine } from '../../support/kith.ts';
import { ctrlC, runInTerminal, withExitCode } from '../../support/terminal.ts';

const command = withExitCode('kith organizations create');
const deleteLine = '\u0015';
const arrowDown = '\u001b[B';

/** Returns the organization with the domain that the tests type, if it exists. */
async function readOrganization(home: string): Promise<unknown> {
  const kith = createMachine(join(home, '.config/kith'));
  const { out } = await kith('organizations find --domain busan.hanbit.example --json');
  return out === '' ? undefined : JSON.parse(out)[0];
}

/** Returns the lines of the output from one that begins with a text. */
function readLines(out: string, start: string): string[] {
  const text = stripVTControlCharacters(out).replaceAll('\r', '').trimEnd();
  return text.slice(text.indexOf(`\n${start}`) + 1).split('\n');
}

test('a terminal creates a contact and its new organization, and one undo deletes both', async () => {
  const { env } = createSignedInHome({ NO_COLOR: '1', KITH_UNDO: 'auto' });
  const { out } = await runInTerminal('kith contacts create "Jane Doe" --organization Navy; kith undo', {
    env,
    reactions: [
      ['Create the organization Navy?', 'y\r'],
      ['Undo `kith contacts create`?', 'y\r'],
    ],
  });
  expect(out).toContain('Undid `kith contacts create`: 2 changes.');
});

test('fills in an organization in Korean in a terminal of 40 columns', async () => {
  const { env, home } = createSignedInHome({ NO_COLOR: '1' });
  const { out } = await runInTerminal(command, {
    env,
    columns: 40,
    reactions: [
      ['Name', '한빛 냉장 물류 주식회사 부산 신항 제2 물류센터\r'],
      ['Domain name', 'hanbit\r'],
      ['"hanbit" is not', `${deleteLine}busan.hanbit.example\r`],
      ['Domain name or URL 2', '\r'],
      ['Which of the 10 fields', `${arrowDown.repeat(3)} ${arrowDown} \r`],
      ['Beer', ` ${arrowDown} \r`],
      [' number', 'zwölf\r'],
      ['is not a number', `${deleteLine}12\r`],
      ['[Y/n/edit]', '\r'],
    ],
  });
  const lines = readLines(out, 'Name  ');
  expect([...lines.slice(0, lines.indexOf('└') + 1), lines.at(-1)]).toEqual([
    'Name        한빛 냉장 물류 주식회사 부산',
    '            신항 제2 물류센터',
    'Domains     busan.hanbit.example',
    'Keeps cold  Beer, Blood',
    'Cold rooms  12',
    '',
    '│',
    '◆  Create this organization? [Y/n/edit]',
    '│  _',
    '└',
    'code 0',
  ]);
  expect(await readOrganization(home)).toMatchObject({
    name: '한빛 냉장 물류 주식회사 부산 신항 제2 물류센터',
    domains: ['busan.hanbit.example'],
  });
});

test('Ctrl-C at the last question restores the terminal and creates nothing', async () => {
  const { env, home } = createSignedInHome({ NO_COLOR: '1' });
  const { out } = await runInTerminal(command, {
    env,
    columns: 80,
    reactions: [
      ['Name', '\r'],
      ['Domain name', 'busan.hanbit.example\r'],
      ['Domain name or URL 2', '\r'],
      ['Which of the 10 fields', '\r'],
      ['[Y/n/edit]', ctrlC],
    ],
  });
  expect(readLines(out, 'kith: Inter')).toEqual(['kith: Interrupted.', 'code 130']);
  expect(out.lastIndexOf('\u001b[?25h')).toBeGreaterThan(out.lastIndexOf('\u001b[?25l'));
  expect(await readOrganization(home)).toBeUndefined();
});
