import type { Model } from '../../contract/custom-fields.ts';
import type { RecurringPeriod } from '../../contract/entries.ts';
import type { DataType } from '../../contract/field-types.ts';
import type { EntryType } from '../../contract/lists.ts';
import type { RecordingStatus } from '../../contract/recordings.ts';
import type { Resource } from './ids.ts';

/** The tables of the workspace file, as `migrations/` creates them. Times are milliseconds since 1970. */
export interface Tables {
  workspace: { id: number; region: string; region_chosen: number; sample: number; identity: string };
  api_key: {
    id: number;
    name: string;
    sha256: string;
    read_only: number;
    created_at: number;
    revoked_at: number | null;
  };
  organization: Stamped & { name: string | null };
  organization_domain: { domain: string; organization_id: number; position: number };
  contact: Stamped & { first_name: string | null; last_name: string | null; organization_id: number | null };
  contact_email: { folded: string; email: string; contact_id: number; position: number };
  contact_phone: { contact_id: number; position: number; number: string; national: string };
  note: Stamped & { organization_id: number; deal_id: string | null; body: string };
  custom_field: Stamped & FieldColumns & { model: Model };
  contact_value: ValueColumns;
  organization_value: ValueColumns;
  list: Stamped & {
    name: string;
    process: number;
    entry_type: EntryType;
    identifier: string | null;
    duplicates_allowed: number | null;
    entry_label: string | null;
    status_label: string | null;
    statuses: string | null;
    archived_at: number | null;
  };
  key_counter: { list_id: number; last_key: number };
  list_field: FieldColumns & { id: number; list_id: number };
  entry: Stamped & {
    list_id: number;
    key: string | null;
    entryable_contact_id: number | null;
    entryable_organization_id: number | null;
    contact_id: number | null;
    status: string | null;
    assignee_email: string | null;
    one_time_value_cents: number | null;
    recurring_value_cents: number | null;
    recurring_value_period: RecurringPeriod | null;
    closed_at: number | null;
  };
  entry_value: ValueColumns;
  calendar_event: Stamped & {
    source: string | null;
    title: string;
    start_at: string;
    end_at: string;
    starts_at: number;
    conference_link: string | null;
    conference_type: string | null;
    /** 1 if the event has a completed recording. Triggers maintain this column. */
    shown: number;
  };
  calendar_event_attendee: { calendar_event_id: number; position: number; email: string; folded: string };
  /** The addresses that attended the shown events. Triggers maintain this table. */
  attendance: { calendar_event_id: number; folded: string; starts_at: number };
  recording: Stamped & {
    calendar_event_id: number;
    status: RecordingStatus;
    started_at: number;
    ended_at: number | null;
    audio_duration: number | null;
    summary: string | null;
    transcript: string | null;
  };
  foreign_id: { resource: Resource; row_id: number; id: string };
  tally: { scope: string; block: number; records: number };
  tally_group: { scope: string; part: number; records: number };
}

export type Row<Table extends keyof Tables> = Tables[Table];

interface Stamped {
  id: number;
  created_at: number;
  updated_at: number;
}

/** A field definition; `options` is a JSON array. */
export interface FieldColumns {
  name: string;
  data_type: DataType;
  accepts_multiple_values: number;
  options: string;
}

/** The value of a record in a field, as JSON. */
interface ValueColumns {
  record_id: number;
  field_id: number;
  value: string;
}
