import { defineCommand } from '../../cli/command/command.ts';
import { createFlag } from '../../cli/command/options.ts';

export const status = defineCommand({
  name: 'status',
  isFileBased: true,
  summary: 'List the files of a working copy that differ from the service',
  description:
    'List the changes in the files of a working copy (edited, new, deleted), the changes on the service since the last ' +
    'checkout (changed, added, removed), and the records that changed on both sides (conflict). A file that cannot be ' +
    'read is invalid. Reads all records of the workspace; --local compares only the files. Exits with 0 even if there ' +
    'are differences.',
  args: { dir: { summary: 'Working copy (default .)', completion: 'folders', isOptional: true } },
  options: { local: createFlag('Compare only the files, without reading the service') },
  examples: ['workspace status crm', 'workspace status crm --local --json'],
  run: async (session, { dir = '.', local }) =>
    (await import('./run-status.ts')).readStatus(session, dir, local),
});
