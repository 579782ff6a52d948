import { resolve } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import { command, said } from '../command.ts';
import { databaseOptions, workspaceFor } from '../database.ts';
import { flag } from '../options.ts';

export const workspaceSnapshot = command({
  name: 'snapshot',
  local: true,
  summary: 'Copy a workspace on this machine to a file, also while it is served',
  description:
    'Copy a workspace on this machine to a file: an exact copy of one moment, also while `kith serve` and other ' +
    'programs read and write the workspace. The copy is checked, readable by its owner only, and appears whole or ' +
    'not at all. Do not copy a workspace that is in use with `cp`: its newest records may be in the -wal file beside it.',
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
