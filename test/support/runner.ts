import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files. They start first, so that no worker runs one alone at the end. */
const slowFiles = [
  'commands/schedule/real-cron',
  'reliability/settings',
  'reliability/workspace-access',
  'documents',
  'reliability/responses',
  'service/db/postgres/faults',
  'merge/concurrent',
  'export/export-killed',
  'import/memory',
  'bin',
  'process/pipes',
  'writes/senders',
  'merge/interrupted',
  'reliability/compile-cache',
  'process/memory',
  'reliability/output',
  'reliability/random-signals',
  'reliability/signals',
  'cli/examples',
];

const startsProcesses = (source: string) =>
  /from '(\S*\/(binary|machine|programs|terminal)\.ts|node:child_process)'/.test(source);

/**
 * Sorts the test files. Those that start processes come first: a start takes longer in a worker that other files have
 * left with more memory.
 */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = slowFiles.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      const group = startsProcesses(readFileSync(moduleId, 'utf8')) ? 0 : 2 * slowFiles.length;
      return group + (index < 0 ? slowFiles.length : index);
    };
    const ranks = new Map(files.map((file) => [file, rank(file)]));
    const getRank = (file: TestSpecification) => ranks.get(file) ?? 0;
    return (await super.sort(files)).sort((one, other) => getRank(one) - getRank(other));
  }
}

const memoryFolder = '/dev/shm';
const minimumSpace = 2 ** 30;

/** Returns the folder for temporary files: in memory if there is space and programs may run there. */
export function findTemporaryFolder(): string {
  if (process.env.TMPDIR || !existsSync('/proc/mounts')) return tmpdir();
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options =
    mounts.map((line) => line.split(' ')).find(([, folder]) => folder === memoryFolder)?.[3] ?? 'ro';
  if (/\b(ro|noexec)\b/.test(options)) return tmpdir();
  const { bavail, bsize } = statfsSync(memoryFolder);
  return bavail * bsize > minimumSpace ? memoryFolder : tmpdir();
}
