import { views } from '../../output/views.ts';
import { allAtOnce, command } from '../command.ts';
import { databaseFor, databaseOptions } from '../database.ts';
import { flag } from '../options.ts';

export const keys = [
  command({
    name: 'create',
    summary: 'Make a key for `kith serve`; its secret is shown once',
    args: { name: 'What the key is for' },
    options: { readOnly: flag('A key that may only read'), ...databaseOptions },
    examples: ['keys create cron --read-only', 'keys create trial --demo --json | jq -r .key'],
    async run(session, { name, readOnly, ...given }) {
      const workspace = await session.workspace();
      const database = await databaseFor(session, given);
      if (given.demo) await workspace.create(database, { demo: true, region: undefined });
      const record = await workspace.createKey(database, name, readOnly);
      await session.note('This is the only time that the key is shown.');
      return { kind: 'record', record, view: views.newKey };
    },
  }),
  command({
    name: 'list',
    summary: 'List keys, without their secrets',
    options: databaseOptions,
    examples: ['keys list'],
    async run(session, given) {
      const workspace = await session.workspace();
      const records = await workspace.listKeys(await databaseFor(session, given));
      return { kind: 'records', batches: allAtOnce(records), view: views.keys };
    },
  }),
  command({
    name: 'revoke',
    summary: 'Revoke a key: the next request with it is refused',
    args: { id: 'The id of a key' },
    options: databaseOptions,
    examples: ['keys revoke KEY_ID'],
    async run(session, { id, ...given }) {
      const workspace = await session.workspace();
      const record = await workspace.revokeKey(await databaseFor(session, given), id);
      return { kind: 'record', record, view: views.keys };
    },
  }),
];
