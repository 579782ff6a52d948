import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findPostgres } from '../support/postgres.ts';
import { measureBackup } from './backup.ts';
import { measureBrief } from './brief.ts';
import { measureCompletion } from './completion.ts';
import { measureExport } from './export.ts';
import { measureImport } from './import.ts';
import { measureList } from './list.ts';
import { measureNames } from './names.ts';
import { measurePages } from './pages.ts';
import { measurePostgres, measurePostgresGrowth } from './postgres.ts';
import { type Bench, type Build, formatPage, formatSection, type Section, updatePage } from './report.ts';
import { measureSearch } from './search.ts';
import { measureService } from './service.ts';
import { measureStart } from './start.ts';

/** The parts that docs/performance.md has, and that can be run alone: `npm run bench start list`. */
const parts: Readonly<Record<string, (bench: Bench) => Promise<Section>>> = {
  pages: measurePages,
  start: measureStart,
  completion: measureCompletion,
  list: measureList,
  names: measureNames,
  service: measureService,
  postgres: measurePostgres,
  'postgres-growth': measurePostgresGrowth,
  export: measureExport,
  backup: measureBackup,
  brief: measureBrief,
  import: measureImport,
  search: measureSearch,
};

/** The parts that measure two builds alternately: `npm run bench -- compare PATH`, and maybe the names of some of them. */
const comparison = ['start', 'list', 'service'];

const page = 'docs/performance.md';
const hasPostgres = findPostgres() !== undefined;

async function main([first, ...rest]: readonly string[]): Promise<void> {
  if (first === undefined) {
    const names = Object.keys(parts).filter((name) => !name.startsWith('postgres') || hasPostgres);
    writeFileSync(page, formatPage(await measureSections(findParts(names))));
    if (!hasPostgres) process.stdout.write('\nPostgreSQL is not installed: its sections are missing.\n');
  } else if (first === 'update') {
    for (const measure of findParts(rest)) {
      for (const section of await measureSections([measure]))
        writeFileSync(page, updatePage(readFileSync(page, 'utf8'), section));
    }
  } else if (first === 'compare') {
    const [path, ...names] = rest;
    if (path === undefined) throw new Error('Missing path. Usage: npm run bench -- compare PATH [PART...]');
    await measureSections(findParts(names.length > 0 ? names : comparison), {
      name: path,
      entry: resolve(path, 'bin/kith.js'),
    });
  } else await measureSections(findParts([first, ...rest]));
}

/** Returns the parts with these names. @throws {Error} for an unknown name */
function findParts(names: readonly string[]) {
  const unknown = names.find((name) => !(name in parts));
  if (unknown) throw new Error(`Unknown part "${unknown}". Available: ${Object.keys(parts).join(', ')}`);
  return Object.entries(parts).flatMap(([name, measure]) => (names.includes(name) ? [measure] : []));
}

/** Runs parts one after the other, of this checkout and of another one if given, and prints their results. */
async function measureSections(
  measures: readonly ((bench: Bench) => Promise<Section>)[],
  ...others: readonly Build[]
): Promise<Section[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'));
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env; // reading it delays every start of Node 20
  const env = { ...inherited, KITH_CONFIG_DIR: folder };
  const build = { name: 'this checkout', entry: resolve('bin/kith.js') };
  const bench: Bench = { folder, env, builds: [build, ...others] };
  const sections: Section[] = [];
  try {
    for (const measure of measures) {
      const section = await measure(bench);
      sections.push(section);
      process.stdout.write(`\n${formatSection(section)}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return sections;
}

await main(process.argv.slice(2));
