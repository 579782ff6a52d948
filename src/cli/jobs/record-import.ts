import type { Client } from '../../client/client.ts';
import { customFields } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import type { EntryType } from '../../contract/lists.ts';
import { lists } from '../../contract/lists.ts';
import { type Known, type Mapping, type OwnColumns, unknownColumns } from '../../import/columns.ts';
import { guessedTypes } from '../../import/guess.ts';
import type { Importer, Importing } from '../../import/importer.ts';
import { type Membership, membershipIn, statusesOf } from '../../import/membership.ts';
import type { Sheet } from '../../import/table-file.ts';
import { parseFieldHeader } from '../../render/field-headers.ts';
import { type Fields, fieldsOf, itemsOf, plain } from '../../render/fields.ts';
import type { CommandResult } from '../command.ts';
import { withListId } from '../connect/resolve.ts';
import type { Session } from '../context.ts';
import { buildFieldDefinition } from '../flags/definitions.ts';
import { listCustomFields } from '../flags/field-values.ts';
import { type Given, imported } from './importing.ts';

/** A kind of record that has custom fields and can be put into a list. */
export interface RecordKind {
  readonly model: 'contact' | 'organization';
  readonly type: EntryType;
  /** `a contact` */
  readonly what: string;
  readonly own: OwnColumns;
}

/** What the flags say. */
export interface RecordGiven extends Given {
  readonly map: Mapping['map'] | undefined;
  readonly ignore: Mapping['ignore'] | undefined;
  readonly listField: Mapping['listField'] | undefined;
  readonly createFields: boolean;
  readonly list: string | undefined;
  readonly status: string | undefined;
  /** Whatever else decides what becomes of a row. */
  readonly manner?: unknown;
}

/** What an export has that nobody can write. */
const readOnly = ['id', 'created_at', 'updated_at'];

/** Brings contacts or organizations in (cli.md, "Import"). */
export async function recordsImported(
  session: Session,
  kind: RecordKind,
  given: RecordGiven,
  importerFor: (
    importing: Importing & { membership: Membership | undefined },
    own: ReadonlySet<string>,
  ) => Promise<Importer>,
): Promise<CommandResult> {
  const client = await session.client();
  const list =
    given.list === undefined ? undefined : await listFor(session, client, given.list, kind, given.status);
  const { map = [], ignore = [], listField = [], createFields, status } = given;
  const { own, what } = kind;
  const fields = await listCustomFields(client, kind.model);
  const known: Known = { what, own, readOnly, fields, kind: 'custom', listFields: list?.fields ?? [] };
  let missing: Fields[] = [];
  return imported(session, given, {
    known,
    mapping: { map, ignore, listField },
    manner: [kind.model, list?.id, status, given.manner],
    async onUnknown(unknown, sheet) {
      if (!createFields) throw unknownColumns(unknown, known);
      const found = await fieldsFor(sheet, unknown);
      for (const { definition, isInferred } of found) {
        const type = `${definition.data_type}${definition.accepts_multiple_values ? ', multiple' : ''}`;
        await session.note(`+ custom field ${definition.name} (${type}${isInferred ? ', inferred' : ''})`);
      }
      missing = found.map(({ definition }) => ({ ...definition, model: kind.model }));
      return { ...known, fields: [...fields, ...missing] };
    },
    async prepare() {
      for (const field of missing) await client.record(customFields.create, field);
    },
    async importer(importing, columns) {
      const membership = list && (await newMembership(list.id, importing, status));
      return importerFor({ ...importing, membership }, columns);
    },
  });
}

/** Returns the custom fields to create for columns, with the type in the header or else the type of all values. */
async function fieldsFor(sheet: Sheet, columns: readonly string[]) {
  const headers = columns.map((column) => ({ column, ...parseFieldHeader(column) }));
  const untyped = headers.flatMap(({ column, parts }) => (parts || sheet.isExport ? [] : [column]));
  const guessed = await guessedTypes(sheet, untyped);
  return headers.map(({ column, name, parts }) => {
    const { multiple = false, options } = parts ?? {};
    const type = parts?.type ?? guessed.get(column) ?? 'text';
    return {
      definition: buildFieldDefinition({ name, type, multiple, options }),
      isInferred: guessed.has(column),
    };
  });
}

/** Membership in a list, to which a row gives the values of its list fields; a new entry begins with the status. */
function newMembership(list_id: string, importing: Importing, status: string | undefined) {
  return membershipIn(list_id, importing, (wish) => ({
    called: [],
    start: status === undefined ? {} : { status },
    fields: {},
    values: wish.list,
  }));
}

/** The list that records are put into. Throws `usage` where it does not take them. */
async function listFor(
  session: Session,
  client: Client,
  given: string,
  { type, what }: RecordKind,
  status: string | undefined,
): Promise<{ id: string; fields: Fields[] }> {
  const list = fieldsOf(await withListId(session, given, (list_id) => client.read(lists.get, { list_id })));
  if (list.entry_type !== type) {
    throw new Failure(
      'usage',
      `--list: "${given}" holds ${plain(list.entry_type).toLowerCase()}s, not ${what}.`,
    );
  }
  const statuses = statusesOf(list);
  if (status !== undefined && !statuses.includes(status)) {
    throw new Failure('usage', `--status: "${given}" has no status "${status}".`, {
      hint: statuses.length > 0 ? `Its statuses are ${statuses.join(', ')}.` : 'It is no process.',
    });
  }
  return { id: plain(list.id), fields: itemsOf(list.fields) };
}
