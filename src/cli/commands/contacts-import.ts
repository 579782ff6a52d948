import { Failure } from '../../contract/errors.ts';
import { defineCommand } from '../command.ts';
import {
  asksToUndo,
  importOptions,
  recordOptions,
  recordRules,
  sheetArgument,
} from '../flags/import-options.ts';
import { flag, text } from '../flags/options.ts';

export const contactsImport = defineCommand({
  name: 'import',
  summary: 'Bring contacts in from a sheet, again and again without doubles',
  description:
    'Import contacts from a CSV, TSV, NDJSON or .xlsx file. A contact is matched by email, then by phone number; ' +
    'an existing one is updated, never duplicated. Columns are email, phone, first_name, last_name, organization ' +
    '(id, name or domain) and the names of custom fields. All rows are checked before anything is sent. A row that ' +
    'fails does not stop the others; the report gives the reason. If a run is interrupted, the next one resumes ' +
    'from the hidden journal beside the report. --undo undoes an import.',
  output: 'text',
  isWrite: true,
  describeInteraction: asksToUndo,
  isFileBased: true,
  args: { file: sheetArgument },
  options: {
    ...importOptions,
    organization: text(
      'The column that names the organization; auto: the service goes by the domain of the first email',
      'COLUMN|auto',
    ),
    allowUnmatched: flag('Make a contact of a row without email and phone, each time it is imported'),
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
  async run(session, given) {
    if (given.undo) return (await import('../jobs/import-undo.ts')).takenBack(session, given);
    const { contactColumns, contactImporter } = await import('../../import/contacts.ts');
    const { recordsImported } = await import('../jobs/record-import.ts');
    const { organization, allowUnmatched } = given;
    const autoOrganization = organization === 'auto';
    if (autoOrganization && given.map?.some(([, field]) => field === 'organization'))
      throw conflictingOrganizations();
    let hasNoted = false;
    return recordsImported(
      session,
      { model: 'contact', type: 'Contact', what: 'a contact', own: contactColumns },
      {
        ...given,
        map: [...(given.map ?? []), ...columnOf(organization)],
        manner: [autoOrganization, allowUnmatched],
      },
      async (importing, own) => {
        const namesOrganizations = own.has('organization');
        if (autoOrganization && namesOrganizations && !hasNoted) {
          hasNoted = true;
          await session.note('The file has an organization column, so --organization auto has no effect.');
        }
        return contactImporter({ ...importing, autoOrganization, namesOrganizations, allowUnmatched });
      },
    );
  },
});

function conflictingOrganizations(): Failure {
  return new Failure('usage', 'Pass --map COLUMN=organization or --organization auto, not both.');
}

/** What `--organization COLUMN` says in the words of `--map`. */
function columnOf(organization: string | undefined): (readonly [string, string])[] {
  return organization === undefined || organization === 'auto' ? [] : [[organization, 'organization']];
}
