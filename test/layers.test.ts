import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { expect, test } from 'vitest';

/** The folders and main files of src/, the lowest first. Each may import from itself and the listed folders. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  values: [],
  contract: ['values'],
  sqlite: ['contract'],
  http: ['contract'],
  client: ['contract', 'values'],
  records: ['contract', 'values', 'type client'],
  files: ['contract', 'values'],
  render: ['contract', 'values', 'records'],
  settings: ['contract', 'values', 'files', 'sqlite', 'type client'],
  service: ['contract', 'values', 'files', 'sqlite', 'http'],
  transcripts: ['contract', 'values', 'files', 'render', 'type client'],
  process: ['contract', 'values', 'files', 'settings', 'transcripts', 'service'],
  api: ['contract', 'values', 'client', 'settings'],
  writes: ['contract', 'values', 'files', 'records', 'type client'],
  undo: ['contract', 'values', 'files', 'records', 'writes', 'type client'],
  actions: ['contract', 'values', 'files'],
  followup: ['contract', 'values'],
  filter: ['contract', 'values', 'render'],
  duplicates: ['contract', 'values', 'records'],
  export: ['contract', 'values', 'files', 'render', 'transcripts', 'actions', 'type client'],
  import: ['contract', 'values', 'files', 'render', 'records', 'writes', 'undo', 'type client'],
  merge: ['contract', 'values', 'files', 'records', 'writes', 'undo', 'type client'],
  archive: ['contract', 'values', 'files', 'records', 'writes', 'merge', 'type client'],
  search: [
    'contract',
    'values',
    'files',
    'render',
    'transcripts',
    'actions',
    'followup',
    'sqlite',
    'archive',
    'records',
    'type client',
  ],
  cli: [
    'contract',
    'values',
    'files',
    'render',
    'transcripts',
    'search',
    'filter',
    'followup',
    'export',
    'records',
    'writes',
    'undo',
    'import',
    'settings',
    'type client',
    'type process',
    'type service',
  ],
  commands: [
    'contract',
    'values',
    'files',
    'http',
    'render',
    'transcripts',
    'actions',
    'followup',
    'search',
    'filter',
    'duplicates',
    'export',
    'archive',
    'records',
    'writes',
    'undo',
    'import',
    'merge',
    'settings',
    'cli',
    'type client',
    'type process',
    'type service',
  ],
  build: ['contract', 'values', 'render', 'cli', 'commands', 'service'],
  completion: ['contract', 'values', 'files', 'render', 'filter', 'settings'],
  main: ['contract', 'values', 'settings', 'client', 'service', 'sqlite', 'process', 'cli', 'commands'],
  bootstrap: ['contract', 'process', 'completion', 'main'],
};

/** The folders of src/cli, the lowest first. The files in `cli` itself run a command line. */
const machine = [
  'names',
  'progress',
  'command',
  'flags',
  'help',
  'connect',
  'guards',
  'writes',
  'references',
  'selection',
  'print',
];

/** The folders of src/commands, the lowest first. The files in `commands` itself are nouns and small features. */
const features = [
  'actions',
  'show',
  'edit',
  'forms',
  'today',
  'schedule',
  'mcp',
  'agents',
  'describe',
  'undo',
  'bulk',
  'batch',
  'duplicates',
  'import',
  'records',
  'serve',
  'workspace',
  'report',
  'brief',
  'checkout',
];

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
    'commands/mcp/http.ts',
    'commands/mcp/messages.ts',
    'commands/mcp/serve.ts',
    'commands/mcp/server.ts',
  ],
  '@napi-rs/keyring': ['settings/keychain.ts'],
  conf: ['settings/conf.ts'],
  'cli-table3': ['render/table.ts'],
  'jq-web': ['process/worker/jq.ts'],
  'node:child_process': ['process/child-processes.ts', 'build/main.ts'],
  '@photostructure': ['sqlite/engine.ts'],
  'node:sqlite': ['sqlite/engine.ts'],
  marked: ['render/terminal-markdown.ts'],
  'libphonenumber-js': ['values/phone.ts'],
  leven: ['actions/match-items.ts'],
  'ical.js': [
    'import/vcard.ts',
    'service/calendar/calendar-file.ts',
    'service/calendar/calendar-meetings.ts',
  ],
  'iconv-lite': ['import/text-encoding.ts'],
  'prom-client': ['service/http/metrics.ts'],
  saxen: ['import/xlsx/archive.ts'],
  'write-excel-file': ['render/workbook.ts'],
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

test('each folder imports only from folders below it', () => {
  const order = Object.keys(arrows);
  const upward = order.flatMap((name, index) =>
    (arrows[name] ?? [])
      .map((target) => target.replace('type ', ''))
      .filter((target) => !order.slice(0, index).includes(target))
      .map((target) => `${name} -> ${target}`),
  );
  expect(upward).toEqual([]);
});

/** Lists the imports from a lower to a higher subfolder of `folder`, including imports of types and dynamic imports. */
function listUpward(folder: string, order: readonly string[]): string[] {
  const heightOf = (name: string) => {
    const [, room = '', file] = name.split('/');
    return file === undefined ? order.length : order.indexOf(room);
  };
  const files = sources.filter((name) => name.startsWith(`${folder}/`));
  expect(files.filter((name) => heightOf(name) < 0)).toEqual([]);
  return files
    .filter((name) => name !== 'commands/tree.ts')
    .flatMap((name) =>
      listImported(name, () => true)
        .filter((target) => target.startsWith(`${folder}/`) && heightOf(target) > heightOf(name))
        .map((target) => `${name} -> ${target}`),
    );
}

test('no file of cli or commands imports from a higher folder', () => {
  expect([...listUpward('cli', machine), ...listUpward('commands', features)]).toEqual([]);
});

/** Returns the groups of files that import each other, directly or through others, the largest first. */
function findCircles(): string[][] {
  const reachable = new Map<string, Set<string>>();
  const reach = (start: string) => {
    const seen = new Set<string>();
    const open = [start];
    for (let name = open.pop(); name !== undefined; name = open.pop())
      for (const target of imported.get(name) ?? [])
        if (!seen.has(target)) {
          seen.add(target);
          open.push(target);
        }
    return seen;
  };
  const imported = new Map(sources.map((name) => [name, listImported(name, () => true)]));
  for (const name of sources) reachable.set(name, reach(name));
  const circles = new Map<string, string[]>();
  for (const name of sources) {
    const circle = sources.filter(
      (other) => reachable.get(name)?.has(other) && reachable.get(other)?.has(name),
    );
    if (circle.length > 1) circles.set(circle.join(' '), circle);
  }
  return [...circles.values()].toSorted((a, b) => b.length - a.length);
}

test('at most four files import each other in a circle', () => {
  expect(
    findCircles()
      .map((circle) => circle.length)
      .filter((length) => length > 4),
  ).toEqual([]);
});

test('folders of src/ are at most three levels deep and have at least two entries', () => {
  const files = readdirSync('src', { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const folders = files.map(({ parentPath }) => relative('src', parentPath));
  expect(folders.filter((folder) => folder.split('/').length > 3)).toEqual([]);
  const all = new Set(folders.flatMap((folder) => [folder, dirname(folder)]));
  const countEntries = (folder: string) => readdirSync(join('src', folder)).length;
  expect([...all].filter((folder) => countEntries(folder) < 2)).toEqual([]);
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

/**
 * Returns the files with code that matches, outside of the listed files and folders. Fails if a listed one has none,
 * so that the lists shrink.
 */
function listUsers(code: RegExp, owners: readonly string[], exceptions: readonly string[]): string[] {
  const users = sources.filter((name) => code.test(readCode(name)));
  const isIn = (name: string) => (place: string) => name === place || name.startsWith(`${place}/`);
  const unused = exceptions.filter((place) => !users.some((name) => isIn(name)(place)));
  expect(unused, 'no longer needed').toEqual([]);
  return users.filter((name) => ![...owners, ...exceptions].some(isIn(name)));
}

/** Returns the text of a file without its comments. */
const readCode = (name: string) =>
  readFileSync(join('src', name), 'utf8').replace(/^ *(\/\*\*?[\s\S]*?\*\/|\/\/.*)$/gm, '');

test('only files/ renames, flushes, creates and locks files', () => {
  const code =
    /\b(?:fs|files)\.rename|\brenameSync\b|\bf(?:data)?sync(?:Sync)?\b|'[wa]x\+?'|\bO_EXCL\b|begin exclusive/;
  const ownMeans = [
    'service/db/sqlite', // workspace files, and the lock of the operating system
    'process/compile-cache.ts', // runs before other files are loaded, and may lose a file
  ];
  expect(listUsers(code, ['files', 'build'], ownMeans)).toEqual([]);
});

test('only files/ decides whether a newer version of kith wrote a file', () => {
  expect(listUsers(/written by a newer version/, ['files'], ['service/db'])).toEqual([]);
});

test('only records/ compares and matches the values of records', () => {
  const code = /\b(?:isDeepStrictEqual|isSameValue|isSameNumber|isSameJson)\b/;
  const owners = ['records', 'contract/field-types.ts', 'values/phone.ts'];
  const otherValues = [
    'commands/checkout/update-folder.ts', // the words for references in a file
    'filter/comparators.ts', // a field with the value of an expression
    'settings/settings.ts', // the settings as written
    'service', // rows of the database
    'writes', // the JSON of a record before and after a write
  ];
  const notYetMoved = [
    'import/own-fields.ts',
    'import/record-writer.ts',
    'import/row-groups.ts',
    'merge',
    'undo',
    'commands/duplicates/interrupted-merges.ts',
    'commands/records/field-changes.ts',
    'commands/records/upsert.ts',
  ];
  expect(listUsers(code, owners, [...otherValues, ...notYetMoved])).toEqual([]);
});

test('only records/match.ts decides how the values of two records are compared to match them', () => {
  const code = /\b(?:normalizeEmail|normalizeDomain|readTail|listFullNameKeys|toFullNameKey)\b/;
  const owners = ['records/match.ts', 'contract/field-types.ts', 'values'];
  const otherValues = [
    'client/contact-lookup.ts', // whether the service has ignored a lookup
    'search/index/documents.ts', // the attendees of meetings
    'search/lookup.ts',
    'search/relations.ts',
    'cli/selection/related-fields.ts',
    'commands/show/read-meetings.ts',
    'commands/actions/read-items.ts', // the user
    'commands/today/show-day.ts',
    'commands/today/show-follow-ups.ts',
  ];
  expect(listUsers(code, owners, otherValues)).toEqual([]);
});

test('only records/label.ts names a contact or an organization', () => {
  const code = /\bformatFullName\b|\bname (?:\|\||\?\?) \(?(?:\w+\.)?domains\b/;
  const owners = ['records/label.ts', 'values'];
  const otherValues = [
    'contract/record-fields.ts', // the field `name` of a contact
    'search/lookup.ts', // an index without texts
    'actions/person.ts', // names in the texts of action items
    'cli/writes/lost-write.ts', // a comparison with the field `name`
    'commands/checkout/push/read-new.ts', // a word of a file
    'export/layout.ts', // folders that exist
  ];
  expect(listUsers(code, owners, otherValues)).toEqual([]);
});

test('only writes/ sends more than one write', () => {
  const code =
    /\bclient(?:\(\)\))?\.send\(|\brecorder\.send\(|(?<!\bv)\.record\(\s*(?!\w+\.get\b)|(?<!#)\bwriteRecord\(/i;
  const oneRequest = [
    'api/create-client.ts', // a call of the package
    'cli/command/records.ts', // a read by any route
    'cli/writes/writing.ts', // the write of a command
    'commands/api.ts',
    'commands/records/record-writes.ts',
  ];
  const clientOfRun = ['commands/edit/edit-send.ts']; // its client passes each write to a run
  expect(listUsers(code, ['client', 'service', 'writes'], [...oneRequest, ...clientOfRun])).toEqual([]);
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

/** Returns the functions at the top level and in classes, with their numbers of lines. Tables of data are not functions. */
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

const architecture = readFileSync('docs/architecture.md', 'utf8');

/** Returns the paths in the map of the architecture page, without `src/`: `main.ts`, `cli/`, `cli/print/`. */
function readMap(): string[] {
  const [, map = ''] = /^```\nsrc\/\n(.*?)^test\/ /ms.exec(architecture) ?? [];
  const parents: string[] = [];
  return (
    map.match(/^ +\S+/gm)?.map((line) => {
      const depth = (line.lastIndexOf(' ') + 1) / 2 - 1;
      parents.length = depth;
      parents.push(line.trim());
      return parents.join('');
    }) ?? []
  );
}

test('the map of the architecture page lists each folder of src/ once, the highest first', () => {
  const paths = readMap();
  const folders = readdirSync('src', { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(paths.filter((path) => path.endsWith('/')).toSorted()).toEqual(
    folders.map(({ parentPath, name }) => `${relative('src', join(parentPath, name))}/`).toSorted(),
  );
  const listNames = (parent: string) =>
    paths
      .filter((path) => path.startsWith(parent))
      .map((path) => path.slice(parent.length).replace(/(\/|\.ts)$/, ''))
      .filter((name) => name !== '' && !name.includes('/'));
  expect(listNames('')).toEqual(Object.keys(arrows).toReversed());
  expect(listNames('cli/')).toEqual(machine.toReversed());
  expect(listNames('commands/')).toEqual(features.toReversed());
});

/** The pages that name source files. */
const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name))
  .concat('CONTRIBUTING.md');

test('the pages name only files and folders that exist', () => {
  const files = ['src', 'test', 'docs'].flatMap((root) =>
    ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })].map((name) => `/${root}/${name}`),
  );
  const missing = pages.flatMap((page) => {
    const pattern = page === 'docs/architecture.md' ? /`([\w./-]+(?:\.ts|\/))`/g : /`([\w./-]+\.ts)`/g;
    const names = Array.from(readFileSync(page, 'utf8').matchAll(pattern), ([, name = '']) => name);
    return names
      .map((name) => `/${name.replace('NOUN', 'contacts')}`)
      .filter((name) => !files.some((file) => file.endsWith(name) || `${file}/`.endsWith(name)))
      .map((name) => `${page}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('the pages name only npm scripts that exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const missing = pages.flatMap((page) =>
    Array.from(
      readFileSync(page, 'utf8').matchAll(/\bnpm run (?:--silent )?([\w:]+)/g),
      ([, name = '']) => name,
    )
      .filter((name) => !Object.hasOwn(scripts, name))
      .map((name) => `${page}: ${name}`),
  );
  expect(missing).toEqual([]);
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
const ownFolders = ['support', 'bench', 'compare', 'reliability'];

test('the folders of test/ mirror those of src/', () => {
  const foldersOf = (root: string) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(root, entry.parentPath));
  const sourceFolders = new Set([...foldersOf('src'), ...ownFolders]);
  expect([...new Set(foldersOf('test'))].filter((folder) => !sourceFolders.has(folder))).toEqual([]);
});
