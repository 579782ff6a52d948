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

/** Maximum number of entries of a process whose assignees are listed, so that a large workspace is not read. */
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
      lists: allLists.map(({ id, name, entry_type, fields: listFields = [], ...list }) => ({
        ...{ id, name, entry_type },
        ...('statuses' in list && { identifier: list.identifier, statuses: list.statuses }),
        fields: listFields.map(describeField),
      })),
      fields: fields.map(({ model, ...field }) => ({ model, ...describeField(field) })),
      assignees: [...assignees].sort(),
    };
    return toRecordResult(record, views.workspace);
  },
});

/** A field of a list, or a custom field. */
interface Field {
  readonly name: string;
  readonly data_type: string | null;
  readonly accepts_multiple_values: boolean | null;
  readonly options?: readonly string[] | undefined;
}

const describeField = ({ name, data_type, accepts_multiple_values, options = [] }: Field) => ({
  ...{ name, data_type },
  ...(accepts_multiple_values && { accepts_multiple_values }),
  ...(options.length > 0 && { options }),
});
