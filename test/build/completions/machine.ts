import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { complete } from '../../../src/completion/complete.ts';
import { listNamed } from '../../completion/machine.ts';
import { createEnv, launcher } from '../../support/binary.ts';
import { writeBridgeScript } from '../../support/bridge.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../../support/kith.ts';
import { oddContacts } from './cases.ts';

/** The environment of a shell in which `kith` is on the PATH. */
export interface ShellEnvironment {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Creates an environment that is signed in to a copy of the sample, whose records have been listed. */
export async function createShellEnvironment() {
  const environment = createSignedOutEnvironment();
  await listNamed(createDemoMachine(environment.settings));
  return environment;
}

/**
 * Creates an environment that is signed in to a copy of the sample, with more lists, and then also contacts with odd
 * names. Its `kith` completes in this process: a script calls it for each of many lines.
 */
export async function createBridgedEnvironment(lists: readonly string[] = []): Promise<ShellEnvironment> {
  const { env, cwd, settings, program } = await createShellEnvironment();
  const kith = createMachine(settings);
  for (const [first, last] of lists.length > 0 ? oddContacts : [])
    await kith(['contacts', 'create', '--first-name', first, ...(last === '' ? [] : ['--last-name', last])]);
  if (lists.length > 0) await kith(['alias', 'set', 'zz-deals', 'contacts list']);
  for (const name of lists) await kith(['lists', 'create', name, '--entry-type', 'Contact']);
  await writeBridgeScript(program, async (words) => ({
    code: 0,
    out: complete(words, { env, folder: process.cwd() }),
    err: '',
  }));
  return { env, cwd };
}

/** Creates an environment without a profile. Its working directory has files to complete. */
export function createSignedOutEnvironment(): ShellEnvironment & {
  readonly settings: string;
  readonly program: string;
} {
  const home = createTemporaryFolder();
  const bin = join(home, 'bin');
  const settings = join(home, '.config/kith');
  const cwd = join(home, 'work');
  for (const folder of [bin, settings, join(cwd, 'my meetings')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(cwd, 'june.ics'), '');
  const program = join(bin, 'kith');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`);
  chmodSync(program, 0o755);
  const PATH = [bin, process.env.PATH].join(delimiter);
  const KITH_CONFIG_DIR = settings; // as for the commands that run in this process
  return { env: createEnv(home, { PATH, KITH_CONFIG_DIR, TERM: 'dumb' }), cwd, settings, program };
}
