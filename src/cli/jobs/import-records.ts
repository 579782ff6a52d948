import type { Client } from '../../client/client.ts';
import { customFields } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { inferTypes, type OwnColumns } from '../../import/mapping.ts';
import { loadMembership, readStatuses } from '../../import/membership.ts';
import type { ImporterOptions } from '../../import/record-index.ts';
import type { Importer } from '../../import/run.ts';
import type { Table } from '../../import/table.ts';
import { parseFieldHeader } from '../../render/field-headers.ts';
import type { CommandResult } from '../command.ts';
import { withListId } from '../connect/resolve.ts';
import type { Session } from '../context.ts';
import { buildFieldDefinition, type FieldDefinition } from '../flags/definitions.ts';
import { listCustomFields } from '../flags/field-values.ts';
import type { recordOptions } from '../flags/import-options.ts';
import type { OptionValues } from '../flags/options.ts';
import { type ImportFlags, importFile } from './import-job.ts';

/** Names of the records that have custom fields and can be added to a list. */
const kinds = {
  contact: { type: 'Contact', what: 'a contact' },
  organization: { type: 'Organization', what: 'an organization' },
} as const;

/** An import of contacts or organizations. */
interface RecordImport {
  readonly kind: keyof typeof kinds;
  readonly own: OwnColumns;
  readonly flags: ImportFlags & OptionValues<typeof recordOptions>;
  /** Everything else that decides the outcome of a row. */
  readonly settings?: unknown;
  readonly createImporter: (options: ImporterOptions, own: ReadonlySet<string>) => Promise<Importer>;
}

/** Columns of an export that an import ignores. */
const readOnly = ['id', 'created_at', 'updated_at'];

/** Imports contacts or organizations. */
export async function importRecords(session: Session, definition: RecordImport): Promise<CommandResult> {
  const { kind, own, flags, settings, createImporter } = definition;
  const client = await session.client();
  const { listField = [], createFields, status } = flags;
  const list =
    flags.list === undefined ? undefined : await findList(session, client, flags.list, kind, status);
  const fields = await listCustomFields(client, kind);
  const model = {
    what: kinds[kind].what,
    own,
    readOnly,
    fields,
    kind: 'custom' as const,
    listFields: list?.fields ?? [],
  };
  let newFields: FieldDefinition[] = [];
  return importFile(session, flags, {
    model,
    listField,
    settings: [kind, list?.id, status, settings],
    async addFields(unknown, table) {
      if (!createFields) return undefined;
      const definitions = await defineFields(table, unknown);
      for (const { definition, isInferred } of definitions) {
        const dataType = `${definition.data_type}${definition.accepts_multiple_values ? ', multiple' : ''}`;
        await session.note(
          `+ custom field ${definition.name} (${dataType}${isInferred ? ', inferred' : ''})`,
        );
      }
      newFields = definitions.map(({ definition }) => definition);
      return { ...model, fields: [...fields, ...newFields] };
    },
    async prepare() {
      for (const field of newFields) await client.record(customFields.create, { ...field, model: kind });
    },
    async createImporter(options, columns) {
      const importer = await createImporter(options, columns);
      if (!list) return importer;
      const { join } = await loadMembership(options, { list_id: list.id, type: kinds[kind].type, status });
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

/** Returns the custom fields to create for columns, with the type in the header or else the type of all values. */
async function defineFields(table: Table, columns: readonly string[]) {
  const headers = columns.map((column) => ({ column, ...parseFieldHeader(column) }));
  // In an export of kith, a column without a type has text.
  const isExport = readOnly.every((name) => table.columns.includes(name));
  const untyped = headers.flatMap(({ column, parts }) => (parts || isExport ? [] : [column]));
  const inferred = await inferTypes(table, untyped);
  return headers.map(({ column, name, parts }) => {
    const { multiple = false, options } = parts ?? {};
    const type = parts?.type ?? inferred.get(column) ?? 'text';
    const definition = buildFieldDefinition({ name, type, multiple, options });
    return { definition, isInferred: inferred.has(column) };
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
