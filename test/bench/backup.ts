import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildBareListArgs, buildListArgs } from './list.ts';
import { measureRatios } from './measure.ts';
import { connectTo, measureRun, runNode, startServer, withService } from './processes.ts';
import { type Bench, type Build, nameRatioColumns, type Section, type Table } from './report.ts';

const contacts = 100_000;
const rounds = 5;

/** Returns the command line that backs up to a folder. */
const buildBackupArgs = ({ entry }: Build, folder: string, ...flags: readonly string[]): string[] => [
  ...[entry, 'workspace', 'backup', folder, '--quiet'],
  ...flags,
];

/** Measures backups: time, compared with a bare download, size and memory. */
export async function measureBackup(bench: Bench): Promise<Section> {
  const tables = [await measureDownload(bench)];
  if (bench.builds.length === 1) tables.push(await measureRuns(bench), await measureMemory(bench));
  return { title: 'Backup', tables };
}

/** Compares a first backup of contacts with commands that only download them. */
function measureDownload(bench: Bench): Promise<Table> {
  const folder = join(bench.folder, 'backup');
  return withService(startServer('workspace', contacts, 0), async (service) => {
    const env = connectTo(service, bench.env);
    const builds = bench.builds.map((build) => ({
      prepare: () => rmSync(folder, { recursive: true, force: true }),
      run: () => runNode(buildBackupArgs(build, folder), env, 'pipe'),
    }));
    const rows: string[][] = [];
    for (const [name, args] of [
      ['a bare program with undici, pages of 500', buildBareListArgs(service, 500)],
      ['`kith contacts list --all --format ndjson`, pages of 500', buildListArgs(bench.builds[0], 500)],
      ['the same, pages of 100', buildListArgs(bench.builds[0], 100)],
    ] as const)
      rows.push([
        name,
        ...(await measureRatios({ run: () => runNode(args, env, 'pipe') }, builds, rounds, 1)),
      ]);
    const text = `A first \`kith workspace backup\` of ${contacts.toLocaleString('en')} contacts, compared with downloads of the same contacts (${rounds} runs).`;
    return { text, columns: ['download', ...nameRatioColumns(bench, 'ratio to the download')], rows };
  });
}

/** Returns the size of the files in a folder, in MB. */
const readSize = (folder: string): string => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const stats = names.map((name) => statSync(join(folder, name))).filter((one) => one.isFile());
  // Hard links count once.
  const sizes = new Map(stats.map(({ ino, size }) => [ino, size]));
  return ([...sizes.values()].reduce((sum, size) => sum + size, 0) / 1e6).toFixed(1);
};

/** Measures the runs of a workspace: the first, one without changes, and the file. */
function measureRuns(bench: Bench): Promise<Table> {
  const folder = join(bench.folder, 'backup');
  const file = join(bench.folder, 'backup.tar.gz');
  return withService(startServer('workspace', 10_000, 1000), async (service) => {
    rmSync(folder, { recursive: true, force: true });
    const env = connectTo(service, bench.env);
    const rows: string[][] = [];
    for (const [name, flags] of [
      ['first run', []],
      ['second run, no changes', ['--keep', '7']],
      ['third run, with `--archive`', ['--keep', '7', '--archive', file]],
    ] as const) {
      const args = buildBackupArgs(bench.builds[0], folder, ...flags);
      const { milliseconds, memory } = await measureRun(bench, args, env);
      const size = (flags as readonly string[]).includes('--archive')
        ? `${readSize(folder)}, file ${(statSync(file).size / 1e6).toFixed(1)}`
        : readSize(folder);
      rows.push([name, (milliseconds / 1000).toFixed(2), size, memory.toFixed(0)]);
    }
    const verify = [bench.builds[0].entry, 'workspace', 'verify', folder];
    const { milliseconds, memory } = await measureRun(bench, verify, env);
    rows.push([
      '`kith workspace verify`',
      (milliseconds / 1000).toFixed(2),
      readSize(folder),
      memory.toFixed(0),
    ]);
    const text =
      'Backups of 10,000 contacts and 1,000 meetings of ten minutes, from a server that sends bytes from memory.';
    return { text, columns: ['run', 'seconds', 'MB on disk', 'peak memory, MB'], rows };
  });
}

async function measureMemory(bench: Bench): Promise<Table> {
  const folder = join(bench.folder, 'backup');
  const rows: string[][] = [];
  for (const count of [1000, 10_000, contacts, 4 * contacts]) {
    rmSync(folder, { recursive: true, force: true });
    const { memory } = await withService(startServer('workspace', count, 0), (service) =>
      measureRun(bench, buildBackupArgs(bench.builds[0], folder), connectTo(service, bench.env)),
    );
    rows.push([count.toLocaleString('en'), memory.toFixed(0)]);
  }
  const text = 'Peak memory of a first backup.';
  return { text, columns: ['contacts', 'MB'], rows };
}
