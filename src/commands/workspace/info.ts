import { defineCommand, toRecordResult } from '../../cli/command/command.ts';
import { findConnection } from '../../cli/connect/connection.ts';
import { findOwnSetting } from '../../cli/connect/settings.ts';
import { customFields } from '../../contract/custom-fields.ts';
import { entries } from '../../contract/entries.ts';
import { lists } from '../../contract/lists.ts';
import { readAll } from '../../records/read-all.ts';
import { views } from '../../render/views.ts';
import { formatDatabase } from '../../values/database-url.ts';
import { getZoneName } from '../../values/dates.ts';

/** Maximum number of entries to read for the assignees of a process. */
const maxEntries = 1000;

export const info = defineCommand({
  name: 'info',
  output: { records: ['workspace'] },
  summary: 'Show the user, time zone, guards, lists, fields and assignees of the workspace',
  description:
    'Show the profile, your address, the time zone, the guards, the lists with their statuses and fields, the custom ' +
    `fields, and the assignees of the first ${maxEntries.toLocaleString('en')} entries of each process.`,
  examples: ['workspace info', 'workspace info --json'],
  async run(session) {
    const client = await session.client();
    const connection = await findConnection(session);
    const allLists = await readAll(client, lists.list, {});
    const fields = await readAll(client, customFields.list, {});
    const assignees = new Set<string>();
    for (const { id: list_id, process } of allLists)
      if (process)
        for await (const { value } of client.records(entries.list, { list_id }, { limit: maxEntries }))
          if (value.assignee) assignees.add(value.assignee.email.toLowerCase());
    const record = {
      profile: connection.profile ?? null,
      workspace: connection.kind === 'local' ? formatDatabase(connection.database) : connection.baseUrl,
      user: (await findOwnSetting(session, 'user')) ?? null,
      time_zone: getZoneName(),
      guards: await session.guards.list(),
      lists: allLists.map(({ fields: listFields = [], ...list }) => ({
        ...pickMembers(list, ['id', 'name', 'entry_type', 'identifier', 'statuses']),
        fields: listFields.map((field) => pickMembers(field, fieldMembers)),
      })),
      fields: fields.map((field) => pickMembers(field, ['model', ...fieldMembers])),
      assignees: [...assignees].sort(),
    };
    return toRecordResult(record, views.workspace);
  },
});

const fieldMembers = ['name', 'data_type', 'accepts_multiple_values', 'options'];

/** Returns the members of a record with these names, without false and empty lists. */
const pickMembers = (record: object, names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([name, value]) =>
        names.includes(name) && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  );
