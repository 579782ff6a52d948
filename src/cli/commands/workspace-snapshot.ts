import { resolve } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import { command, said } from '../command.ts';
import { databaseOptions, workspaceFor } from '../connect/database.ts';
import { flag } from '../flags/options.ts';

export const workspaceSnapshot = command({
  name: 'snapshot',
  local: true,
  summary: 'Copy a workspace on this machine to a file, even while it is served',
  description:
    'Copy a workspace on this machine to a file, even while it is served. The copy is an exact image of one moment, ' +
    'even if `kith serve` and other programs read and write the workspace. It is checked for damage, readable only by ' +
    'its owner, and written atomically. Do not use `cp` on a workspace that is in use: its newest records may be in ' +
    'the -wal file beside it.',
  args: { file: { summary: 'The file to write', completes: 'files' } },
  options: { force: flag('Replace FILE if it exists'), ...databaseOptions },
  answers: 'text',
  examples: [
    'workspace snapshot backup.sqlite',
    'workspace snapshot /backups/monday.sqlite --force --database /srv/kith.sqlite',
  ],
  async run(session, { file, force, ...given }) {
    if (file === '-') {
      throw new Failure('usage', 'FILE: a snapshot cannot be written to stdout.', {
        hint: 'Name a file. For a file called "-": kith workspace snapshot ./-',
      });
    }
    const { workspace, database } = await workspaceFor(session, given);
    const snapshot = await workspace.snapshot(database, resolve(file), force);
    return said(`Wrote ${snapshot.file} (${snapshot.size} bytes).\n`, snapshot);
  },
});
