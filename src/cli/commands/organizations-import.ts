import { defineCommand } from '../command.ts';
import {
  confirmsUndo,
  fileArgument,
  importOptions,
  recordOptions,
  recordRules,
} from '../flags/import-options.ts';

export const organizationsImport = defineCommand({
  name: 'import',
  summary: 'Import organizations from a spreadsheet; safe to run repeatedly',
  description:
    'Import organizations from a CSV, TSV, NDJSON or .xlsx file. An organization is matched by domain, then by ' +
    'name; the same name with another domain is another organization. Columns are name, domain and the names of ' +
    'custom fields. Everything else works as in `kith contacts import`.',
  output: 'text',
  isWrite: true,
  describeInteraction: confirmsUndo,
  isFileBased: true,
  args: { file: fileArgument },
  options: { ...importOptions, ...recordOptions },
  rules: recordRules,
  examples: [
    'organizations import companies.csv --dry-run',
    'organizations import leads.csv --list "Sales pipeline" --status Lead --list-field Rooms=Rooms',
  ],
  async run(session, flags) {
    if (flags.undo) return (await import('../jobs/import-undo.ts')).undoImport(session, flags);
    const { organizationColumns, createOrganizationImporter } = await import('../../import/organizations.ts');
    const { importRecords } = await import('../jobs/import-records.ts');
    return importRecords(
      session,
      { model: 'organization', type: 'Organization', what: 'an organization', own: organizationColumns },
      flags,
      createOrganizationImporter,
    );
  },
});
