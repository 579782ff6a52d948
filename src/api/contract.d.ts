// Generated from src/contract: npm run generate.

import type { CallOptions, ContactLookup, ListOptions, RecordList } from './types.d.ts';

/** The code of a `Failure`. */
export type FailureCode = 'usage' | 'malformed' | 'unauthorized' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'changed' | 'too_large' | 'unsupported_media_type' | 'invalid' | 'rate_limited' | 'internal' | 'unavailable' | 'storage' | 'refused' | 'failed' | 'unverified' | 'cancelled' | 'different' | 'partial' | 'unknown' | 'blocked' | 'limit_reached' | 'network' | 'busy' | 'offline' | 'interrupted' | 'terminated';

export type DataType = 'text' | 'textarea' | 'url' | 'number' | 'date' | 'datetime' | 'select' | 'user' | 'contact';

/** The values of custom fields or list fields, by the id of the field. */
export interface FieldValues {
  readonly [id: string]: {
    readonly name?: string | null;
    readonly data_type?: DataType | null;
    readonly value?: unknown;
  } | null;
}

export interface Contact {
  readonly id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly emails: readonly string[];
  readonly phone_numbers: readonly string[] | undefined;
  readonly organization_id: string | null;
  readonly custom_fields: FieldValues | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Organization {
  readonly id: string;
  readonly name: string | null;
  readonly domains: readonly string[];
  readonly custom_fields: FieldValues | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Note {
  readonly id: string;
  readonly organization_id: string;
  readonly deal_id: string | null;
  readonly body: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface CustomField {
  readonly id: string;
  readonly name: string;
  readonly model: 'organization' | 'contact' | 'deal' | null;
  readonly data_type: DataType | null;
  readonly accepts_multiple_values: boolean | null;
  readonly options: readonly string[] | undefined;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface List {
  readonly id: string;
  readonly name: string;
  readonly process: boolean | null;
  readonly entry_type: 'Contact' | 'Organization' | null;
  readonly identifier?: string | undefined;
  readonly duplicates_allowed?: boolean | null | undefined;
  readonly entry_label?: string | undefined;
  readonly status_label?: string | undefined;
  readonly statuses?: readonly {
    readonly name: string;
    readonly type: 'active' | 'won' | 'lost' | null;
  }[] | undefined;
  readonly fields: readonly {
    readonly name: string;
    readonly data_type: DataType | null;
    readonly accepts_multiple_values: boolean | null;
    readonly options: readonly string[] | undefined;
  }[] | undefined;
  readonly created_at: string;
  readonly updated_at: string;
  readonly archived_at: string | null;
}

export interface Entry {
  readonly id: string;
  readonly key: string | null;
  readonly list_id: string;
  readonly entryable_id: string;
  readonly entryable_type: 'Contact' | 'Organization' | null;
  readonly status?: string | undefined;
  readonly assignee?: {
    readonly email: string;
  } | null | undefined;
  readonly contact_id: string | null;
  readonly one_time_value_cents?: number | string | null | undefined;
  readonly recurring_value_cents?: number | string | null | undefined;
  readonly recurring_value_period?: 'monthly' | 'annual' | 'one_time' | null | undefined;
  readonly list_fields: FieldValues | null;
  readonly closed_at?: string | null | undefined;
  readonly next_entry_id?: string | null | undefined;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface CalendarEvent {
  readonly id: string;
  readonly title: string;
  /** ISO 8601 with a numeric UTC offset. */
  readonly start_at: string;
  /** ISO 8601 with a numeric UTC offset. */
  readonly end_at: string;
  /** URL; empty if the meeting has none. */
  readonly conference_link: string;
  /** Name of the conferencing tool; empty if it is not known. */
  readonly conference_type: string;
  readonly attendees: readonly {
    readonly email: string;
  }[];
  readonly recordings: readonly {
    readonly id: string;
    readonly status: 'processing' | 'done' | 'failed' | null;
    readonly started_at: string;
    /** While the recording is processing: its start plus the duration so far. */
    readonly ended_at: string;
    readonly audio_duration: number | string | null;
  }[];
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Recording {
  readonly id: string;
  readonly calendar_event_id: string;
  readonly status: 'processing' | 'done' | 'failed' | null;
  readonly started_at: string;
  /** While the recording is processing: its start plus the duration so far. */
  readonly ended_at: string;
  readonly audio_duration: number | string | null;
  readonly summary: {
    readonly summary: string;
    readonly topics: readonly {
      readonly title: string;
      readonly content: string;
    }[];
    readonly action_items: readonly string[];
    readonly detected_language: string;
  } | null;
  readonly transcript: readonly {
    readonly participant: {
      readonly name: string;
    } | null;
    readonly words: readonly {
      readonly text: string;
      readonly start_timestamp: {
        readonly relative: number | string | null;
      } | null;
      readonly end_timestamp: {
        readonly relative: number | string | null;
      } | null;
    }[];
    readonly language_code: string;
  }[] | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ContactListOptions extends ListOptions {
  /** Exact email address. */
  readonly email?: string | undefined;
  /** Phone number, in any common format. */
  readonly phone_number?: string | undefined;
}

export interface ContactCreate {
  readonly first_name?: string | null | undefined;
  readonly last_name?: string | null | undefined;
  readonly emails?: readonly string[] | undefined;
  readonly phone_numbers?: readonly string[] | undefined;
  /** An id; on creation also `auto`: by the domain of the first email. */
  readonly organization_id?: string | null | undefined;
  /** Values by field name. */
  readonly custom_fields?: readonly {
    readonly name: string;
    readonly value: unknown;
  }[] | undefined;
}

export interface ContactUpdate {
  readonly first_name?: string | null | undefined;
  readonly last_name?: string | null | undefined;
  readonly emails?: readonly string[] | undefined;
  readonly phone_numbers?: readonly string[] | undefined;
  /** An id; on creation also `auto`: by the domain of the first email. */
  readonly organization_id?: string | null | undefined;
  /** Values by field name. */
  readonly custom_fields?: readonly {
    readonly name: string;
    readonly value: unknown;
  }[] | undefined;
}

export interface ContactRemoveEmails {
  readonly emails: readonly string[];
}

export interface Contacts {
  /** List contacts. `GET /v1/contacts` */
  list(options?: ContactListOptions): RecordList<Contact>;
  /** Get one contact. `GET /v1/contacts/{contact_id}` */
  get(contact_id: string, options?: CallOptions): Promise<Contact>;
  /** Create a contact. `POST /v1/contacts` */
  create(fields: ContactCreate, options?: CallOptions): Promise<Contact | null>;
  /** Update a contact; adds emails to the existing ones. `PATCH /v1/contacts/{contact_id}` */
  update(contact_id: string, fields: ContactUpdate, options?: CallOptions): Promise<Contact | null>;
  /** Remove email addresses from a contact. `DELETE /v1/contacts/{contact_id}/emails` */
  removeEmails(contact_id: string, fields: ContactRemoveEmails, options?: CallOptions): Promise<Contact | null>;
  /** Delete a contact. `DELETE /v1/contacts/{contact_id}` */
  delete(contact_id: string, options?: CallOptions): Promise<void>;
  /** Find all contacts with an email address or a phone number. */
  find(lookup: ContactLookup, options?: CallOptions): Promise<Contact[]>;
}

export interface OrganizationCreate {
  readonly name?: string | undefined;
  readonly domains?: readonly string[] | undefined;
  /** Values by field name. */
  readonly custom_fields?: readonly {
    readonly name: string;
    readonly value: unknown;
  }[] | undefined;
}

export interface OrganizationUpdate {
  readonly name?: string | undefined;
  readonly domains?: readonly string[] | undefined;
  /** Values by field name. */
  readonly custom_fields?: readonly {
    readonly name: string;
    readonly value: unknown;
  }[] | undefined;
}

export interface OrganizationRemoveDomains {
  readonly domains: readonly string[];
}

export interface Organizations {
  /** List organizations. `GET /v1/organizations` */
  list(options?: ListOptions): RecordList<Organization>;
  /** Get one organization. `GET /v1/organizations/{organization_id}` */
  get(organization_id: string, options?: CallOptions): Promise<Organization>;
  /** Create an organization. `POST /v1/organizations` */
  create(fields: OrganizationCreate, options?: CallOptions): Promise<Organization | null>;
  /** Update an organization; adds domains to the existing ones. `PATCH /v1/organizations/{organization_id}` */
  update(organization_id: string, fields: OrganizationUpdate, options?: CallOptions): Promise<Organization | null>;
  /** Remove domains from an organization. `DELETE /v1/organizations/{organization_id}/domains` */
  removeDomains(organization_id: string, fields: OrganizationRemoveDomains, options?: CallOptions): Promise<Organization | null>;
  /** Delete an organization with its notes and entries. `DELETE /v1/organizations/{organization_id}` */
  delete(organization_id: string, options?: CallOptions): Promise<void>;
}

export interface NoteCreate {
  readonly organization_id: string;
  readonly deal_id?: string | null | undefined;
  readonly body: string;
}

export interface NoteUpdate {
  readonly deal_id?: string | null | undefined;
  readonly body?: string | undefined;
}

export interface Notes {
  /** List notes. `GET /v1/notes` */
  list(options?: ListOptions): RecordList<Note>;
  /** Get one note. `GET /v1/notes/{note_id}` */
  get(note_id: string, options?: CallOptions): Promise<Note>;
  /** Create a note about an organization. `POST /v1/notes` */
  create(fields: NoteCreate, options?: CallOptions): Promise<Note | null>;
  /** Update the body or the deal of a note. `PATCH /v1/notes/{note_id}` */
  update(note_id: string, fields: NoteUpdate, options?: CallOptions): Promise<Note | null>;
  /** Delete a note. `DELETE /v1/notes/{note_id}` */
  delete(note_id: string, options?: CallOptions): Promise<void>;
}

export interface CustomFieldCreate {
  readonly name: string;
  readonly model: 'organization' | 'contact' | 'deal';
  readonly data_type?: DataType | undefined;
  readonly accepts_multiple_values?: boolean | undefined;
  readonly options?: readonly string[] | undefined;
}

export interface CustomFieldUpdate {
  readonly name?: string | undefined;
  readonly options?: readonly string[] | undefined;
}

export interface CustomFields {
  /** List custom fields. `GET /v1/custom_fields` */
  list(options?: ListOptions): RecordList<CustomField>;
  /** Get one custom field. `GET /v1/custom_fields/{custom_field_id}` */
  get(custom_field_id: string, options?: CallOptions): Promise<CustomField>;
  /** Create a custom field. `POST /v1/custom_fields` */
  create(fields: CustomFieldCreate, options?: CallOptions): Promise<CustomField | null>;
  /** Update the name or the options of a custom field. `PATCH /v1/custom_fields/{custom_field_id}` */
  update(custom_field_id: string, fields: CustomFieldUpdate, options?: CallOptions): Promise<CustomField | null>;
  /** Delete a custom field with its values. `DELETE /v1/custom_fields/{custom_field_id}` */
  delete(custom_field_id: string, options?: CallOptions): Promise<void>;
}

export interface ListCreate {
  readonly name: string;
  /** false: a regular list, true: a process. */
  readonly process: boolean;
  readonly entry_type: 'Contact' | 'Organization';
  readonly identifier?: string | undefined;
  readonly duplicates_allowed?: boolean | undefined;
  readonly entry_label?: string | undefined;
  readonly status_label?: string | undefined;
  readonly statuses?: readonly {
    readonly name: string;
    readonly type: 'active' | 'won' | 'lost';
  }[] | undefined;
  readonly fields?: readonly {
    readonly name: string;
    readonly data_type?: DataType | undefined;
    readonly accepts_multiple_values?: boolean | undefined;
    readonly options?: readonly string[] | undefined;
  }[] | undefined;
}

export interface ListUpdate {
  readonly name?: string | undefined;
  readonly identifier?: string | undefined;
  readonly duplicates_allowed?: boolean | undefined;
  readonly entry_label?: string | undefined;
  readonly status_label?: string | undefined;
  readonly statuses?: readonly {
    readonly name: string;
    readonly type: 'active' | 'won' | 'lost';
  }[] | undefined;
  readonly fields?: readonly {
    readonly name: string;
    readonly data_type?: DataType | undefined;
    readonly accepts_multiple_values?: boolean | undefined;
    readonly options?: readonly string[] | undefined;
  }[] | undefined;
}

export interface Lists {
  /** List lists and processes. `GET /v1/lists` */
  list(options?: ListOptions): RecordList<List>;
  /** Get one list or process. `GET /v1/lists/{list_id}` */
  get(list_id: string, options?: CallOptions): Promise<List>;
  /** Create a list or a process. `POST /v1/lists` */
  create(fields: ListCreate, options?: CallOptions): Promise<List | null>;
  /** Update a list or process. `PATCH /v1/lists/{list_id}` */
  update(list_id: string, fields: ListUpdate, options?: CallOptions): Promise<List | null>;
  /** Delete a list or process with its entries. `DELETE /v1/lists/{list_id}` */
  delete(list_id: string, options?: CallOptions): Promise<void>;
}

export interface EntryCreate {
  readonly entryable_id: string;
  readonly entryable_type: 'Contact' | 'Organization';
  /** The name of a status of the process. */
  readonly status?: string | undefined;
  readonly assignee_email?: string | null | undefined;
  /** The contact associated with the organization. */
  readonly contact_id?: string | null | undefined;
  /** Whole cents. */
  readonly one_time_value_cents?: number | undefined;
  /** Whole cents. */
  readonly recurring_value_cents?: number | undefined;
  readonly recurring_value_period?: 'monthly' | 'annual' | 'one_time' | undefined;
  /** Values by field name. */
  readonly list_fields?: readonly {
    readonly name: string;
    readonly value: unknown;
  }[] | undefined;
}

export interface EntryUpdate {
  /** The name of a status of the process. */
  readonly status?: string | undefined;
  readonly assignee_email?: string | null | undefined;
  /** The contact associated with the organization. */
  readonly contact_id?: string | null | undefined;
  /** Whole cents. */
  readonly one_time_value_cents?: number | undefined;
  /** Whole cents. */
  readonly recurring_value_cents?: number | undefined;
  readonly recurring_value_period?: 'monthly' | 'annual' | 'one_time' | undefined;
  /** Values by field name. */
  readonly list_fields?: readonly {
    readonly name: string;
    readonly value: unknown;
  }[] | undefined;
}

export interface Entries {
  /** List the entries of a list or process. `GET /v1/lists/{list_id}/entries` */
  list(list_id: string, options?: ListOptions): RecordList<Entry>;
  /** Get one entry. `GET /v1/lists/{list_id}/entries/{id}` */
  get(list_id: string, id: string, options?: CallOptions): Promise<Entry>;
  /** Add a contact or an organization to a list or process. `POST /v1/lists/{list_id}/entries` */
  create(list_id: string, fields: EntryCreate, options?: CallOptions): Promise<Entry | null>;
  /** Update an entry. `PATCH /v1/lists/{list_id}/entries/{id}` */
  update(list_id: string, id: string, fields: EntryUpdate, options?: CallOptions): Promise<Entry | null>;
  /** Delete an entry. `DELETE /v1/lists/{list_id}/entries/{id}` */
  delete(list_id: string, id: string, options?: CallOptions): Promise<void>;
}

export interface CalendarEventListOptions extends ListOptions {
  /** Only meetings updated after this Unix timestamp. */
  readonly updated_after?: number | undefined;
  /** Only meetings that start at or after this Unix timestamp. */
  readonly starts_after?: number | undefined;
  /** Only meetings that start before this Unix timestamp. */
  readonly starts_before?: number | undefined;
  /** Only meetings with this contact as an attendee. */
  readonly contact_id?: string | undefined;
  /** Only meetings with an attendee from this organization. */
  readonly organization_id?: string | undefined;
}

export interface CalendarEvents {
  /** List recorded meetings, latest first. `GET /v1/calendar_events` */
  list(options?: CalendarEventListOptions): RecordList<CalendarEvent>;
  /** Get one meeting with its recordings. `GET /v1/calendar_events/{id}` */
  get(id: string, options?: CallOptions): Promise<CalendarEvent>;
}

export interface Recordings {
  /** Get one recording with its summary and transcript. `GET /v1/recordings/{id}` */
  get(id: string, options?: CallOptions): Promise<Recording>;
}

/** The nouns of the contract with their methods. */
export interface Nouns {
  readonly contacts: Contacts;
  readonly organizations: Organizations;
  readonly notes: Notes;
  readonly customFields: CustomFields;
  readonly lists: Lists;
  readonly entries: Entries;
  readonly calendarEvents: CalendarEvents;
  readonly recordings: Recordings;
}
