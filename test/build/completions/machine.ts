import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createEnv, launcher } from '../../support/binary.ts';
import { createMachine, createSampleWorkspace, createTemporaryFolder } from '../../support/kith.ts';

/** Where a shell is started: `kith` is on its PATH and signed in to a copy of the sample. */
export interface Place {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** An environment whose sample workspace has more lists, by name. */
export async function placeWith(lists: readonly string[] = []): Promise<Place> {
  const place = signedOut();
  const kith = createMachine(place.settings);
  await kith(['auth', 'login', '--local', '--demo', '--database', createSampleWorkspace(place.settings)]);
  for (const name of lists) await kith(['lists', 'create', name, '--entry-type', 'Contact']);
  return place;
}

/** A place without a profile, and the folder of its settings. Its working directory holds files to complete. */
export function signedOut(): Place & { readonly settings: string } {
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
  const XDG_CONFIG_HOME = join(home, '.config'); // also for what asks in this process
  return { env: createEnv(home, { PATH, XDG_CONFIG_HOME, TERM: 'dumb' }), cwd, settings };
}
