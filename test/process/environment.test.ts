import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { version } from '../../package.json';
import { createSignedInHome, runKith, runShell } from '../support/binary.ts';
import { createDemoMachine, createTemporaryFolder, type MachineOptions } from '../support/kith.ts';

/** The first characters of every color sequence. */
const introducer = '\u001b[';

/** Creates environments without readable settings (in the last one, the settings folder is a file) and proxy. */
function createBrokenMachines() {
  const home = createTemporaryFolder();
  mkdirSync(join(home, 'damaged'));
  writeFileSync(join(home, 'damaged/config.json'), '{ "profiles": ');
  const proxy = 'http://127.0.0.1:9';
  const env = { PATH: process.env.PATH, http_proxy: proxy, https_proxy: proxy, KITH_BASE_URL: proxy };
  return {
    home,
    environments: [
      env,
      { ...env, HOME: join(home, 'nowhere'), KITH_CONFIG_DIR: join(home, 'damaged') },
      { ...env, HOME: home, KITH_CONFIG_DIR: join(home, 'damaged/config.json'), KITH_PROFILE: 'nobody' },
    ],
  };
}

test.each([
  ['--help', 'Usage: kith NOUN VERB [ID...] [flags]\n'],
  ['--version', `${version}\n`],
  ['contacts list --help', 'Usage: kith contacts list [options]\n'],
])('%s works without a home folder, settings and a network, and writes nothing', async (line, prefix) => {
  const { home, environments } = createBrokenMachines();
  const listHomeFiles = () => readdirSync(home, { recursive: true, encoding: 'utf8' }).sort();
  const before = listHomeFiles();
  const results = await Promise.all(environments.map((env) => runKith(line.split(' '), { env, cwd: home })));
  const [first] = results;
  expect(first?.out.startsWith(prefix)).toBe(true);
  expect(results).toEqual(environments.map(() => ({ code: 0, out: first?.out, err: '' })));
  expect(listHomeFiles()).toEqual(before);
});

test('KITH_DEBUG shows the requests, unless it is 0 or empty', async () => {
  const kith = createDemoMachine();
  const errors = await Promise.all(
    ['1', '0', ''].map((KITH_DEBUG) => kith('contacts list --limit 1 -q', { env: { KITH_DEBUG } })),
  );
  expect(errors.map(({ code, err }) => [code, err])).toEqual([
    [0, 'kith: GET /v1/contacts: 200\n'],
    [0, ''],
    [0, ''],
  ]);
  expect(new Set(errors.map(({ out }) => out)).size).toBe(1);
});

const list = 'contacts list --limit 2 -q';

/** Returns whether a list has colors. */
async function isColored(flags: string, machine: MachineOptions) {
  const { code, out } = await createDemoMachine()(`${list} ${flags}`, machine);
  expect([code, out.includes('jiwoo.kim@')]).toEqual([0, true]);
  return out.includes(introducer);
}

const formats = ['table', 'json', 'ndjson', 'compact', 'csv', 'tsv'];

test('FORCE_COLOR colors the header of a table in a pipe, but no data', async () => {
  const kith = createDemoMachine();
  const outputs = [];
  for (const more of ['', ...formats.map((format) => `--format ${format}`), '--json --jq .']) {
    const { code, out } = await kith(`${list} ${more}`, { env: { FORCE_COLOR: '1' } });
    outputs.push([more, code, out.includes(introducer)]);
  }
  expect(outputs.filter(([, code]) => code !== 0)).toEqual([]);
  expect(outputs.filter(([, , isColoured]) => isColoured)).toEqual([['--format table', 0, true]]);
  const { env } = createSignedInHome({ FORCE_COLOR: '1' });
  const { out } = await runShell(`kith ${list} --format table`, { env });
  const [header, ...rows] = out.split('\n');
  expect([
    header?.startsWith(`${introducer}1mID${introducer}22m`),
    rows.join('').includes(introducer),
  ]).toEqual([true, false]);
});

test.each([
  ['in a terminal', {}, 100, true],
  ['in a terminal with NO_COLOR', { NO_COLOR: '1' }, 100, false],
  ['in a terminal with FORCE_COLOR=0', { FORCE_COLOR: '0' }, 100, false],
  ['in a terminal that can do nothing', { TERM: 'dumb' }, 100, false],
  ['in a pipe', {}, undefined, false],
  ['in a pipe with NO_COLOR and FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, undefined, false],
])('colors of a table %s', async (_, env, columns, expected) => {
  const machine = { env, ...(columns !== undefined && { terminal: columns }) };
  expect(await isColored('--format table', machine)).toBe(expected);
});

test('--no-color removes the colors in a terminal, and JSON has none', async () => {
  expect(await isColored('--no-color', { terminal: 100 })).toBe(false);
  expect(await isColored('--json', { terminal: 100 })).toBe(false);
});
