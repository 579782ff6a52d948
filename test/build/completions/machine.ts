import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createEnv, launcher } from '../../support/binary.ts';
import { createMachine, createSampleWorkspace, createTemporaryFolder } from '../../support/kith.ts';
import { oddContacts } from './cases.ts';

/** The environment of a shell in which `kith` is on the PATH. */
export interface ShellEnvironment {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Creates an environment that is signed in to a copy of the sample with more lists, and then also contacts with odd names. */
export async function createShellEnvironment(lists: readonly string[] = []): Promise<ShellEnvironment> {
  const environment = createSignedOutEnvironment();
  const kith = createMachine(environment.settings);
  await kith([
    'auth',
    'login',
    '--local',
    '--demo',
    '--database',
    createSampleWorkspace(environment.settings),
  ]);
  for (const [first, last] of lists.length > 0 ? oddContacts : [])
    await kith(['contacts', 'create', '--first-name', first, ...(last === '' ? [] : ['--last-name', last])]);
  if (lists.length > 0) await kith(['alias', 'set', 'zz-deals', 'contacts list']);
  for (const name of lists) await kith(['lists', 'create', name, '--entry-type', 'Contact']);
  return environment;
}

/** Creates an environment without a profile, and its settings folder. Its working directory has files to complete. */
export function createSignedOutEnvironment(): ShellEnvironment & { readonly settings: string } {
  const home = createTemporaryFolder();
  const bin = join(home, 'bin');
  const settings = join(home, '.config/kith');
  const cwd = join(home, 'work');
  for (const folder of [bin, settings, join(cwd, 'my meetings')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(cwd, 'june.ics'), '');
  const kith = join(bin, 'kith');
  writeFileSync(kith, `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`);
  chmodSync(kith, 0o755);
  const PATH = [bin, process.env.PATH].join(delimiter);
  const XDG_CONFIG_HOME = join(home, '.config'); // for the commands that run in this process, too
  return { env: createEnv(home, { PATH, XDG_CONFIG_HOME, TERM: 'dumb' }), cwd, settings };
}
