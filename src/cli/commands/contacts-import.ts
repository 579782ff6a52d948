import { Failure } from '../../contract/errors.ts';
import { defineCommand } from '../command.ts';
import {
  confirmsUndo,
  fileArgument,
  importOptions,
  recordOptions,
  recordRules,
} from '../flags/import-options.ts';
import { flag, text } from '../flags/options.ts';

export const contactsImport = defineCommand({
  name: 'import',
  summary: 'Import contacts from a spreadsheet; safe to run repeatedly',
  description:
    'Import contacts from a CSV, TSV, NDJSON or .xlsx file. A contact is matched by email, then by phone number; ' +
    'an existing one is updated, never duplicated. Columns are email, phone, first_name, last_name, organization ' +
    '(id, name or domain) and the names of custom fields. All rows are checked before anything is sent. A row that ' +
    'fails does not stop the others; the report gives the reason. If a run is interrupted, the next one resumes ' +
    'from the hidden journal next to the report. --undo undoes an import.',
  output: 'text',
  isWrite: true,
  describeInteraction: confirmsUndo,
  isFileBased: true,
  args: { file: fileArgument },
  options: {
    ...importOptions,
    organization: text(
      'Column that names the organization; auto: the service chooses by the domain of the first email',
      'COLUMN|auto',
    ),
    allowUnmatched: flag('Import rows that have no email or phone (re-importing creates duplicates)'),
    ...recordOptions,
  },
  rules: recordRules,
  examples: [
    'contacts import people.csv --dry-run',
    'contacts import people.csv --organization auto --list Newsletter',
    'contacts import guests.xlsx --sheet Visitors --dry-run',
    'contacts import visitors.csv --map "E-mail=email" --ignore Notes --create-fields',
    'contacts import --undo people.report.csv --dry-run',
  ],
  async run(session, flags) {
    if (flags.undo) return (await import('../jobs/import-undo.ts')).undoImport(session, flags);
    const { contactColumns, createContactImporter } = await import('../../import/contacts.ts');
    const { importRecords } = await import('../jobs/import-records.ts');
    const { organization, allowUnmatched } = flags;
    const autoOrganization = organization === 'auto';
    if (autoOrganization && flags.map?.some(([, field]) => field === 'organization'))
      throw createConflictFailure();
    let isNoted = false;
    return importRecords(
      session,
      { model: 'contact', type: 'Contact', what: 'a contact', own: contactColumns },
      {
        ...flags,
        map: [...(flags.map ?? []), ...mapOrganization(organization)],
        settings: [autoOrganization, allowUnmatched],
      },
      async (options, own) => {
        const hasOrganizations = own.has('organization');
        if (autoOrganization && hasOrganizations && !isNoted) {
          isNoted = true;
          await session.note('The file has an organization column, so --organization auto has no effect.');
        }
        return createContactImporter({ ...options, autoOrganization, hasOrganizations, allowUnmatched });
      },
    );
  },
});

function createConflictFailure(): Failure {
  return new Failure('usage', 'Pass --map COLUMN=organization or --organization auto, not both.');
}

/** Returns `--organization COLUMN` as a pair for `--map`. */
function mapOrganization(organization: string | undefined): (readonly [string, string])[] {
  return organization === undefined || organization === 'auto' ? [] : [[organization, 'organization']];
}
