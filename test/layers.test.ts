import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { expect, test } from 'vitest';

/** The folders that each folder of src/ may import from, apart from itself. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  values: [],
  contract: ['values'],
  files: ['contract', 'values'],
  render: ['contract', 'values'],
  transcripts: ['contract', 'values', 'files', 'render', 'type client'],
  client: ['contract', 'values'],
  records: ['contract', 'values', 'type client'],
  sqlite: ['contract'],
  http: ['contract'],
  service: ['contract', 'values', 'files', 'sqlite', 'http'],
  settings: ['contract', 'values', 'files', 'sqlite', 'type client'],
  api: ['contract', 'values', 'client', 'settings'],
  actions: ['contract', 'values', 'files'],
  search: [
    'contract',
    'values',
    'files',
    'render',
    'transcripts',
    'actions',
    'sqlite',
    'archive',
    'records',
    'type client',
  ],
  filter: ['contract', 'values', 'render'],
  duplicates: ['contract', 'values'],
  export: ['contract', 'values', 'files', 'render', 'transcripts', 'actions', 'type client'],
  archive: ['contract', 'values', 'files', 'records', 'type client'],
  changes: ['contract', 'values', 'files', 'records', 'type client'],
  checkout: ['contract', 'values', 'files', 'export'],
  import: ['contract', 'values', 'files', 'render', 'records', 'changes', 'type client'],
  merge: ['contract', 'values', 'files', 'records', 'changes', 'type client'],
  transfer: ['contract', 'values', 'files', 'archive', 'records', 'changes', 'merge', 'type client'],
  cli: [
    'contract',
    'values',
    'files',
    'render',
    'transcripts',
    'actions',
    'search',
    'filter',
    'duplicates',
    'export',
    'archive',
    'checkout',
    'records',
    'changes',
    'import',
    'merge',
    'transfer',
    'settings',
    'http',
    'type client',
    'type process',
    'type service',
    'type worker',
  ],
  worker: ['contract', 'transcripts', 'service'],
  process: ['contract', 'values', 'files', 'settings'],
  build: ['contract', 'values', 'render', 'cli', 'service'],
  completion: ['contract', 'values', 'files', 'render', 'filter', 'settings'],
  bootstrap: ['contract', 'process', 'main', 'completion'],
  main: ['contract', 'values', 'cli', 'settings', 'client', 'service', 'sqlite', 'process', 'worker'],
};

/** The only files that may import a library. */
const walls: Readonly<Record<string, readonly string[]>> = {
  commander: ['cli/mount.ts', 'cli/parse.ts'],
  undici: [
    'client/connection-timing.ts',
    'client/exchange.ts',
    'client/proxy.ts',
    'client/transport.ts',
    'client/undici.d.ts',
  ],
  '@modelcontextprotocol': [
    'cli/mcp/http.ts',
    'cli/mcp/messages.ts',
    'cli/mcp/serve.ts',
    'cli/mcp/server.ts',
  ],
  '@napi-rs/keyring': ['settings/keychain.ts'],
  conf: ['settings/conf.ts'],
  'cli-table3': ['render/table.ts'],
  'jq-web': ['worker/jq.ts'],
  'node:child_process': ['process/child-processes.ts', 'build/main.ts'],
  '@photostructure': ['sqlite/engine.ts'],
  'node:sqlite': ['sqlite/engine.ts'],
  marked: ['render/terminal-markdown.ts'],
  'libphonenumber-js': ['values/phone.ts'],
  leven: ['actions/match-items.ts'],
  'ical.js': ['service/calendar/calendar-file.ts', 'service/calendar/calendar-meetings.ts'],
  'iconv-lite': ['import/text-encoding.ts'],
  'prom-client': ['service/http/metrics.ts'],
  saxen: ['import/xlsx/archive.ts'],
  yauzl: ['import/xlsx/archive.ts'],
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

interface Import {
  readonly target: string;
  /** Whether only types are imported. */
  readonly isType: boolean;
  /** Whether the import is dynamic. */
  readonly isLate: boolean;
}

function importsOf(name: string): Import[] {
  const text = readFileSync(join('src', name), 'utf8');
  const statements = text.matchAll(
    /^(?:import|export)( type)?([^;]*?) from '([^']+)'|\bimport\('([^']+)'\)|require\('([^']+)'\)/gm,
  );
  return Array.from(statements, ([, type, names = '', from, dynamic, required]) => ({
    target: from ?? dynamic ?? required ?? '',
    isType: type !== undefined || /^\s*\{(\s*type \w+( as \w+)?,?)+\s*\}$/.test(names),
    isLate: from === undefined,
  }));
}

/** Returns the files of src/ that a file imports. */
const listImported = (name: string, isWanted: (one: Import) => boolean) =>
  importsOf(name)
    .filter((one) => one.target.startsWith('.') && isWanted(one))
    .map(({ target }) => normalize(join(dirname(name), target)));

const layerOf = (name: string) => (name.includes('/') ? (name.split('/')[0] ?? '') : name.replace('.ts', ''));

test('imports follow the allowed directions', () => {
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

/** The folders of src/cli, the lowest first. `cli` itself runs a command line. */
const rooms = [
  ...[
    'command',
    'flags',
    'tree',
    'calls',
    'print',
    'connect',
    'describe',
    'guards',
    'references',
    'upsert',
    'prompts',
    'selection',
    'undo',
    'actions',
    'show',
    'today',
  ],
  ...[
    'bulk',
    'batch',
    'edit',
    'forms',
    'duplicates',
    'import',
    'schedule',
    'watch',
    'doctor',
    'workspace',
    'report',
    'agents',
  ],
  ...['commands', 'alias', 'cli', 'mcp'],
];

/** Dynamic imports of a higher folder, except the commands in the tree. */
const lateImports = [
  'command/writing.ts -> connect/check-writes.ts',
  'print/format-table.ts -> references/name-loader.ts',
  'print/print.ts -> selection/related-names.ts',
  'print/select-fields.ts -> selection/related-names.ts',
  'print/select-fields.ts -> selection/related-names.ts',
  'references/entry-keys.ts -> prompts/choose-item.ts',
  'references/entry-keys.ts -> prompts/pick-arguments.ts',
  'references/resolve-reference.ts -> prompts/pick-arguments.ts',
  'undo/revert-last.ts -> import/undo-import.ts',
];

test('files in src/cli import nothing from a higher folder', () => {
  const cliFiles = sources.filter((name) => name.startsWith('cli/'));
  const roomOf = (name: string) => {
    const [, room = '', file] = name.split('/');
    return rooms.indexOf(file === undefined ? 'cli' : room);
  };
  expect(cliFiles.filter((name) => roomOf(name) < 0)).toEqual([]);
  const listUp = (isWanted: (one: Import) => boolean) =>
    cliFiles.flatMap((name) =>
      listImported(name, isWanted)
        .filter((target) => target.startsWith('cli/') && roomOf(target) > roomOf(name))
        .map((target) => `${name} -> ${target}`.replaceAll('cli/', '')),
    );
  expect(listUp(({ isType, isLate }) => !isType && !isLate)).toEqual([]);
  const late = listUp(({ isLate }) => isLate).filter((arrow) => !arrow.startsWith('tree/tree.ts '));
  expect(late.toSorted()).toEqual(lateImports);
});

test('files have no circular imports, except of types', () => {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): string[] => {
    if (path.includes(name)) return [[...path.slice(path.indexOf(name)), name].join(' -> ')];
    if (done.has(name)) return [];
    const circles = listImported(name, ({ isType, isLate }) => !isType && !isLate).flatMap((target) =>
      visit(target, [...path, name]),
    );
    done.add(name);
    return circles;
  };
  expect(sources.flatMap((name) => visit(name, []))).toEqual([]);
});

test('each library is imported only by the file that wraps it', () => {
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

test('only the main files use the process, the console, the clock and random numbers', () => {
  const allowed = [
    'bootstrap.ts',
    'main.ts',
    'api/create-client.ts',
    'process/compile-cache.ts',
    'process/signals.ts',
    'values/clock.ts',
    'build/generate.ts',
    'build/main.ts',
    'build/plugins.ts',
  ];
  const outside =
    /\bprocess\.(env|argv|std|exit|cwd|kill|on\b|once|nextTick|platform|version|pid|emit|hrtime|memory)|\bconsole\.|Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(/;
  const strays = sources.filter(
    (name) => !allowed.includes(name) && outside.test(readFileSync(join('src', name), 'utf8')),
  );
  expect(strays).toEqual([]);
});

/** The first line of a function or a method: in the formatted code, the block ends at the next `}` with its indent. */
const blockStart =
  /^(?:export )?(?:async )?function\*? (\w+)|^ {2}(?:(?:static|override|async|get|set) )*\*?(#?\w+)[(<]/;

/** The first line of a constant or a property that may be a function. */
const assignmentStart = /^(?:export )?const (\w+)|^ {2}(?:(?:static|readonly) )*(#?\w+)(?:: .*)? =/;

/** Returns the functions at the top level and in classes, with their numbers of lines. Tables of data are none. */
function listFunctions(name: string): { label: string; length: number }[] {
  const lines = readFileSync(join('src', name), 'utf8').split('\n');
  let isClass = false;
  return lines.flatMap((line, start) => {
    if (/^\S/.test(line)) isClass = /^(?:export )?class /.test(line);
    const indent = line.startsWith(' ') ? '  ' : '';
    if (indent && !isClass) return [];
    const block = blockStart.exec(line);
    const found = block ?? assignmentStart.exec(line);
    const head = lines.slice(start).find((one) => /[{[;]$|=>$|\{\}$/.test(one)) ?? '';
    const isFunction = block
      ? head.endsWith('{')
      : /^(?: {2})?\S.*=> \{$|= (?:async )?(?:<.*>)?\(\{$/.test(head);
    if (!found || !isFunction) return [];
    const length = lines.slice(start).findIndex((one) => one === `${indent}}` || one === `${indent}};`) + 1;
    return [{ label: `${name}: ${found[1] ?? found[2]}`, length }];
  });
}

test('no function is over 60 lines', () => {
  const functions = sources.flatMap(listFunctions);
  expect(functions.length).toBeGreaterThan(2 * sources.length);
  expect(functions.filter(({ length }) => length > 60)).toEqual([]);
});

/** What the top level may hold. */
const topLevel = [
  ...['bin', 'completions', 'docs', 'src', 'test'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'biome.json', 'vitest.config.ts', 'Dockerfile'],
  ...['README.md', 'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
];

test('the top level has only what tools and people expect', () => {
  const { status, stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], {
    encoding: 'utf8',
  });
  if (status !== 0) return; // not a checkout
  const names = new Set(
    stdout
      .trimEnd()
      .split('\n')
      .map((path) => path.split('/')[0] ?? ''),
  );
  expect([...names].filter((name) => !name.startsWith('.') && !topLevel.includes(name))).toEqual([]);
});

/** Folders of test/ that hold no tests of one folder of src/. */
const ownFolders = ['support', 'bench', 'reliability'];

test('the folders of test/ mirror those of src/', () => {
  const foldersOf = (root: string) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(root, entry.parentPath));
  const sourceFolders = new Set([...foldersOf('src'), ...ownFolders]);
  expect([...new Set(foldersOf('test'))].filter((folder) => !sourceFolders.has(folder))).toEqual([]);
});
