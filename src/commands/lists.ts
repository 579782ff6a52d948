import { defineCommand } from '../cli/command/command.ts';
import {
  createChoiceOption,
  createFlag,
  createTextOption,
  makeRepeatable,
  type Option,
  withBodyField,
} from '../cli/command/options.ts';
import { atLeastOne, conflicts, type FlagRule, requires } from '../cli/command/rules.ts';
import { fieldDefinitionOption, statusOption } from '../cli/flags/definitions.ts';
import { createFieldOptions } from '../cli/flags/field-options.ts';
import { listArgument as list } from '../cli/flags/references.ts';
import { entryRules, reportOptions } from '../cli/flags/selection.ts';
import { readList } from '../cli/references/resolve-path-id.ts';
import { entries } from '../contract/entries.ts';
import { lists as routes } from '../contract/lists.ts';
import { entryTypes } from '../contract/record-fields.ts';
import { createIfAbsentOption } from './records/match-fields.ts';
import { defineRecordCommands } from './records/record-commands.ts';

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
    output: { records: ['report-status[]', 'report-group[]', 'report-change[]'] },
    summary: 'Report the entries and values of a process by status or another field',
    description:
      'Report on a process: the number, share and value of the entries in each status, or in each group of --by. ' +
      '--by takes assignee, organization or a field; a date is grouped by month. The first-year value adds 12 times ' +
      'the monthly and once the annual values. --compare lists the changes since an archive. See kith help records.',
    args: { list: { ...list, record: 'processes' } },
    options: {
      by: createTextOption('Group by assignee, organization, month or a field (default status)', 'FIELD', {
        completion: 'sort',
      }),
      ...reportOptions,
      compare: createTextOption(
        'List the entries that were won, lost, moved, added or removed since the archive was made',
        'ARCHIVE',
        { completion: 'files' },
      ),
      html: createTextOption('Write the report as an HTML page to FILE, or - for stdout', 'FILE', {
        completion: 'files',
      }),
    },
    rules: [...entryRules, conflicts('compare', 'by', 'html')],
    examples: [
      'lists report "Sales pipeline"',
      'lists report "Sales pipeline" --assignee mina@tidewater.example',
      'lists report "Sales pipeline" --open --by "Expected close"',
      'lists report "Sales pipeline" --won --closed-after "beginning of year" --by assignee',
      'lists report "Sales pipeline" --by organization --format csv',
      'lists report "Sales pipeline" --open --by month --html forecast.html',
      'lists report "Sales pipeline" --compare kith-backup',
      'lists report "Sales pipeline" --json',
    ],
    async run(session, { list, ...flags }) {
      const { reportList } = await import('./report/report.ts');
      return reportList(session, await readList(session, list), flags);
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
      ...createIfAbsentOption('lists'),
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
