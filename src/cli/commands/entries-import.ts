import { Failure } from '../../contract/errors.ts';
import type { EntryType } from '../../contract/lists.ts';
import { lists } from '../../contract/lists.ts';
import type { Known } from '../../import/columns.ts';
import { type Fields, fieldsOf, itemsOf, plain } from '../../render/fields.ts';
import { defineCommand } from '../command.ts';
import { listArgument as list, withListId } from '../connect/resolve.ts';
import { asksToUndo, importOptions, importRules, sheetArgument } from '../flags/import-options.ts';
import { flag } from '../flags/options.ts';

/** What an export has that nobody can write. */
const readOnly = ['list_id', 'entryable_type', 'closed_at', 'next_entry_id', 'created_at', 'updated_at'];

export const entriesImport = defineCommand({
  name: 'import',
  summary: 'Bring entries of a list or process in from a sheet',
  description:
    'Import entries of a list or process from a CSV, TSV, NDJSON or .xlsx file. A row names a contact (by ' +
    'email, phone or contact_id) or an organization (by domain, organization or organization_id) that is there ' +
    'already. Other columns are status, assignee, one_time_value, recurring_value, recurring_period and the fields ' +
    'of the list by their names. One that stands in the list is updated, never put in twice.',
  output: 'text',
  isWrite: true,
  describeInteraction: asksToUndo,
  isFileBased: true,
  args: { list, file: sheetArgument },
  options: {
    ...importOptions,
    undo: flag(
      'Undo the import recorded in a report and the hidden journal beside it: entries import LIST --undo REPORT',
    ),
  },
  rules: importRules,
  examples: [
    'entries import "Sales pipeline" deals.csv --dry-run',
    'entries import Newsletter readers.csv --map "E-mail=email"',
    'entries import Newsletter --undo readers.report.csv --yes',
  ],
  async run(session, given) {
    if (given.undo) return (await import('../jobs/import-undo.ts')).takenBack(session, given);
    const { entryColumns, entryImporter } = await import('../../import/entries.ts');
    const { unknownColumns } = await import('../../import/columns.ts');
    const { imported } = await import('../jobs/importing.ts');
    const client = await session.client();
    const held = fieldsOf(
      await withListId(session, given.list, (list_id) => client.read(lists.get, { list_id })),
    );
    const type = typeOf(held);
    const known: Known = {
      what: `an entry of "${plain(held.name)}"`,
      own: entryColumns(type, held),
      readOnly,
      fields: itemsOf(held.fields),
      kind: 'list',
      listFields: [],
    };
    const { map = [], ignore = [] } = given;
    const list_id = plain(held.id);
    return imported(session, given, {
      known,
      mapping: { map, ignore, listField: [] },
      manner: ['entry', list_id],
      onUnknown: async (unknown) => {
        throw unknownColumns(unknown, known);
      },
      prepare: async () => {},
      importer: (importing) => entryImporter({ ...importing, list_id, type }),
    });
  },
});

function typeOf({ entry_type, name }: Fields): EntryType {
  if (entry_type === 'Contact' || entry_type === 'Organization') return entry_type;
  throw new Failure('failed', `The service does not say what the entries of "${plain(name)}" are.`);
}
