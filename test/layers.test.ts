import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** What each layer may import of ours; a layer may always import itself. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  dense: [],
  output: ['contract'],
  client: ['contract', 'dense'],
  service: ['contract', 'disk'],
  settings: ['contract', 'disk'],
  meetings: ['contract', 'dense', 'output', 'disk', 'type client'],
  disk: ['contract'],
  sync: ['contract', 'dense', 'output', 'disk', 'type client'],
  cli: ['contract', 'output', 'disk', 'meetings', 'sync', 'settings', 'type client', 'type aside'],
  generate: ['contract', 'cli'],
  bundle: [],
  programs: ['contract', 'cli'],
  signals: ['contract', 'programs'],
  sink: ['contract', 'cli'],
  source: ['disk', 'cli'],
  prompts: ['cli'],
  aside: ['contract', 'output', 'service'],
  start: ['contract', 'main', 'compiled'],
  compiled: ['settings', 'disk'],
  main: [
    'contract',
    'cli',
    'settings',
    'client',
    'service',
    'programs',
    'signals',
    'sink',
    'source',
    'prompts',
    'aside',
  ],
};

/** The only places that may import a library. */
const walls: Readonly<Record<string, readonly string[]>> = {
  commander: ['cli/mount.ts', 'cli/run.ts'],
  undici: [
    'client/agent.ts',
    'client/exchange.ts',
    'client/proxy-agent.ts',
    'client/transport.ts',
    'client/undici.d.ts',
  ],
  '@modelcontextprotocol': ['cli/mcp/serve.ts'],
  '@napi-rs/keyring': ['settings/keychain.ts'],
  conf: ['settings/writing.ts'],
  'cli-table3': ['output/table.ts'],
  'jq-web': ['output/jq.ts'],
  'node:child_process': ['programs.ts', 'bundle/beside.ts'],
  '@photostructure': ['service/engine.ts'],
  'node:sqlite': ['service/engine.ts'],
  'libphonenumber-js': ['contract/phone.ts'],
  'ical.js': ['service/import/ical.ts'],
  'iconv-lite': ['sync/encoding-guess.ts', 'sync/text-encoding.ts'],
  saxen: ['sync/xlsx/xml.ts'],
  yauzl: ['sync/xlsx/archive.ts'],
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

function importsOf(name: string): { target: string; isType: boolean }[] {
  const text = readFileSync(join('src', name), 'utf8');
  const statements = text.matchAll(
    /^(?:import|export)( type)?[^;]*? from '([^']+)'|\bimport\('([^']+)'\)|require\('([^']+)'\)/gm,
  );
  return Array.from(statements, ([, type, from, dynamic, required]) => ({
    target: from ?? dynamic ?? required ?? '',
    isType: type !== undefined,
  }));
}

const layerOf = (name: string) => (name.includes('/') ? (name.split('/')[0] ?? '') : name.replace('.ts', ''));

test('imports of ours point only where the arrows say', () => {
  const strays = sources.flatMap((name) =>
    importsOf(name).flatMap(({ target, isType }) => {
      if (!target.startsWith('.')) return [];
      const layer = layerOf(normalize(join(dirname(name), target)));
      const allowed = [layerOf(name), ...(arrows[layerOf(name)] ?? []), '..'];
      return allowed.includes(layer) || (isType && allowed.includes(`type ${layer}`))
        ? []
        : [`${name} -> ${target}`];
    }),
  );
  expect(strays).toEqual([]);
});

test('a library is imported only in the file that hides it', () => {
  const strays = sources.flatMap((name) =>
    importsOf(name).flatMap(({ target }) => {
      const wall = Object.entries(walls).find(
        ([library]) => target === library || target.startsWith(`${library}/`),
      );
      return wall && !wall[1].includes(name) ? [`${name} -> ${target}`] : [];
    }),
  );
  expect(strays).toEqual([]);
});

test('only the main files touch the process, the console, the clock and chance', () => {
  const allowed = [
    'start.ts',
    'compiled.ts',
    'main.ts',
    'signals.ts',
    'generate/main.ts',
    'bundle/beside.ts',
    'bundle/jq-output.ts',
    'dense/text-set.ts', // chance, in what nobody can see
  ];
  const outside =
    /\bprocess\.(env|argv|std|exit|cwd|kill|on\b|once|nextTick|platform|version|pid|emit|hrtime|memory)|\bconsole\.|Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(/;
  const strays = sources.filter(
    (name) => !allowed.includes(name) && outside.test(readFileSync(join('src', name), 'utf8')),
  );
  expect(strays).toEqual([]);
});

test('no file is over 300 lines', () => {
  const files = ['src', 'test', 'bin'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const ours = files.filter((name) => name.endsWith('.ts'));
  expect(ours.length).toBeGreaterThan(sources.length);
  expect(ours.filter((name) => readFileSync(name, 'utf8').split('\n').length > 301)).toEqual([]);
});

test('the map of the README names what is in src, and nothing else', () => {
  const [, map = ''] =
    /## For contributors\n+```\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8')) ?? [];
  const named = Array.from(map.matchAll(/\bsrc\/([a-z]+)(?:\/|\.ts)/g), ([, name = '']) => name);
  expect(named.toSorted()).toEqual([...new Set(sources.map(layerOf))].toSorted());
});
