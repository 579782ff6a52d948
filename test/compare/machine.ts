import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { loadSqlite, type Sqlite } from '../../src/sqlite/engine.ts';
import { exampleFiles } from '../support/example-files.ts';
import { createFakeSchedulers } from '../support/fake-schedulers.ts';
import { writeStoredSettings } from '../support/kith.ts';
import type { Build } from './builds.ts';
import { normalize } from './normalize.ts';

/** The sample workspace, with a key for services. */
export interface Sample {
  readonly file: string;
  readonly key: string;
}

/** The time at which each chain starts; each of its lines runs a minute later. */
const startTime = Date.UTC(2026, 4, 4, 9, 30);

const workspacePath = '.local/share/kith/demo.sqlite';

/** Edits the first field that it finds, as a person would. */
const editor = `#!/bin/sh
sed -i -E 's/^(first_name|name|title|body|summary): .*/\\1: Edited/' "$1"
`;

/**
 * The folder in which chains run, one after the other. Both builds use the same folder, because their output contains
 * paths. `slot`: its parent, for everything that is kept between chains.
 */
export class Machine {
  readonly home: string;
  readonly preload: string;
  readonly slot: string;

  constructor(slot: string) {
    mkdirSync(slot, { recursive: true });
    this.slot = slot;
    this.home = join(slot, 'home');
    this.preload = join(slot, 'deterministic.cjs');
    cpSync('test/compare/deterministic.cjs', this.preload);
    const node = `exec '${process.execPath}' --require '${this.preload}' "$@"`;
    writeFileSync(join(slot, 'node'), `#!/bin/sh\n${node}\n`, { mode: 0o755 });
    this.setClock(0);
  }

  /** Sets the clock of all processes to the time of a line, and returns it. */
  setClock(line: number): Date {
    const time = startTime + 60_000 * line;
    writeFileSync(join(this.slot, 'clock'), String(time));
    return new Date(time);
  }

  /** Creates the home folder, signed in to a fresh copy of the sample, or to the service at a URL. */
  reset(build: Build, sample: Sample, url?: string): NodeJS.ProcessEnv {
    const { home } = this;
    mkdirSync(join(home, '.local/share/kith'), { recursive: true });
    for (const folder of ['bin', 'tmp']) mkdirSync(join(home, folder));
    const cache = this.#findCache(build);
    if (existsSync(cache)) renameSync(cache, join(home, '.cache'));
    for (const [name, content] of Object.entries(exampleFiles)) writeFileSync(join(home, name), content);
    const database = join(home, workspacePath);
    cpSync(sample.file, database);
    const profile = url === undefined ? { database } : { base_url: url, api_key: sample.key };
    writeStoredSettings(join(home, '.config/kith'), { active: 'demo', profiles: { demo: profile } });
    const program = `exec '${join(this.slot, 'node')}' '${build.launcher}' "$@"`;
    writeFileSync(join(home, 'bin/kith'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    writeFileSync(join(home, 'bin/edit'), editor, { mode: 0o755 });
    const { bin } = createFakeSchedulers(home);
    const PATH = [join(home, 'bin'), bin, process.env.PATH].join(delimiter);
    const folders = { PATH, HOME: home, TMPDIR: join(home, 'tmp') };
    return { ...folders, LANG: 'C.UTF-8', TZ: 'UTC', EDITOR: 'edit', PAGER: 'cat', SHELL: '/bin/sh' };
  }

  /** Removes the home folder, and returns its files as text, by path. The compile cache stays for the next chain. */
  collectFiles(build: Build): Map<string, string> {
    const { home } = this;
    const compiled = join(home, '.cache/kith/compiled');
    const cache = this.#findCache(build);
    if (existsSync(compiled)) {
      mkdirSync(join(cache, 'kith'), { recursive: true });
      renameSync(compiled, join(cache, 'kith/compiled'));
    }
    const files = new Map(
      readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !/\/home\/(bin|schedulers\/bin)$/.test(entry.parentPath))
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [normalize(path.slice(home.length + 1), build), readContent(path, build)] as const),
    );
    rmSync(home, { recursive: true, force: true });
    return files;
  }

  /** Each build has its own cache, because both have files with the same names. */
  #findCache = ({ folder }: Build) => join(this.slot, `cache-${folder.slice(-1)}`);
}

const dumps = new Map<string, string>();

/** Returns the mode and the content of a file as text: the rows of a database, and the parts of an archive. */
function readContent(path: string, build: Build): string {
  const { mode } = statSync(path);
  const bytes = readFileSync(path);
  const text = normalize(formatBytes(path, bytes), build);
  // Concurrent responses are added to the name cache, and concurrent writes to journals, in the order in which they end.
  const isSorted = isDatabase(bytes) || /\.kith[^/]*(\/[^/]+)?\.(ndjson|jsonl)$/.test(path);
  return `mode ${(mode & 0o777).toString(8)}\n${isSorted ? text.split('\n').sort().join('\n') : text}`;
}

const isDatabase = (bytes: Buffer) => bytes.subarray(0, 15).equals(Buffer.from('SQLite format 3'));

function formatBytes(path: string, bytes: Buffer): string {
  if (bytes.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]))) return gunzipSync(bytes).toString();
  if (!isDatabase(bytes)) return bytes.toString();
  const log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : '';
  const hash = createHash('sha256').update(bytes).update(log).digest('hex');
  const dump = dumps.get(hash) ?? dumpDatabase(path);
  if (dumps.size < 100) dumps.set(hash, dump);
  return dump;
}

/** Returns the tables of a database with their rows, each on a line. */
function dumpDatabase(path: string): string {
  const Database = loadSqlite();
  const db = new Database(path, { readOnly: true });
  try {
    const tables = db.prepare('select name, sql from sqlite_master').all() as Record<string, string | null>[];
    return tables
      .flatMap(({ name, sql }) => {
        const isTable = /^create (virtual )?table/i.test(sql ?? '');
        return [String(sql), ...(isTable ? readRows(db, String(name)) : [])].map(
          (line) => `${name}: ${line.replaceAll('\n', '\\n')}`,
        );
      })
      .join('\n');
  } finally {
    db.close();
  }
}

/** Returns the rows of a table as SQL values: JavaScript has no numbers as large as those of the search index. */
function readRows(db: Sqlite, table: string): string[] {
  const columns = db.prepare(`select name from pragma_table_info('${table}')`).all() as { name: string }[];
  const parts = columns.map(({ name }) => `'${name} ' || quote("${name}")`);
  const rows = db.prepare(`select ${parts.join(" || ', ' || ")} as row from "${table}"`).all();
  return (rows as { row: string }[]).map(({ row }) => row);
}
