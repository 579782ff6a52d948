import { entries } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import { entryTypes, type List, lists as routes } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { buildStatusReport, renderStatusChart } from '../../render/status-report.ts';
import { views } from '../../render/views.ts';
import { formatCount } from '../../values/text.ts';
import { type CommandResult, defineCommand, toRecordsResult } from '../command.ts';
import {
  cacheListNames,
  cacheListNamesFrom,
  listArgument as list,
  toNamedLists,
  withListId,
} from '../connect/resolve.ts';
import type { Session } from '../context.ts';
import { fieldDefinitionOption, statusOption } from '../flags/definitions.ts';
import { choice, flag, type OptionValues, repeated, text } from '../flags/options.ts';
import { atLeastOne, conflicts, requires } from '../flags/rules.ts';
import { defineRecordCommands } from '../record-commands.ts';
import { iterateRecords } from '../records.ts';
import { deleteRecords, describeDeletePrompt, describeRecord } from '../writing.ts';

const processOptions = {
  identifier: text('Prefix of entry keys', 'TEXT'),
  duplicatesAllowed: flag('Allow several entries per record'),
  noDuplicates: flag('Allow one entry per record'),
  status: repeated(statusOption),
  entryLabel: text('Label of an entry', 'TEXT'),
  statusLabel: text('Label of the status', 'TEXT'),
};
const listOptions = { field: repeated(fieldDefinitionOption), ...processOptions };

const records = defineRecordCommands({ what: 'list', routes, view: views.lists });

export const lists = [
  records.list(['lists list'], cacheListNamesFrom),
  records.get(['lists get "Sales pipeline"']),
  defineCommand({
    name: 'report',
    summary: 'Report the entries and values of a process by status',
    description:
      'Report on a process: the number, share and value of the entries in each status. Recurring ' +
      'values are summed by period. In a terminal the report is a bar chart.',
    args: { list },
    examples: ['lists report "Sales pipeline"', 'lists report "Sales pipeline" --json'],
    async run(session, { list }) {
      const client = await session.client();
      const process = await withListId(session, list, (list_id) => client.read(routes.get, { list_id }));
      if (process.process !== true) {
        throw new Failure(
          'usage',
          `"${process.name}" is a list, not a process; only a process has statuses.`,
        );
      }
      const all = iterateRecords(client, entries.list, { list_id: String(process.id) });
      const rows = await buildStatusReport(process, all);
      return {
        ...toRecordsResult(rows, views.report),
        render: (style) => (rows) => renderStatusChart(process, rows, style),
      };
    },
  }),
  records.create({
    description:
      'Create a list. With --process, create a process: a list with a pipeline of statuses and values. ' +
      'If --status is omitted, the service adds the statuses Open, Won and Lost.',
    args: { name: 'Name of the list' },
    options: {
      entryType: choice('Record type of its entries:', entryTypes, 'TYPE'),
      process: flag('Create a process'),
      ...listOptions,
    },
    rules: [
      atLeastOne('entryType', 'data'),
      ...Object.keys(processOptions).map((name) => requires(name, 'process')),
      conflicts('duplicatesAllowed', 'noDuplicates'),
    ],
    examples: [
      'lists create "Trade fair" --entry-type Contact --field "Met at:date" --field "Interest:select:multiple:Probes,Loggers"',
      'lists create Onboarding --entry-type Organization --process --identifier ONB --no-duplicates --status Started:active --status Live:won',
    ],
    body(_, { name, entryType, process, data, ...flags }) {
      if (process && data === undefined) validateProcessFlags(flags);
      const isProcess = process || data === undefined ? process : undefined;
      return { name, process: isProcess, entry_type: entryType, ...toListFields(flags) };
    },
    onWritten: cacheListName,
  }),
  records.update({
    description:
      'Update a list or process. Only the given fields are sent. --field adds a field, or updates the ' +
      'field with the same name. --status replaces all statuses.',
    options: { name: text('New name', 'NAME'), ...listOptions },
    rules: [conflicts('duplicatesAllowed', 'noDuplicates')],
    examples: [
      'lists update Newsletter --name Digest',
      'lists update "Sales pipeline" --field "Lost to:text"',
    ],
    body: (_, { name, ...flags }) => ({ name, ...toListFields(flags) }),
    onWritten: cacheListName,
  }),
  defineCommand({
    name: 'delete',
    summary: 'Delete lists or processes and their entries',
    isWrite: true,
    describeInteraction: describeDeletePrompt,
    args: { list: { ...list, isRepeatable: true } },
    examples: ['lists delete Newsletter', 'lists delete Newsletter --yes'],
    async run(session, { list }) {
      const [first = '', ...others] = list;
      return others.length === 0
        ? withListId(session, first, (list_id) => deleteLists(session, [list_id]))
        : deleteLists(session, await Promise.all(list.map((argument) => findListId(session, argument))));
    },
  }),
];

async function deleteLists(session: Session, ids: readonly string[]): Promise<CommandResult> {
  const result = await deleteRecords(session, {
    what: 'list',
    ids,
    route: routes.delete,
    params: (list_id) => ({ list_id }),
    named: async (list_id) => {
      const client = await session.client();
      const { name } = await client.read(routes.get, { list_id });
      const { total } = await client.page(entries.list, { list_id, first: 1 });
      return `${await describeRecord(list_id, name)}, with its ${total === undefined ? 'entries' : formatCount(total, 'entry', 'entries')}`;
    },
  });
  if (!session.globals.dryRun && !result.failure) {
    await cacheListNames(session, (known) => known.filter(({ id }) => !ids.includes(id)));
  }
  return result;
}

/** Returns the id of a list, or the argument if there is no such list, so that only its own deletion fails. */
async function findListId(session: Session, argument: string): Promise<string> {
  const client = await session.client();
  const record = await withListId(session, argument, (list_id) => client.read(routes.get, { list_id })).catch(
    (error) => {
      if (error instanceof Failure && error.code === 'not_found') return { id: argument };
      throw error;
    },
  );
  return record.id ?? argument;
}

/** Caches the name of a list that was created or changed, for completion. */
async function cacheListName(
  session: Session,
  list: { readonly value: Received<List> | null },
): Promise<void> {
  const namedLists = toNamedLists([list]);
  const ids = namedLists.map(({ id }) => id);
  await cacheListNames(session, (known) => [...known.filter(({ id }) => !ids.includes(id)), ...namedLists]);
}

/** The values of the flags that `create` and `update` share. */
type ListFlags = Omit<OptionValues<typeof listOptions>, 'data'>;

function toListFields(flags: ListFlags): Readonly<Record<string, unknown>> {
  return {
    identifier: flags.identifier,
    duplicates_allowed: flags.duplicatesAllowed || (flags.noDuplicates ? false : undefined),
    entry_label: flags.entryLabel,
    status_label: flags.statusLabel,
    statuses: flags.status,
    fields: flags.field,
  };
}

/** @throws {Failure} usage if an option that a process requires is missing (specification, 4.5) */
function validateProcessFlags({ identifier, duplicatesAllowed, noDuplicates }: ListFlags): void {
  if (identifier === undefined)
    throw new Failure('usage', 'Missing required option for a process: --identifier TEXT');
  if (!duplicatesAllowed && !noDuplicates) {
    throw new Failure(
      'usage',
      'Missing required option for a process: --duplicates-allowed or --no-duplicates',
    );
  }
}
