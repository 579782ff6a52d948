import type { Client } from '../../client/client.ts';
import { customFields } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import { type EntryType, lists } from '../../contract/lists.ts';
import {
  type ColumnModel,
  describeUnknownColumns,
  type FieldType,
  inferTypes,
  type Mapping,
  type OwnColumns,
} from '../../import/mapping.ts';
import { loadMembership, type Membership, readStatuses } from '../../import/membership.ts';
import type { ImporterOptions } from '../../import/record-index.ts';
import type { Importer } from '../../import/run.ts';
import type { Table } from '../../import/table.ts';
import { parseFieldHeader } from '../../render/field-headers.ts';
import type { CommandResult } from '../command.ts';
import { withListId } from '../connect/resolve.ts';
import type { Session } from '../context.ts';
import { buildFieldDefinition, type FieldDefinition } from '../flags/definitions.ts';
import { listCustomFields } from '../flags/field-values.ts';
import { type ImportFlags, importFile } from './import-job.ts';

/** A kind of record that has custom fields and can be added to a list. */
export interface RecordType {
  readonly model: 'contact' | 'organization';
  readonly type: EntryType;
  /** `a contact` */
  readonly what: string;
  readonly own: OwnColumns;
}

/** The flags of an import of such records. */
export interface RecordFlags extends ImportFlags {
  readonly map: Mapping['map'] | undefined;
  readonly ignore: Mapping['ignore'] | undefined;
  readonly listField: Mapping['listField'] | undefined;
  readonly createFields: boolean;
  readonly list: string | undefined;
  readonly status: string | undefined;
  /** Everything else that decides the outcome of a row. */
  readonly settings?: unknown;
}

/** Columns of an export that an import ignores. */
const readOnly = ['id', 'created_at', 'updated_at'];

/** Imports contacts or organizations. */
export async function importRecords(
  session: Session,
  type: RecordType,
  flags: RecordFlags,
  createImporter: (
    options: ImporterOptions & { membership: Membership | undefined },
    own: ReadonlySet<string>,
  ) => Promise<Importer>,
): Promise<CommandResult> {
  const client = await session.client();
  const { map = [], ignore = [], listField = [], createFields, status } = flags;
  const list =
    flags.list === undefined ? undefined : await findList(session, client, flags.list, type, status);
  const { own, what } = type;
  const fields = await listCustomFields(client, type.model);
  const model: ColumnModel = { what, own, readOnly, fields, kind: 'custom', listFields: list?.fields ?? [] };
  let newFields: (FieldDefinition & Pick<RecordType, 'model'>)[] = [];
  return importFile(session, flags, {
    model,
    mapping: { map, ignore, listField },
    settings: [type.model, list?.id, status, flags.settings],
    async onUnknown(unknown, table) {
      if (!createFields) throw describeUnknownColumns(unknown, model);
      const definitions = await defineFields(table, unknown);
      for (const { definition, isInferred } of definitions) {
        const dataType = `${definition.data_type}${definition.accepts_multiple_values ? ', multiple' : ''}`;
        await session.note(
          `+ custom field ${definition.name} (${dataType}${isInferred ? ', inferred' : ''})`,
        );
      }
      newFields = definitions.map(({ definition }) => ({ ...definition, model: type.model }));
      return { ...model, fields: [...fields, ...newFields] };
    },
    async prepare() {
      for (const field of newFields) await client.record(customFields.create, { ...field });
    },
    async createImporter(options, columns) {
      const target = list && { list_id: list.id, type: type.type, status };
      const membership = target && (await loadMembership(options, target));
      return createImporter({ ...options, membership }, columns);
    },
  });
}

/** Returns the custom fields to create for columns, with the type in the header or else the type of all values. */
async function defineFields(table: Table, columns: readonly string[]) {
  const headers = columns.map((column) => ({ column, ...parseFieldHeader(column) }));
  const untyped = headers.flatMap(({ column, parts }) => (parts || table.isExport ? [] : [column]));
  const inferred = await inferTypes(table, untyped);
  return headers.map(({ column, name, parts }) => {
    const { multiple = false, options } = parts ?? {};
    const type = parts?.type ?? inferred.get(column) ?? 'text';
    return {
      definition: buildFieldDefinition({ name, type, multiple, options }),
      isInferred: inferred.has(column),
    };
  });
}

/** Returns a list for --list. @throws {Failure} usage if it does not accept these records or the status */
async function findList(
  session: Session,
  client: Client,
  name: string,
  { type, what }: RecordType,
  status: string | undefined,
): Promise<{ id: string; fields: readonly FieldType[] }> {
  const list = await withListId(session, name, (list_id) => client.read(lists.get, { list_id }));
  if (list.entry_type !== type) {
    throw new Failure(
      'usage',
      `--list: "${name}" holds ${(list.entry_type ?? '').toLowerCase()}s, not ${what}.`,
    );
  }
  const statuses = readStatuses(list);
  if (status !== undefined && !statuses.includes(status)) {
    throw new Failure('usage', `--status: "${name}" has no status "${status}".`, {
      hint: statuses.length > 0 ? `Its statuses are ${statuses.join(', ')}.` : 'It is not a process.',
    });
  }
  return { id: list.id ?? '', fields: list.fields ?? [] };
}
