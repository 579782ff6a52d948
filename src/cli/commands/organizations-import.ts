import { defineCommand } from '../command.ts';
import {
  asksToUndo,
  importOptions,
  recordOptions,
  recordRules,
  sheetArgument,
} from '../flags/import-options.ts';

export const organizationsImport = defineCommand({
  name: 'import',
  summary: 'Bring organizations in from a sheet, again and again without doubles',
  description:
    'Import organizations from a CSV, TSV, NDJSON or .xlsx file. An organization is matched by domain, then by ' +
    'name; the same name with another domain is another organization. Columns are name, domain and the names of ' +
    'custom fields. Everything else works as in `kith contacts import`.',
  output: 'text',
  isWrite: true,
  describeInteraction: asksToUndo,
  isFileBased: true,
  args: { file: sheetArgument },
  options: { ...importOptions, ...recordOptions },
  rules: recordRules,
  examples: [
    'organizations import companies.csv --dry-run',
    'organizations import leads.csv --list "Sales pipeline" --status Lead --list-field Rooms=Rooms',
  ],
  async run(session, given) {
    if (given.undo) return (await import('../jobs/import-undo.ts')).takenBack(session, given);
    const { organizationColumns, organizationImporter } = await import('../../import/organizations.ts');
    const { recordsImported } = await import('../jobs/record-import.ts');
    return recordsImported(
      session,
      { model: 'organization', type: 'Organization', what: 'an organization', own: organizationColumns },
      given,
      organizationImporter,
    );
  },
});
