import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createDemoMachine,
  createLocalMachine,
  createTemporaryFolder,
  type MachineOptions,
} from '../../support/kith.ts';

type Machine = ReturnType<typeof createDemoMachine>;

/** Returns a machine with a new workspace or the sample, and a folder for a working copy. */
export function createWorkingCopy(
  create: (folder: string) => Machine = createLocalMachine,
  env: Readonly<Record<string, string>> = {},
) {
  const folder = createTemporaryFolder();
  const machine = create(folder);
  const root = join(folder, 'crm');
  const kith = (line: string | readonly string[], options: MachineOptions = {}) =>
    machine(line, { ...options, env: { NO_COLOR: '1', ...env, ...options.env } });
  const run = async (line: string | readonly string[], options: MachineOptions = {}) => {
    const result = await kith(line, options);
    if (result.code !== 0) throw new Error(`${line}: ${result.err}`);
    return result.out;
  };
  return {
    kith,
    root,
    checkout: (...flags: readonly string[]) => run(['workspace', 'checkout', root, ...flags]),
    push: (...flags: readonly string[]) => kith(['workspace', 'push', root, '--yes', ...flags]),
    status: async (...flags: readonly string[]): Promise<Record<string, unknown>[]> =>
      JSON.parse(await run(['workspace', 'status', root, '--json', ...flags])),
    /** Runs a command that creates a record, and returns its id. */
    create: async (line: string | readonly string[]): Promise<string> => {
      const words = typeof line === 'string' ? line.split(' ') : line;
      return (await run([...words, '--jq', '.id'])).trim();
    },
    get: async (line: string): Promise<Record<string, unknown>> => JSON.parse(await run(`${line} --json`)),
    read: (file: string) => readFileSync(join(root, file), 'utf8'),
    write: (file: string, text: string) => writeFileSync(join(root, file), text),
    edit: (file: string, change: (text: string) => string) =>
      writeFileSync(join(root, file), change(readFileSync(join(root, file), 'utf8'))),
    list: () => listFiles(root),
    /** Returns the times of all files, by which a rewrite is noticed. */
    readTimes: () => listFiles(root).map((file) => [file, statSync(join(root, file)).ctimeMs]),
  };
}

export const createDemoCopy = () => createWorkingCopy(createDemoMachine);

/** Returns the files of a working copy, without its state. */
function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((name) => !name.startsWith('.kith/'))
    .toSorted();
}
