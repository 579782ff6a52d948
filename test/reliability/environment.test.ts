import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEnv, createSignedInHome, launcher, runKith, runProgram, runShell } from '../support/binary.ts';
import {
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  splitWords,
  writeStoredSettings,
} from '../support/kith.ts';

const lines = ['auth login --local', 'config set limit 9', 'contacts list'];
const kith = `kith() { "${process.execPath}" "${launcher}" "$@"; }`;

/** Returns the exit code and the first message of each command. */
async function runCommands(HOME: string) {
  const env = { HOME, KITH_CONFIG_DIR: '' };
  const all = await Promise.all(lines.map((line) => createMachine()(line, { env })));
  return all.map(({ code, err }) => `${code} ${err.split('\n')[0]}`);
}

const signedOutLine = '4 kith: You are not signed in to a workspace.';

test.each([
  ['a file', 'file', 'a part of its path is not a folder'],
  ['a folder that cannot be created', '/proc/nowhere', 'a folder in its path does not exist'],
])(
  'exits with 1 and names the path if HOME cannot be used, and reads without it: HOME is %s',
  async (_, folder, reason) => {
    const cwd = createTemporaryFolder();
    writeFileSync(join(cwd, 'file'), '');
    const home = folder.startsWith('/') ? folder : join(cwd, folder);
    const [loginLine, set, list] = await runCommands(home);
    expect(loginLine).toBe(
      `1 kith: Cannot use the workspace file ${home}/.local/share/kith/workspace.sqlite: ${reason}.`,
    );
    expect(set).toBe(`1 kith: Cannot use the settings in ${home}/.config/kith/config.json: ${reason}.`);
    expect(list).toBe(signedOutLine);
  },
);

test('creates a HOME that does not exist', async () => {
  const cwd = createTemporaryFolder();
  const { code } = await runKith(['auth', 'login', '--local'], {
    env: createEnv(join(cwd, 'new/home')),
    cwd,
  });
  expect(code).toBe(0);
  const requests = await runKith(['auth', 'list', '--no-header'], {
    env: createEnv(join(cwd, 'new/home')),
    cwd,
  });
  expect(requests.out).toContain('local\ttrue\t');
});

test('works without HOME', async () => {
  const { env, home } = createSignedInHome();
  const { HOME: _, ...minimalEnv } = env;
  const more = { KITH_CONFIG_DIR: join(home, '.config/kith') };
  expect(
    await runKith(['contacts', 'list', '-q', '--limit', '1'], { env: { ...minimalEnv, ...more } }),
  ).toMatchObject({
    code: 0,
    err: '',
  });
  expect((await runKith(['config', 'path'], { env: minimalEnv })).code).toBe(0);
});

test.runIf(process.getuid?.() === 0)(
  'works without HOME for a user that the system does not know',
  async () => {
    const env = { PATH: process.env.PATH };
    const run = (line: string) => runKith(splitWords(line), { env, uid: 54_321 });
    const folder = '/.config/kith/config.json';
    expect(await run('config path')).toEqual({ code: 0, out: `${folder}\n`, err: '' });
    expect((await run('contacts list')).err).toContain('You are not signed in to a workspace.');
    expect((await run('config set limit 9')).err).toContain(`kith: Cannot use the settings in ${folder}: `);
  },
);

test.each(['', 'here'])('ignores a HOME that is not an absolute path: "%s"', async (HOME) => {
  const cwd = createTemporaryFolder();
  writeStoredSettings(join(cwd, HOME, '.config/kith'), {
    active: 'x',
    profiles: { x: { database: '/x.sqlite' } },
  });
  const env = { ...createEnv(cwd), HOME, XDG_CONFIG_HOME: join(HOME, '.config') };
  const { out } = await runKith(['config', 'path'], { env, cwd });
  expect(out).toBe(`${join(userInfo().homedir, '.config/kith/config.json')}\n`);
});

test('accepts a relative KITH_CONFIG_DIR', async () => {
  const cwd = createTemporaryFolder();
  const env = createEnv(cwd, { KITH_CONFIG_DIR: 'here' });
  const { code } = await runKith(['auth', 'login', '--local'], { env, cwd });
  const { profiles } = JSON.parse(readFileSync(join(cwd, 'here/config.json'), 'utf8'));
  expect([code, profiles.local.database.endsWith('/here/workspace.sqlite')]).toEqual([0, true]);
});

const canMount =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', '-o', 'size=16k', 'none', '/mnt']).status === 0;

/** Runs a script with `kith` and a new disk of four pages at /mnt. */
async function runOnSmallDisk(script: string) {
  const mountScript = `mount -t tmpfs -o size=16k none /mnt || exit 99\n${kith}\n${script}`;
  return runProgram('unshare', ['-rm', 'bash', '-c', mountScript], { env: createEnv('/mnt') });
}

test.runIf(canMount)('names the read-only file system if HOME is on one (exit code 1)', async () => {
  const script = lines.map((line) => `kith ${line}; echo $?`).join('\n');
  const { out, err } = await runOnSmallDisk(
    `mkdir -p /mnt/.config/kith; mount -o remount,ro /mnt\n${script}`,
  );
  expect(out).toBe('1\n1\n4\n');
  expect(err).toContain('workspace.sqlite: the file system is read-only');
  expect(err).toContain(
    'kith: Cannot use the settings in /mnt/.config/kith/config.json: the file system is read-only.\n',
  );
});

test.runIf(canMount)(
  'leaves the settings unchanged if the disk is full (exit code 1, one line)',
  async () => {
    const value = 'kith config get limit; ls -A /mnt/.config/kith';
    const { out, err } = await runOnSmallDisk(
      `kith config set limit 9; cat /dev/zero > /mnt/fill 2>/dev/null\nkith config set page-size 7; echo $?; ${value}`,
    );
    expect(out).toBe('Default --limit set to 9.\n1\n9\nconfig.json\n');
    expect(err).toMatch(/^kith: Cannot use the settings in \S+: no space left on the disk\.\nhint: .*\n$/);
  },
);

test.runIf(canMount)(
  'leaves the settings unchanged if the disk fills up during a write (exit code 1)',
  async () => {
    // The old settings take a page, the new ones two: half of them would fit.
    const longSettings = `{"profiles":{},"note":"${'x'.repeat(4000)}"}`;
    const { out, err } = await runOnSmallDisk(
      [
        `mkdir -p /mnt/.config/kith; printf '%s' '${longSettings}' > /mnt/.config/kith/config.json`,
        'head -c 4096 /dev/zero > /mnt/fill',
        `kith auth login --local --database /tmp/kith-$$/w.sqlite --profile ${'p'.repeat(300)} >/dev/null; echo $?`,
        'rm -rf /tmp/kith-$$; head -c 22 /mnt/.config/kith/config.json; ls -A /mnt/.config/kith',
      ].join('\n'),
    );
    expect(err).toContain('no space left on the disk');
    expect(out).toBe('1\n{"profiles":{},"note":config.json\n');
  },
);

test.runIf(canMount)('exits with 1 and prints one line if the disk is too full for a workspace', async () => {
  const { out, err } = await runOnSmallDisk(
    'cat /dev/zero > /mnt/fill 2>/dev/null; kith auth login --local; echo $?; ls -A /mnt/.config 2>/dev/null',
  );
  expect(out).toBe('1\n');
  expect(err).toMatch(/^kith: Cannot use the workspace file \S+: no space left on its disk\.\n/);
});

test.runIf(canMount)(
  'leaves no partial archive file if the disk is full (exit code 1, one line)',
  async () => {
    const { home, env } = createSignedInHome();
    const { out, err } = await runProgram(
      'unshare',
      [
        '-rm',
        'bash',
        '-c',
        `mount -t tmpfs -o size=16k none /mnt\n${kith}\nkith workspace backup --archive /mnt/a.tar.gz; echo $?; ls -A /mnt`,
      ],
      { env, cwd: home },
    );
    expect({ out, err }).toEqual({
      out: '1\n',
      err: 'kith: Cannot write /mnt/a.tar.gz: no space left on the disk.\n',
    });
  },
);

test.runIf(canMount)('leaves nothing of a copy if the disk is full (exit code 1, one line)', async () => {
  const { database } = createSignedInHome();
  // Too small for the schema, and for the records.
  const copies = ['100k', '1m'].map(
    (size) => `mount -o remount,size=${size} /mnt; kith workspace copy ${database} /mnt/copy; echo $?`,
  );
  const { out, err } = await runOnSmallDisk(`${copies.join('\n')}; ls -A /mnt | grep -v '^\\.c'`);
  expect(out).toBe('1\n1\n');
  const problem = 'kith: Cannot use the workspace file /mnt/copy: no space left on its disk.\n';
  expect(err).toBe(problem.repeat(2));
});

test.runIf(canMount)(
  'writes to the workspace and warns once if the disk is full before or while its changes are recorded',
  async () => {
    const { database } = createSignedInHome();
    const { out, err } = await runOnSmallDisk(
      [
        `export KITH_UNDO=on KITH_DATABASE_URL=${database}; cat /dev/zero > /mnt/fill 2>/dev/null`,
        'kith contacts update 0rlnky --last-name Kim --fields last_name --format tsv --no-header; echo $?',
        'truncate -s -4096 /mnt/fill; kith organizations delete rl16pk --yes --fields deleted --format tsv --no-header; echo $?',
        'truncate -s -8192 /mnt/fill; kith undo --yes; echo $?', // an undo needs room for its lock
      ].join('\n'),
    );
    expect(out).toBe('Kim\n0\ntrue\n0\n3\n');
    const warning =
      /^kith: This command is not recorded for `kith undo`: Cannot write \S+: no space left on the disk\.$/;
    const [first, second, third] = err.split('\n');
    expect(first).toMatch(warning);
    expect(second).toMatch(warning);
    expect(third).toBe(
      'kith: Nothing to undo: no change to this workspace was recorded on this machine. Not recorded: an unknown command.',
    );
  },
);

test('leaves the settings unchanged if they exceed the limit on file sizes (exit code 1)', async () => {
  const { env, home } = createSignedInHome();
  const file = join(home, '.config/kith/config.json');
  const before = readFileSync(file, 'utf8');
  const limitedScript = `ulimit -f 1; trap '' XFSZ; kith config set limit 9 --profile x`;
  const value = 'x'.repeat(3000);
  writeFileSync(file, JSON.stringify({ ...JSON.parse(before), note: value }));
  const { code, err } = await runShell(limitedScript, { env });
  expect({ code, err }).toMatchObject({
    code: 1,
    err: expect.stringContaining('no space left on the disk'),
  });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...JSON.parse(before), note: value });
});

test.each(['Nowhere/Else', '', 'UTC+25'])(
  'works in any time zone, even an invalid one: TZ=%s',
  async (TZ) => {
    const { env } = createSignedInHome({ TZ });
    const line = 'events list --starts-after 2026-05-01 --limit 1 --fields start_at --no-header -q';
    expect(await runKith(splitWords(line), { env })).toEqual({
      code: 0,
      out: '2026-11-18T13:30:00.000+09:00\n',
      err: '',
    });
  },
);

test.each(['C', 'ko_KR.EUC-KR', ''])('reads and prints Korean names in any locale: "%s"', async (LC_ALL) => {
  const { env } = createSignedInHome({ LC_ALL, LANG: '' });
  const line = 'contacts create --first-name 김하나 --format tsv --fields first_name --no-header';
  const result = await runKith(splitWords(line), { env });
  expect(result).toEqual({ code: 0, out: '김하나\n', err: '' });
});

test.each(['1970-01-01T00:00:00Z', '2199-12-31T23:59:59Z'])('works with any system time: %s', async (now) => {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const setting = { now: new Date(now) };
  await kith(['auth', 'login', '--local', '--demo', '--database', createSampleWorkspace(folder)], setting);
  expect(await kith('contacts create --first-name Ada --json --jq .first_name', setting)).toMatchObject({
    code: 0,
    out: 'Ada\n',
  });
  expect(await kith('events list --starts-after 7d --limit 1 -q', setting)).toMatchObject({
    code: 0,
    err: '',
  });
  expect((await kith('config set limit 9', setting)).code).toBe(0);
});
