import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendPage, startTestService } from '../client/loopback.ts';
import { createSignedInHome } from '../support/binary.ts';
import { createDemoMachine } from '../support/kith.ts';
import { ctrlC, runInTerminal, withExitCode } from '../support/terminal.ts';

/** A pager that writes its input to a file. */
const keepingPager = 'cat >paged';

/**
 * A pager that ignores Ctrl-C and exits when a file exists: a shell that reads a key does not notice a Ctrl-C that
 * arrives just before it reads.
 */
const stayingPager = `trap 'sleep 0.1; echo met' INT
cat >paged; echo open; until [ -e key ]; do sleep 0.02; done; echo left`;
const createLeaveKey = (cwd: string) => () => writeFileSync(join(cwd, 'key'), '');

const rows = 12;

/** What a terminal shows, without the carriage returns that it adds. */
const normalizeLines = (out: string) => out.replaceAll('\r', '');

test('sends a list that is longer than the screen to the pager, with colors', async () => {
  const { env, home: cwd } = createSignedInHome({ PAGER: keepingPager });
  const { code, out } = await runInTerminal('kith contacts list -q', { env, cwd, rows });
  expect({ code, out }).toEqual({ code: 0, out: '' });
  const result = await runInTerminal('PAGER=cat kith contacts list -q', { env, cwd, rows });
  expect(readFileSync(join(cwd, 'paged'), 'utf8')).toBe(normalizeLines(result.out));
  expect(result.out.startsWith('\u001b[1mNAME\u001b[22m ')).toBe(true);
  expect(result.out).toContain('\r\n김지우 ');
});

test.each([
  ['does not use', 'a shorter list', ' --limit 10', {}],
  ['does not use', 'PAGER=cat', '', { PAGER: 'cat' }],
  ['does not use', 'an empty PAGER', '', { PAGER: '' }],
  ['does not use', 'an empty KITH_PAGER', '', { KITH_PAGER: '' }],
  ['does not use', 'a dumb terminal', '', { TERM: 'dumb' }],
  ['uses', 'a longer list', '', {}],
  ['uses', 'a shorter list with wide lines', ' --limit 2 --wide', {}],
  ['does not use', 'a list with wide lines that fits', ' --limit 2 --fields id --format table --wide', {}],
])('%s a pager for %s', async (verb, _, flags, more) => {
  const env = { PAGER: keepingPager, ...more };
  const { code, out } = await createDemoMachine()(`contacts list -q${flags}`, { env, terminal: 100, rows });
  // A machine prints the command of a pager in parentheses.
  expect({ code, isPaged: out.startsWith('(') }).toEqual({ code: 0, isPaged: verb === 'uses' });
  expect(out).toMatch(/0rlnky|김지우/);
});

test('with --wide, less scrolls sideways instead of wrapping lines', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('contacts list --limit 2 -q --wide', {
    env: { PAGER: 'less -R' },
    terminal: 60,
    rows,
  });
  expect(out).toMatch(/^\(less -R -S\)/);
});

test.each([
  ['a pipe', 'kith contacts list -q | cat'],
  ['a file', 'kith contacts list -q >file; cat file'],
  ['a terminal of unknown size', 'stty rows 0; kith contacts list -q'],
])('%s does not use the pager', async (_, line) => {
  const { env, home: cwd } = createSignedInHome({ PAGER: keepingPager });
  const { code, out } = await runInTerminal(line, { env, cwd, rows });
  expect({ code, paged: existsSync(join(cwd, 'paged')) }).toEqual({ code: 0, paged: false });
  expect(out).toMatch(/0rlnky|김지우/);
});

test('prints the number of remaining records below the list, after the pager has closed', async () => {
  const { env, home: cwd } = createSignedInHome({ PAGER: 'cat >paged; echo left' });
  const { out } = await runInTerminal('kith contacts list; kith contacts list --limit 1', { env, cwd, rows });
  expect(normalizeLines(out).split('\n')).toEqual([
    'left',
    'kith: 125 more records. Use --all or --limit N to see them.',
    expect.stringContaining('NAME'),
    expect.stringContaining('김지우'),
    'kith: 149 more records. Use --all or a larger --limit to see them.',
    '',
  ]);
});

test('reports a pager that does not exist in one line', async () => {
  const { env, home: cwd } = createSignedInHome({ PAGER: 'no-such-pager -R', NO_COLOR: '1' });
  expect(await runInTerminal('kith contacts list', { env, cwd, rows })).toEqual({
    code: 1,
    out:
      'kith: Cannot run pager "no-such-pager -R".\r\n' +
      'hint: Set KITH_PAGER to another program, or to nothing.\r\n',
    err: '',
  });
});

test.each([['read line'], ['false']])('leaving the pager %o exits with 0', async (PAGER) => {
  const { env, home: cwd } = createSignedInHome({ PAGER });
  const { out } = await runInTerminal(withExitCode('kith contacts list --all --json'), { env, cwd, rows });
  expect(out).toBe('code 0\r\n');
});

test('leaving the pager stops an endless list', async () => {
  const service = await startTestService(({ url }, response) =>
    sendPage(response, url, { length: 1_000_000, at: (index) => ({ id: `${index}` }) }),
  );
  const { env, home: cwd } = createSignedInHome({ PAGER: 'read a', ...service.env });
  const { out } = await runInTerminal(withExitCode('kith contacts list --all -q'), { env, cwd, rows });
  expect(out).toBe('code 0\r\n');
  expect(service.requests.length).toBeLessThan(1000);
});

test('leaves every Ctrl-C to the pager', async () => {
  const { env, home: cwd } = createSignedInHome({ PAGER: stayingPager });
  const { out } = await runInTerminal(withExitCode('kith contacts list -q'), {
    env,
    cwd,
    rows,
    reactions: [
      ['open', ctrlC],
      ['met', ctrlC],
      ['met', ctrlC],
      ['met', createLeaveKey(cwd)],
    ],
  });
  expect(out.replaceAll(/\^C|\r/g, '').split('\n')).toEqual([
    'open',
    'met',
    'met',
    'met',
    'left',
    'code 0',
    '',
  ]);
});

test('Ctrl-C during a list stops the list immediately, and the program after the pager exits', async () => {
  const service = await startTestService(({ url }, response, count) => {
    if (count === 0) sendPage(response, url, { length: 1000, at: (index) => ({ id: `${index}` }) });
  });
  const more = { PAGER: stayingPager.replace('cat', 'echo comes; cat'), NO_COLOR: '1' };
  const { env, home: cwd } = createSignedInHome({ ...more, ...service.env });
  const { out } = await runInTerminal(withExitCode('kith contacts list --all -q'), {
    env,
    cwd,
    rows,
    reactions: [
      ['comes', ctrlC],
      ['open', createLeaveKey(cwd)],
    ],
  });
  expect(out.replaceAll(/\^C|\r/g, '').split('\n')).toEqual([
    'comes',
    'met',
    'open',
    'left',
    'kith: Interrupted.',
    'code 130',
    '',
  ]);
});

const hasLess = spawnSync('less', ['--version']).status === 0;

test.skipIf(!hasLess)('less is the pager if no variable names one, and is left with q', async () => {
  const { env, home: cwd } = createSignedInHome();
  const { out } = await runInTerminal(withExitCode('kith contacts list -q'), {
    env: { ...env, PAGER: undefined },
    cwd,
    rows,
    reactions: [[':', 'q']],
  });
  expect(out).toContain('\u001b[1mNAME\u001b[22m');
  expect(out).toContain('김지우');
  expect(out).toMatch(/code 0\r\n$/);
});

test('prefers KITH_PAGER to PAGER, and pages guides and transcripts', async () => {
  const { env, home: cwd } = createSignedInHome({ KITH_PAGER: 'cat >>paged', PAGER: 'false' });
  const script = 'kith help export; kith recordings transcript nk63yk';
  expect((await runInTerminal(script, { env, cwd, rows })).out).toBe('');
  expect(readFileSync(join(cwd, 'paged'), 'utf8')).toMatch(
    /^EXPORT MEETINGS\n[\s\S]*吉田恵\S*: 三番目です。\n/,
  );
});

test('prints everything if no variable names a pager and less is not installed', async () => {
  const { env, home: cwd } = createSignedInHome();
  const script = 'PATH=/nowhere; kith contacts list -q --limit 30';
  const { code, out } = await runInTerminal(script, { env: { ...env, PAGER: undefined }, cwd, rows });
  expect(code).toBe(0);
  expect(out.split('\r\n')).toHaveLength(32);
});
