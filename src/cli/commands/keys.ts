import { Failure } from '../../contract/errors.ts';
import { views } from '../../render/views.ts';
import { command, ownRecord, ownRecords } from '../command.ts';
import { databaseFor, databaseOptions, workspaceFor } from '../connect/database.ts';
import { flag } from '../flags/options.ts';

export const keys = [
  command({
    name: 'create',
    local: true,
    summary: 'Create an API key for `kith serve`; it is shown once',
    args: { name: 'Key name' },
    options: { readOnly: flag('Create a read-only key'), ...databaseOptions },
    examples: ['keys create cron --read-only', 'keys create trial --demo --quiet --jq .key'],
    async run(session, { name, readOnly, ...given }) {
      if (name.trim() === '') throw new Failure('usage', 'NAME must not be empty.');
      const { workspace, database } = await workspaceFor(session, given);
      const record = await workspace.createKey(database, name, readOnly);
      await session.note('Copy the key now; it will not be shown again.');
      return ownRecord(record, views.newKey);
    },
  }),
  command({
    name: 'list',
    local: true,
    summary: 'List API keys, without their secrets',
    options: databaseOptions,
    examples: ['keys list'],
    async run(session, given) {
      const workspace = await session.workspace();
      const records = await workspace.listKeys(await databaseFor(session, given));
      return ownRecords(records, views.keys);
    },
  }),
  command({
    name: 'revoke',
    local: true,
    discards: true,
    summary: 'Revoke an API key; takes effect immediately',
    args: { id: 'Key ID' },
    options: databaseOptions,
    examples: ['keys revoke KEY_ID'],
    async run(session, { id, ...given }) {
      const workspace = await session.workspace();
      const record = await workspace.revokeKey(await databaseFor(session, given), id);
      return ownRecord(record, views.keys);
    },
  }),
];
