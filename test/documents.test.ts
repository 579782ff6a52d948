import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { serveLocation } from './service/serve.ts';
import { createKey, createSignedInHome, launcher } from './support/binary.ts';
import { writeBridgeScript } from './support/bridge.ts';
import { exampleFiles } from './support/example-files.ts';
import { createFakeSchedulers } from './support/fake-schedulers.ts';
import { createMachine, createSampleWorkspace, createTemporaryFolder, splitWords } from './support/kith.ts';
import { blocks, linesTestedElsewhere, listCommands, pages, readPage } from './support/pages.ts';
import { runInTerminal } from './support/terminal.ts';
import { createTestDatabase, requirePostgres } from './support/test-database.ts';

/** The two set-up commands: .ci/run types them on a fresh clone. */
const setupBlocks = blocks.filter(({ block }) => block.startsWith('npm '));

test('the set-up commands of the README are the steps of .ci/run', () => {
  const steps = readFileSync('.ci/run', 'utf8');
  expect(setupBlocks.map(({ block }) => block)).toEqual(['npm ci && npm run demo\n', 'npm ci && npm test\n']);
  for (const part of ['npm ci', 'npm test', 'npm run --silent demo']) expect(steps).toContain(part);
});

test('README.md has at most 8 KB and 900 words', () => {
  expect(Buffer.byteLength(readPage('README.md'))).toBeLessThanOrEqual(8192);
  expect(readPage('README.md').match(/\S+/g)?.length).toBeLessThanOrEqual(900);
});

test('README.md links to every page of docs/', () => {
  const linked = new Set(listLinks('README.md').map(({ path }) => path));
  const guides = pages.filter((page) => /^docs\/[\w-]+\.md$/.test(page));
  expect(guides.filter((page) => !linked.has(page))).toEqual([]);
});

test('every relative link leads to a file and a heading that exist', () => {
  const listAnchors = (path: string) =>
    Array.from(readPage(path).matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
  const brokenLinks = pages.flatMap((page) =>
    listLinks(page).filter(
      ({ path, anchor }) =>
        !existsSync(path) || (anchor !== undefined && !listAnchors(path).includes(anchor)),
    ),
  );
  expect(brokenLinks).toEqual([]);
});

/** Returns the links of a page to files of the package. */
function listLinks(page: string) {
  const links = readPage(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g);
  return Array.from(links, ([, target = '', anchor]) => ({
    page,
    path: target === '' ? page : join(dirname(page), target),
    anchor,
  }));
}

/** The systemd unit of the service. */
test('no process of the systemd example listens on the default port of `kith mcp --http`', () => {
  const [, port = ''] =
    /with --http; 0 selects a free port \(default (\d+)\)/.exec(readPage('docs/commands.md')) ?? [];
  expect(port).not.toBe('');
  const ports = Array.from(readPage('docs/service.md').matchAll(/kith@(\d+)|server 127.0.0.1:(\d+)/g));
  expect(ports.map(([, ofUnit, ofServer]) => ofUnit ?? ofServer)).not.toContain(port);
});

const [, unit = ''] = /^```ini\n(.*?)^```$/ms.exec(readPage('docs/service.md')) ?? [];

test('kith accepts the command of the systemd unit', async () => {
  const [, line = ''] = /^ExecStart=kith (.*)$/m.exec(unit) ?? [];
  const words = splitWords(line.replaceAll('%i', '4717'));
  expect(words).toEqual(expect.arrayContaining(['--port', '4717', '--metrics-port', '14717']));
  const { code, err } = await createMachine()([...words, '--database', '/nonexistent/file']);
  expect([code, err]).toEqual([1, expect.stringContaining('Workspace file not found')]);
});

test.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('systemd accepts the unit', () => {
  const folder = createTemporaryFolder();
  const path = join(folder, 'kith@.service');
  writeFileSync(path, unit.replace(/=(kith|curl) /g, `=${process.execPath} `));
  const env = { PATH: process.env.PATH, XDG_RUNTIME_DIR: folder, HOME: folder };
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

/** Returns an unused port below the ephemeral ports, which all other tests use. */
async function findFreePort(): Promise<string> {
  const port = 10_000 + Math.floor(Math.random() * 20_000);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return isFree ? String(port) : findFreePort();
}

/** The ids in the sample, which are the same in every copy. To find them takes longer than most commands. */
const sampleIds = new Map<string, string>();

/**
 * A machine on which `kith` is installed, signed in to the sample; the files of the examples are in the folder one is in.
 * `isInProcess`: commands run in this process.
 */
async function createDocumentHome(isInProcess: boolean) {
  const {
    env,
    home: cwd,
    database,
  } = createSignedInHome({
    PAGER: 'cat',
    EDITOR: 'true',
    KITH_UNDO: 'on',
  });
  const files = {
    ...exampleFiles,
    'companies.csv': 'name,Web site,Notes,Rooms\nAnalytical,analytical.example,,3\n',
    'key.txt': await createKey(database),
  };
  for (const folder of ['bin', '.config/fish/completions', '.local/share/kith', 'zsh']) {
    mkdirSync(join(cwd, folder), { recursive: true });
  }
  createSampleWorkspace(join(cwd, '.local/share/kith')); // to fill it anew takes a second
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  writeFileSync(join(cwd, 'bin/sendmail'), '#!/bin/sh\nexec cat > mail.txt\n', { mode: 0o755 });
  const PATH = [join(cwd, 'bin'), createFakeSchedulers(cwd).bin, process.env.PATH].join(delimiter);
  const kith = createMachine(join(cwd, '.config/kith'));
  const program = join(cwd, 'bin/kith');
  if (isInProcess) {
    const paths = { HOME: cwd, PATH, KITH_CONFIG_DIR: '', KITH_UNDO: 'on', EDITOR: 'vi' };
    const answers = [true, true];
    await writeBridgeScript(program, (args, options) =>
      kith(args, {
        ...options,
        env: { ...options.env, ...paths },
        editorText: (shown) => shown,
        answers: args[0] === 'auth' ? [files['key.txt']] : answers,
      }),
    );
  } else {
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`, { mode: 0o755 });
  }
  const readId = async (line: string, path: string) => (await kith(`${line} -q --jq ${path}`)).out.trim();
  /** The placeholders of the README and their values. */
  const words: Readonly<Record<string, () => string | Promise<string>>> = {
    'https://crm.example.com': async () => (await serveLocation(database, files['key.txt'])).url,
    '${fpath[1]}': () => join(cwd, 'zsh'),
    RECORDING: () => readId('events grep "cold room" --max 1', '.[0].recording_id'),
    ACTION: () => readId('actions list --limit 1', '.[0].id'),
    EVENT: () => readId('events list --limit 1', '.[0].id'),
    'kith-backup work': () => 'kith-backup demo',
    'postgres://kith@db.example.com/kith': () => createTestDatabase(),
    '4717': findFreePort,
    '9464': findFreePort,
  };
  const fillBlock = async (block: string) => {
    const lines = block
      .split('\n')
      .filter((line) => !Object.keys(linesTestedElsewhere).some((part) => line.includes(part)));
    let text = lines.join('\n');
    for (const [word, find] of Object.entries(words)) {
      if (!text.includes(word)) continue;
      const found = sampleIds.get(word) ?? (await find());
      if (/^[A-Z]+$/.test(word)) sampleIds.set(word, found);
      text = text.replaceAll(word, found);
    }
    return text;
  };
  /** Creates the archive and the working copy that a block does not create itself, and the service that it pulls. */
  const prepareBlock = async (block: string) => {
    const run = async (...words: string[]) => expect((await kith([...words, '--quiet'])).code).toBe(0);
    if (/kith-backup\b/.test(block) && !/backup kith-backup|-- workspace/.test(block))
      await run('workspace', 'backup', join(cwd, 'kith-backup'));
    if (/\bcrm( |\/)/.test(block) && !block.includes('checkout crm'))
      await run('workspace', 'checkout', join(cwd, 'crm'));
    if (!block.includes('workspace pull')) return {};
    return {
      KITH_BASE_URL: (await serveLocation(database, files['key.txt'])).url,
      KITH_API_KEY: files['key.txt'],
    };
  };
  return { env: { ...env, PATH }, cwd, kith, key: files['key.txt'], fillBlock, prepareBlock };
}

/** Returns the questions that the commands of a block ask before they change a schedule. */
const listScheduleQuestions = (block: string) =>
  Array.from(
    block.matchAll(/^kith schedule (i|r)(nstall|emove) (\w+)/gm),
    ([, initial = '', verb, name]) => `${initial.toUpperCase()}${verb} the schedule ${name}?`,
  );

/** The blocks that run: one whose commands are all in a longer block runs as a part of it. */
const otherBlocks = blocks.filter(
  (one) =>
    !setupBlocks.includes(one) &&
    !blocks.some(({ block }) => {
      const commands = new Set(listCommands(block));
      return block.length > one.block.length && listCommands(one.block).every((line) => commands.has(line));
    }),
);

/** Commands that serve, start the program or print a script for it, and the first ones of a newcomer. */
const needsProcess = /^(kith (serve|schedule run|completion)\b|eval |kith auth login --local --demo$)/;

test.for(
  otherBlocks.map(({ page, block }, index) => [page, index + 1, block.split('\n')[0] ?? '', block] as const),
)('%s: block %i runs as it is: %s', async ([, , , block], context) => {
  if (block.includes('postgres://')) requirePostgres(context);
  // A process for each command of all pages would take too much time.
  const isInProcess = !listCommands(block).some((line) => needsProcess.test(line));
  const { env, cwd, kith, key, fillBlock, prepareBlock } = await createDocumentHome(isInProcess);
  if (block.includes('--out meetings --format'))
    await kith(['events', 'export', '--out', join(cwd, 'meetings'), '--transcript']);
  writeFileSync(join(cwd, 'block.sh'), `set -eo pipefail\n${await fillBlock(block)}`);
  const service = await prepareBlock(block);
  const { out } = await runInTerminal('unset -f kith; bash block.sh; echo "code $?"', {
    env: { ...env, ...service },
    cwd,
    reactions: block.includes('auth login')
      ? [block.includes('--demo') ? ['Press Escape to finish.', '\u001b'] : ['API key', `${key}\r`]]
      : [
          ...listScheduleQuestions(block).map((question) => [question, 'y\r'] as const),
          ...(block.includes(' delete ') ? [['Delete', 'y\r'] as const] : []),
          ['`? [y/N]', 'y\r'],
        ],
  });
  expect(out).toMatch(/^code 0\r$/m);
});
