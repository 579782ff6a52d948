import type { PagingOptions } from '../../client/pagination.ts';
import { type Entry, entries } from '../../contract/entries.ts';
import { lists as routes } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { entryTypes } from '../../contract/record-fields.ts';
import { buildStatusReport, renderStatusChart } from '../../render/status-report.ts';
import { views } from '../../render/views.ts';
import type { RawJson } from '../../values/raw-json.ts';
import { type CommandInput, defineCommand, toRecordsResult } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { requireProcess } from '../command/records.ts';
import { fieldDefinitionOption, statusOption } from '../flags/definitions.ts';
import { createFieldOptions } from '../flags/field-options.ts';
import {
  createChoiceOption,
  createFlag,
  createTextOption,
  makeRepeatable,
  type Option,
  withBodyField,
} from '../flags/options.ts';
import { listArgument as list } from '../flags/references.ts';
import { atLeastOne, conflicts, type FlagRule, requires } from '../flags/rules.ts';
import { dueDescription, entryRules, readSelection, reportOptions } from '../flags/selection.ts';
import { readList } from '../references/resolve-words.ts';
import { defineRecordCommands } from './record-commands.ts';

const { identifier, ...fieldOptions } = createFieldOptions('lists', 'update');
const listOptions = {
  field: withBodyField('fields', makeRepeatable(fieldDefinitionOption)),
  ...(identifier && { identifier }),
  duplicatesAllowed: createFlag('Allow several entries per record'),
  noDuplicates: createFlag('Allow one entry per record'),
  status: withBodyField('statuses', makeRepeatable(statusOption)),
  ...fieldOptions,
};
const processOptions = Object.entries<Option<unknown>>(listOptions).flatMap(([name, { recordField }]) =>
  name !== 'field' && (!recordField || recordField.isOfProcess) ? [name] : [],
);

/** Yields the entries of a list that the flags select. */
async function* readEntries(
  session: Session,
  list_id: string,
  flags: CommandInput,
): AsyncGenerator<RawJson<Received<Entry>>> {
  const client = await session.client();
  const selection = readSelection(reportOptions, flags);
  if (!selection) return yield* client.records(entries.list, { list_id });
  const { selectNounRecords } = await import('../selection/noun-records.ts');
  const readPages = (paging: Partial<PagingOptions>) => client.pages(entries.list, { list_id }, paging);
  const list = { noun: 'entries', listId: list_id, isUnlimited: true, readPages } as const;
  for await (const { records } of await selectNounRecords(session, list, selection))
    yield* records as RawJson<Received<Entry>>[]; // they are from the list of entries
}

/** A process needs more options than a list (specification, 4.5). */
const requiresProcessOptions: FlagRule = (flags) => {
  if (!flags.has('process') || flags.has('data')) return undefined;
  const missing = 'Missing required option for a process:';
  if (!flags.has('identifier')) return `${missing} --identifier TEXT`;
  const isDecided = flags.has('duplicatesAllowed') || flags.has('noDuplicates');
  return !isDecided && `${missing} --duplicates-allowed or --no-duplicates`;
};

const mayHaveDuplicates = (flags: { duplicatesAllowed: boolean; noDuplicates: boolean }) =>
  flags.duplicatesAllowed || (flags.noDuplicates ? false : undefined);

const records = defineRecordCommands('lists', routes);

export const lists = [
  records.list({
    examples: ['lists list', 'lists list --where "process = true"'],
  }),
  records.get(['lists get "Sales pipeline"']),
  defineCommand({
    name: 'report',
    summary: 'Report the entries and values of a process by status',
    description:
      'Report on a process: the number, share and value of the entries in each status. Recurring ' +
      'values are summed by period. In a terminal the report is a bar chart. ' +
      dueDescription,
    args: { list },
    options: reportOptions,
    rules: entryRules,
    isWatchable: true,
    examples: [
      'lists report "Sales pipeline"',
      'lists report "Sales pipeline" --assignee mina@tidewater.example',
      'lists report "Sales pipeline" --json',
    ],
    async run(session, { list, ...flags }) {
      const process = await readList(session, list);
      requireProcess(process);
      const rows = await buildStatusReport(process, readEntries(session, String(process.id), flags));
      return {
        ...toRecordsResult(rows, views.report),
        render: (style) => (rows) => renderStatusChart(process, rows, style),
      };
    },
  }),
  records.create({
    description:
      'Create a list. With --process, create a process: a list with a pipeline of statuses and values. ' +
      'If --status is omitted, the service adds the statuses Open, Won and Lost. Without flags, ' +
      'asks in a terminal for the fields.',
    args: { name: { summary: 'List name' } },
    options: {
      entryType: withBodyField(
        'entry_type',
        createChoiceOption('Record type of its entries:', entryTypes, 'TYPE'),
      ),
      process: createFlag('Create a process'),
      ...listOptions,
    },
    rules: [
      atLeastOne('entryType', 'data'),
      ...processOptions.map((name) => requires(name, 'process')),
      requiresProcessOptions,
      conflicts('duplicatesAllowed', 'noDuplicates'),
    ],
    examples: [
      'lists create "Trade fair" --entry-type Contact --field "Met at:date" --field "Interest:select:multiple:Probes,Loggers"',
      'lists create Onboarding --entry-type Organization --process --identifier ONB --no-duplicates --status Started:active --status Live:won',
    ],
    body: (_, { name, process, data, ...flags }, { fields }) => ({
      name,
      process: process || data === undefined ? process : undefined,
      ...fields,
      duplicates_allowed: mayHaveDuplicates(flags),
    }),
  }),
  records.update({
    description:
      'Update a list or process. Sends only the fields that you pass. --field adds a field, or updates the ' +
      'field with the same name. --status replaces all statuses.',
    options: { name: withBodyField('name', createTextOption('New name', 'NAME')), ...listOptions },
    rules: [conflicts('duplicatesAllowed', 'noDuplicates')],
    examples: [
      'lists update Newsletter --name Digest',
      'lists update "Sales pipeline" --field "Lost to:text"',
    ],
    body: (_, flags, { fields }) => ({ ...fields, duplicates_allowed: mayHaveDuplicates(flags) }),
  }),
  records.edit(['lists edit "Sales pipeline"']),
  records.remove({
    summary: 'Delete lists or processes and their entries',
    description:
      'Delete lists or processes and their entries. To delete lists with entries, type the name of the list, ' +
      'or the number of lists if there are several. --yes skips the prompt.',
    examples: ['lists delete Newsletter', 'lists delete Newsletter --yes'],
    async describe(session, { id: list_id }) {
      const { total, data } = await (await session.client()).page(entries.list, { list_id, first: 1 });
      return { entryCount: total ?? (data.length > 0 ? undefined : 0) };
    },
  }),
];
