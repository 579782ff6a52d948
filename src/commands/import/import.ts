import { type CommandResult, defineCommand } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { createFlag, createTextOption } from '../../cli/command/options.ts';
import { findRegion } from '../../cli/connect/connection.ts';
import { listCustomFields } from '../../cli/flags/field-values.ts';
import { listArgument as list } from '../../cli/flags/references.ts';
import { Failure } from '../../contract/errors.ts';
import { listReadOnly } from '../../contract/list-fields.ts';
import type { EntryType, List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';
import type { ColumnModel, OwnColumns } from '../../import/mapping.ts';
import { findName } from '../../values/names.ts';
import { addArticle } from '../../values/text.ts';
import type { ImportDefinition, ImportFlags } from './import-file.ts';
import {
  confirmsUndo,
  fileArgument as file,
  importOptions,
  importRules,
  recordOptions,
  recordRules,
} from './options.ts';

const common = {
  name: 'import',
  output: { text: ['import-result', 'import-row[]', 'import-revert'] },
  effects: 'deletes', // with --undo
  recording: 'own',
  isFileBased: true,
  exitCodes: [6],
  unusedExitCodes: [7], // a row without a response is one of the failed rows
  describeInteraction: confirmsUndo,
} as const;

const undo = async (session: Session, flags: Pick<ImportFlags, 'file' | 'concurrency'>) =>
  (await import('../undo/undo-import.ts')).undoImport(session, flags);

export const contactsImport = defineCommand({
  ...common,
  summary: 'Import contacts from a spreadsheet; safe to run repeatedly',
  description:
    'Import contacts from a CSV, TSV, NDJSON, .xlsx or vCard file. Existing contacts are matched by email, phone ' +
    'or name, and updated, never duplicated. All rows are checked first; the report names rows that fail. The ' +
    'next run continues an interrupted import. See kith help import.',
  args: { file },
  options: {
    ...importOptions,
    organization: createTextOption(
      'Column that names the organization; auto: the service chooses by the domain of the first email',
      'COLUMN|auto',
    ),
    allowUnmatched: createFlag('Import rows that have no email or phone (re-importing creates duplicates)'),
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
    if (flags.undo) return undo(session, flags);
    const { createContactColumns, createContactImporter, planContactBodies } = await import(
      '../../import/contacts.ts'
    );
    const { organization, allowUnmatched, map = [] } = flags;
    const autoOrganization = organization === 'auto';
    if (autoOrganization && map.some(([, field]) => field === 'organization'))
      throw new Failure('usage', 'Pass --map COLUMN=organization or --organization auto, not both.');
    const mappedFields =
      organization === undefined || autoOrganization ? [] : [[organization, 'organization'] as const];
    let isNoted = false;
    return importRecords(session, {
      kind: 'contact',
      ownColumns: await createContactColumns(await findRegion(session)),
      planBodies: planContactBodies,
      flags: { ...flags, map: [...map, ...mappedFields] },
      settings: [autoOrganization, allowUnmatched],
      async createImporter(options) {
        if (autoOrganization && options.ownFields.has('organization') && !isNoted) {
          isNoted = true;
          await session.messages.note(
            'The file has an organization column, so --organization auto has no effect.',
          );
        }
        return createContactImporter({ ...options, autoOrganization, allowUnmatched });
      },
    });
  },
});

export const organizationsImport = defineCommand({
  ...common,
  summary: 'Import organizations from a spreadsheet; safe to run repeatedly',
  description:
    'Import organizations from a CSV, TSV, NDJSON or .xlsx file. An organization is matched by domain, then by ' +
    'name; the same name with another domain is another organization. Columns are name, domain and the names of ' +
    'custom fields. Everything else works as in `kith contacts import`.',
  args: { file },
  options: { ...importOptions, ...recordOptions },
  rules: recordRules,
  examples: [
    'organizations import companies.csv --dry-run',
    'organizations import leads.csv --list "Sales pipeline" --status Lead --list-field Rooms=Rooms',
  ],
  async run(session, flags) {
    if (flags.undo) return undo(session, flags);
    const {
      createOrganizationColumns,
      createOrganizationImporter: createImporter,
      planOrganizationBodies: planBodies,
    } = await import('../../import/organizations.ts');
    return importRecords(session, {
      kind: 'organization',
      ownColumns: createOrganizationColumns(),
      planBodies,
      flags,
      createImporter,
    });
  },
});

/** The records that have custom fields and can be added to a list, as the entries of lists name them. */
const entryTypes = { contact: 'Contact', organization: 'Organization' } as const;

/** An import of contacts or organizations. */
interface RecordImport extends Pick<ImportDefinition, 'createImporter'> {
  readonly kind: PartyNoun;
  readonly ownColumns: OwnColumns;
  readonly planBodies: ColumnModel['planBodies'];
  readonly flags: ImportFlags;
  /** Everything else that decides the outcome of a row. */
  readonly settings?: unknown;
}

async function importRecords(session: Session, definition: RecordImport): Promise<CommandResult> {
  const { kind, ownColumns, planBodies, flags, settings, createImporter } = definition;
  const type = entryTypes[kind];
  const { importFile } = await import('./import-file.ts');
  const { loadMembership, planEntryBodies } = await import('../../import/entries.ts');
  const list = flags.list === undefined ? undefined : await findList(session, flags.list, kind, flags.status);
  const status = list?.status;
  const fields = await listCustomFields(session, kind);
  return importFile(session, flags, {
    command: `${kind}s import`,
    model: {
      subject: addArticle(kind),
      ownColumns,
      readOnly: listReadOnly(`${kind}s`),
      fields,
      kind: 'custom',
      listFields: list?.fields ?? [],
      planBodies: (plan) => [...planBodies(plan), ...(plan.list.length > 0 ? planEntryBodies(plan) : [])],
    },
    fieldModel: kind,
    settings: [kind, list?.id, status, settings],
    async createImporter(options) {
      const importer = await createImporter(options);
      if (!list) return importer;
      const { find, join } = await loadMembership(options, { list_id: list.id, type, status });
      return {
        ...importer,
        async write(group) {
          find(group.key, []); // refuses the rows before anything is written
          const record = await importer.write(group);
          await join(record.id ?? '', group);
          return record;
        },
      };
    },
  });
}

/** Returns a list for --list. @throws {Failure} usage if it does not accept these records or the status */
async function findList(session: Session, name: string, kind: PartyNoun, status: string | undefined) {
  const { readList } = await import('../../cli/references/resolve-path-id.ts');
  const list = await readList(session, name);
  if (list.entry_type !== entryTypes[kind]) {
    const entryNoun = (list.entry_type ?? '').toLowerCase();
    throw new Failure('usage', `--list: "${name}" holds ${entryNoun}s, not ${addArticle(kind)}.`);
  }
  const { readStatuses } = await import('../../import/entries.ts');
  const statuses = readStatuses(list);
  const match = status === undefined ? undefined : findName(statuses, status);
  if (status !== undefined && match === undefined) {
    throw new Failure('usage', `--status: "${name}" has no status "${status}".`, {
      hint: statuses.length > 0 ? `Its statuses are ${statuses.join(', ')}.` : 'It is not a process.',
    });
  }
  return { id: list.id, fields: list.fields, status: match };
}

export const entriesImport = defineCommand({
  ...common,
  summary: 'Import entries of a list or process from a spreadsheet; safe to run repeatedly',
  description:
    'Import entries of a list or process from a CSV, TSV, NDJSON or .xlsx file. A row names a contact (email, ' +
    'phone, contact_id) or organization (domain, organization, organization_id) that exists. Other columns are ' +
    'status, assignee, values and fields of the list. Updates existing entries. See kith help import.',
  args: { list, file },
  options: {
    ...importOptions,
    undo: createFlag('Undo the import with a report: entries import LIST --undo REPORT'),
  },
  rules: importRules,
  examples: [
    'entries import "Sales pipeline" deals.csv --dry-run',
    'entries import Newsletter readers.csv --map "E-mail=email"',
    'entries import Newsletter --undo readers.report.csv --yes',
  ],
  async run(session, flags) {
    if (flags.undo) return undo(session, flags);
    const { listEntryColumns, createEntryImporter, planEntryBodies } = await import(
      '../../import/entries.ts'
    );
    const { importFile } = await import('./import-file.ts');
    const { readList } = await import('../../cli/references/resolve-path-id.ts');
    const record = await readList(session, flags.list);
    const type = readEntryType(record);
    const list_id = record.id;
    return importFile(session, flags, {
      command: 'entries import',
      model: {
        subject: `an entry of "${record.name}"`,
        ownColumns: listEntryColumns(type, record),
        readOnly: listReadOnly('entries'),
        fields: record.fields ?? [],
        kind: 'list',
        listFields: [],
        planBodies: planEntryBodies,
      },
      settings: ['entry', list_id],
      createImporter: (options) => createEntryImporter({ ...options, list_id, type }),
    });
  },
});

function readEntryType({ entry_type, name }: Received<List>): EntryType {
  if (entry_type === 'Contact' || entry_type === 'Organization') return entry_type;
  throw new Failure('failed', `The service did not return the entry type of "${name}".`);
}

export const notesImport = defineCommand({
  ...common,
  summary: 'Import notes from a spreadsheet; safe to run repeatedly',
  description:
    'Import notes from a CSV, TSV, NDJSON or .xlsx file. A row has a body, and an organization or a deal that ' +
    'exists. The API cannot set the date of a note, so a date becomes the first line of its text. A note is ' +
    'never duplicated. See kith help import.',
  args: { file },
  options: importOptions,
  rules: importRules,
  examples: [
    'notes import calls.csv --dry-run',
    'notes import minutes.xlsx --map "Call notes=body" --map "Called on=date"',
    'notes import --undo calls.report.csv --yes',
  ],
  async run(session, flags) {
    if (flags.undo) return undo(session, flags);
    const { createNoteColumns, createNoteImporter, planNoteBodies } = await import('../../import/notes.ts');
    const { importFile } = await import('./import-file.ts');
    return importFile(session, flags, {
      command: 'notes import',
      model: {
        subject: 'a note',
        ownColumns: createNoteColumns(),
        readOnly: listReadOnly('notes'),
        fields: [],
        kind: 'custom',
        listFields: [],
        planBodies: planNoteBodies,
      },
      settings: ['note'],
      createImporter: createNoteImporter,
    });
  },
});
