import { Failure } from '../../contract/errors.ts';
import { views } from '../../render/views.ts';
import { defineCommand, toRecordResult, toRecordsResult } from '../command.ts';
import { databaseOptions, openWorkspaceFile, resolveDatabase } from '../connect/database.ts';
import { flag } from '../flags/options.ts';

export const keys = [
  defineCommand({
    name: 'create',
    isLocal: true,
    summary: 'Create an API key for `kith serve`; it is shown once',
    args: { name: 'Key name' },
    options: { readOnly: flag('Create a read-only key'), ...databaseOptions },
    examples: ['keys create cron --read-only', 'keys create trial --demo --quiet --jq .key'],
    async run(session, { name, readOnly, ...flags }) {
      if (name.trim() === '') throw new Failure('usage', 'NAME must not be empty.');
      const { workspace, database } = await openWorkspaceFile(session, flags);
      const record = await workspace.createKey(database, name, readOnly);
      await session.note('Copy the key now; it will not be shown again.');
      return toRecordResult(record, views.newKey);
    },
  }),
  defineCommand({
    name: 'list',
    isLocal: true,
    summary: 'List API keys, without their secrets',
    options: databaseOptions,
    examples: ['keys list'],
    async run(session, flags) {
      const workspace = await session.workspace();
      const records = await workspace.listKeys(await resolveDatabase(session, flags));
      return toRecordsResult(records, views.keys);
    },
  }),
  defineCommand({
    name: 'revoke',
    isLocal: true,
    isLocalDeletion: true,
    summary: 'Revoke an API key; takes effect immediately',
    args: { id: 'Key ID' },
    options: databaseOptions,
    examples: ['keys revoke KEY_ID'],
    async run(session, { id, ...flags }) {
      const workspace = await session.workspace();
      const record = await workspace.revokeKey(await resolveDatabase(session, flags), id);
      return toRecordResult(record, views.keys);
    },
  }),
];
