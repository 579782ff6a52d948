import type { Client } from '../../client/client.ts';
import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { loadMembership, readStatuses } from '../../import/entries.ts';
import type { OwnColumns } from '../../import/mapping.ts';
import type { CommandResult } from '../command.ts';
import { withListId } from '../connect/resolve.ts';
import type { Session } from '../context.ts';
import { listCustomFields } from '../flags/field-values.ts';
import { type ImportDefinition, type ImportFlags, importFile } from './import-job.ts';

/** Names of the records that have custom fields and can be added to a list. */
const kinds = {
  contact: { type: 'Contact', what: 'a contact' },
  organization: { type: 'Organization', what: 'an organization' },
} as const;

/** An import of contacts or organizations. */
interface RecordImport extends Pick<ImportDefinition, 'createImporter'> {
  readonly kind: keyof typeof kinds;
  readonly own: OwnColumns;
  readonly flags: ImportFlags;
  /** Everything else that decides the outcome of a row. */
  readonly settings?: unknown;
}

/** Columns of an export that an import ignores. */
const readOnly = ['id', 'created_at', 'updated_at'];

/** Imports contacts or organizations. */
export async function importRecords(session: Session, definition: RecordImport): Promise<CommandResult> {
  const { kind, own, flags, settings, createImporter } = definition;
  const { type, what } = kinds[kind];
  const { status } = flags;
  const client = await session.client();
  const list =
    flags.list === undefined ? undefined : await findList(session, client, flags.list, kind, status);
  const fields = await listCustomFields(client, kind);
  return importFile(session, flags, {
    model: { what, own, readOnly, fields, kind: 'custom', listFields: list?.fields ?? [] },
    fieldModel: kind,
    settings: [kind, list?.id, status, settings],
    async createImporter(options) {
      const importer = await createImporter(options);
      if (!list) return importer;
      const { join } = await loadMembership(options, { list_id: list.id, type, status });
      return {
        ...importer,
        async write(row) {
          const record = await importer.write(row);
          await join(record, row.agreed, row.writes);
          return record;
        },
      };
    },
  });
}

/** Returns a list for --list. @throws {Failure} usage if it does not accept these records or the status */
async function findList(
  session: Session,
  client: Client,
  name: string,
  kind: keyof typeof kinds,
  status: string | undefined,
) {
  const list = await withListId(session, name, (list_id) => client.read(lists.get, { list_id }));
  const { type, what } = kinds[kind];
  if (list.entry_type !== type) {
    const held = (list.entry_type ?? '').toLowerCase();
    throw new Failure('usage', `--list: "${name}" holds ${held}s, not ${what}.`);
  }
  const statuses = readStatuses(list);
  if (status !== undefined && !statuses.includes(status)) {
    throw new Failure('usage', `--status: "${name}" has no status "${status}".`, {
      hint: statuses.length > 0 ? `Its statuses are ${statuses.join(', ')}.` : 'It is not a process.',
    });
  }
  return { id: list.id ?? '', fields: list.fields ?? [] };
}
