import { Failure } from '../../contract/errors.ts';
import { views } from '../../render/views.ts';
import { command, ownRecord, ownRecords } from '../command.ts';
import { databaseFor, databaseOptions, workspaceFor } from '../connect/database.ts';
import { flag } from '../flags/options.ts';

export const keys = [
  command({
    name: 'create',
    local: true,
    summary: 'Make a key for `kith serve`; its secret is shown once',
    args: { name: 'What the key is for' },
    options: { readOnly: flag('A key that may only read'), ...databaseOptions },
    examples: ['keys create cron --read-only', 'keys create trial --demo --quiet --jq .key'],
    async run(session, { name, readOnly, ...given }) {
      if (name.trim() === '') throw new Failure('usage', 'NAME must not be empty.');
      const { workspace, database } = await workspaceFor(session, given);
      const record = await workspace.createKey(database, name, readOnly);
      await session.note('This is the only time that the key is shown.');
      return ownRecord(record, views.newKey);
    },
  }),
  command({
    name: 'list',
    local: true,
    summary: 'List keys, without their secrets',
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
    summary: 'Revoke a key: the next request with it is refused',
    args: { id: 'The id of a key' },
    options: databaseOptions,
    examples: ['keys revoke KEY_ID'],
    async run(session, { id, ...given }) {
      const workspace = await session.workspace();
      const record = await workspace.revokeKey(await databaseFor(session, given), id);
      return ownRecord(record, views.keys);
    },
  }),
];
