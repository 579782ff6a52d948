import type { Row, Tables } from './tables.ts';

/** The tables that are copied. Triggers maintain the tally. */
export type CopiedTable = Exclude<keyof Tables, 'tally' | 'tally_group'>;

/** How a column is copied: unchanged, as JSON, whose format may differ, or not at all, because triggers maintain it. */
type ColumnKind = 'plain' | 'json' | 'kept';

interface TableCopy<Column extends string> {
  /** The columns that identify a row and order the rows. */
  readonly key: readonly Column[];
  readonly columns: Readonly<Record<Column, ColumnKind>>;
  /** The number of rows in memory at a time. */
  readonly batch: number;
}

const plain = 'plain';
const json = 'json';
const stamps = { created_at: plain, updated_at: plain } as const;
const field = { name: plain, data_type: plain, accepts_multiple_values: plain, options: json } as const;
const batch = 500;
const byId = { key: ['id'], batch } as const;
const values = {
  key: ['record_id', 'field_id'],
  columns: { record_id: plain, field_id: plain, value: json },
  batch,
} as const;

/** The tables with all their columns. Each table comes after those that it references. */
const copies: { readonly [Table in CopiedTable]: TableCopy<keyof Row<Table> & string> } = {
  workspace: { ...byId, columns: { id: plain, region: plain, sample: plain, identity: plain } },
  api_key: {
    ...byId,
    columns: {
      id: plain,
      name: plain,
      sha256: plain,
      read_only: plain,
      created_at: plain,
      revoked_at: plain,
    },
  },
  organization: { ...byId, columns: { id: plain, name: plain, ...stamps } },
  organization_domain: {
    key: ['organization_id', 'position'],
    columns: { domain: plain, organization_id: plain, position: plain },
    batch,
  },
  contact: {
    ...byId,
    columns: { id: plain, first_name: plain, last_name: plain, organization_id: plain, ...stamps },
  },
  contact_email: {
    key: ['contact_id', 'position'],
    columns: { folded: plain, email: plain, contact_id: plain, position: plain },
    batch,
  },
  contact_phone: {
    key: ['contact_id', 'position'],
    columns: { contact_id: plain, position: plain, number: plain, national: plain },
    batch,
  },
  // A text may have up to 1 MiB.
  note: {
    ...byId,
    columns: { id: plain, organization_id: plain, deal_id: plain, body: plain, ...stamps },
    batch: 100,
  },
  custom_field: { ...byId, columns: { id: plain, model: plain, ...field, ...stamps } },
  contact_value: values,
  organization_value: values,
  list: {
    ...byId,
    columns: {
      ...{ id: plain, name: plain, process: plain, entry_type: plain, identifier: plain },
      ...{ duplicates_allowed: plain, entry_label: plain, status_label: plain, statuses: json },
      ...{ last_key: plain, archived_at: plain, ...stamps },
    },
  },
  list_field: { ...byId, columns: { id: plain, list_id: plain, ...field } },
  entry: {
    ...byId,
    columns: {
      ...{ id: plain, list_id: plain, key: plain, entryable_contact_id: plain },
      ...{ entryable_organization_id: plain, contact_id: plain, status: plain, assignee_email: plain },
      ...{ one_time_value_cents: plain, recurring_value_cents: plain, recurring_value_period: plain },
      ...{ closed_at: plain, ...stamps },
    },
  },
  entry_value: values,
  calendar_event: {
    ...byId,
    columns: {
      ...{ id: plain, source: plain, title: plain, start_at: plain, end_at: plain, starts_at: plain },
      ...{ conference_link: plain, conference_type: plain, shown: 'kept', ...stamps },
    },
  },
  calendar_event_attendee: {
    key: ['calendar_event_id', 'position'],
    columns: { calendar_event_id: plain, position: plain, email: plain, folded: plain },
    batch,
  },
  // A transcript may have several MiB.
  recording: {
    ...byId,
    columns: {
      ...{ id: plain, calendar_event_id: plain, status: plain, started_at: plain, ended_at: plain },
      ...{ audio_duration: plain, summary: json, transcript: json, ...stamps },
    },
    batch: 10,
  },
};

/** A table to copy, with the columns to read and to write. */
export interface TableToCopy {
  readonly name: CopiedTable;
  readonly key: readonly string[];
  readonly columns: readonly string[];
  readonly written: readonly string[];
  readonly json: ReadonlySet<string>;
  readonly batch: number;
}

/** Lists the tables to copy, in the order of their references. */
export function listTablesToCopy(): TableToCopy[] {
  return Object.entries<TableCopy<string>>(copies).map(([name, { key, columns, batch }]) => {
    const kinds = Object.entries(columns);
    const select = (test: (kind: ColumnKind) => boolean) =>
      kinds.filter(([, kind]) => test(kind)).map(([column]) => column);
    return {
      ...{ name: name as CopiedTable, key, batch }, // the keys of `copies`
      columns: select(() => true),
      written: select((kind) => kind !== 'kept'),
      json: new Set(select((kind) => kind === 'json')),
    };
  });
}

/** Lists the tables whose ids the database generates. */
export const listNumberedTables = (): CopiedTable[] =>
  listTablesToCopy()
    .filter(({ name, key }) => key[0] === 'id' && name !== 'workspace')
    .map(({ name }) => name);
