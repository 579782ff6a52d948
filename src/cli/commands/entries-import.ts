import { Failure } from '../../contract/errors.ts';
import { type EntryType, type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import type { ColumnModel } from '../../import/mapping.ts';
import { defineCommand } from '../command.ts';
import { listArgument as list, withListId } from '../connect/resolve.ts';
import { confirmsUndo, fileArgument, importOptions, importRules } from '../flags/import-options.ts';
import { flag } from '../flags/options.ts';

/** Columns of an export that an import ignores. */
const readOnly = ['list_id', 'entryable_type', 'closed_at', 'next_entry_id', 'created_at', 'updated_at'];

export const entriesImport = defineCommand({
  name: 'import',
  summary: 'Import entries of a list or process from a spreadsheet; safe to run repeatedly',
  description:
    'Import entries of a list or process from a CSV, TSV, NDJSON or .xlsx file. A row names a contact (by ' +
    'email, phone or contact_id) or an organization (by domain, organization or organization_id) that exists ' +
    'already. Other columns are status, assignee, one_time_value, recurring_value, recurring_period and the fields ' +
    'of the list by their names. An existing entry is updated, never duplicated.',
  output: 'text',
  isWrite: true,
  describeInteraction: confirmsUndo,
  isFileBased: true,
  args: { list, file: fileArgument },
  options: {
    ...importOptions,
    undo: flag(
      'Undo the import recorded in a report and its hidden journal: entries import LIST --undo REPORT',
    ),
  },
  rules: importRules,
  examples: [
    'entries import "Sales pipeline" deals.csv --dry-run',
    'entries import Newsletter readers.csv --map "E-mail=email"',
    'entries import Newsletter --undo readers.report.csv --yes',
  ],
  async run(session, flags) {
    if (flags.undo) return (await import('../jobs/import-undo.ts')).undoImport(session, flags);
    const { entryColumns, createEntryImporter } = await import('../../import/entries.ts');
    const { describeUnknownColumns } = await import('../../import/mapping.ts');
    const { importFile } = await import('../jobs/import-job.ts');
    const client = await session.client();
    const record = await withListId(session, flags.list, (list_id) => client.read(lists.get, { list_id }));
    const type = readEntryType(record);
    const model: ColumnModel = {
      what: `an entry of "${record.name ?? ''}"`,
      own: entryColumns(type, record),
      readOnly,
      fields: record.fields ?? [],
      kind: 'list',
      listFields: [],
    };
    const { map = [], ignore = [] } = flags;
    const list_id = record.id ?? '';
    return importFile(session, flags, {
      model,
      mapping: { map, ignore, listField: [] },
      settings: ['entry', list_id],
      onUnknown: async (unknown) => {
        throw describeUnknownColumns(unknown, model);
      },
      prepare: async () => {},
      createImporter: (options) => createEntryImporter({ ...options, list_id, type }),
    });
  },
});

function readEntryType({ entry_type, name }: Received<List>): EntryType {
  if (entry_type === 'Contact' || entry_type === 'Organization') return entry_type;
  throw new Failure('failed', `The service did not return the entry type of "${name ?? ''}".`);
}
