import { formatFullName } from '../values/record-names.ts';
import { defineFields } from './field-table.ts';
import { dataTypes } from './field-types.ts';

/** The types of records in a list (specification, 2.1). */
export const entryTypes = ['Contact', 'Organization'] as const;

/** The records that can have custom fields (specification, 2.7). */
export const models = ['organization', 'contact', 'deal'] as const;

/** Specification, 3.1. */
export const statusTypes = ['active', 'won', 'lost'] as const;

/** Specification, 2.3. */
export const recurringPeriods = ['monthly', 'annual', 'one_time'] as const;

const stamps = {
  created_at: { type: 'datetime' },
  updated_at: { type: 'datetime' },
} as const;

/** The name of a person or a company. */
const name = { type: 'text', isName: true, placeholder: 'NAME', write: 'always' } as const;

/** A person (specification, 2.4). */
const contacts = defineFields(
  {
    id: { type: 'id' },
    first_name: { ...name, label: 'First name', clear: null },
    last_name: { ...name, label: 'Last name', clear: null },
    emails: {
      type: 'email',
      label: 'Email address',
      singular: 'email',
      listUpdate: 'add',
      write: 'always',
      clear: [],
    },
    phone_numbers: {
      type: 'phone',
      label: 'Phone number, in any common format',
      singular: 'phone',
      aliases: ['phones', 'phone_number'],
      listUpdate: 'replace',
      write: 'always',
      clear: [],
    },
    organization_id: {
      type: 'organization',
      label: 'Organization',
      name: 'organization',
      write: 'always',
      clear: null,
      description: 'An id; on creation also `auto`: by the domain of the first email',
    },
    custom_fields: { type: 'defined', write: 'always' },
    ...stamps,
  },
  {
    name: {
      type: 'text',
      from: ['first_name', 'last_name'],
      read: ({ first_name, last_name }) => formatFullName(first_name, last_name),
    },
  },
);

/** A company or another organization (specification, 2.5). */
const organizations = defineFields({
  id: { type: 'id' },
  name: { ...name, label: 'Name', isNullable: true },
  domains: {
    type: 'domain',
    label: 'Domain name or URL',
    singular: 'domain',
    listUpdate: 'add',
    write: 'always',
    clear: [],
  },
  custom_fields: { type: 'defined', write: 'always' },
  ...stamps,
});

/** A text about an organization (specification, 2.6). */
const notes = defineFields({
  id: { type: 'id' },
  organization_id: {
    type: 'organization',
    label: 'Organization of the note',
    name: 'organization',
    write: 'create',
    isRequired: true,
  },
  deal_id: {
    type: 'text',
    label: 'Deal of the note, such as DEAL-1',
    placeholder: 'ID|KEY',
    name: 'deal',
    write: 'always',
    clear: null,
  },
  body: { type: 'textarea', label: 'Text of the note', write: 'always', isRequired: true },
  ...stamps,
});

/** A field that the workspace adds to its records (specification, 2.7). */
const customFields = defineFields({
  id: { type: 'id' },
  name: { type: 'text', write: 'always', isRequired: true },
  model: { type: 'select', options: models, write: 'create', isRequired: true },
  data_type: { type: 'select', options: dataTypes, write: 'create' },
  accepts_multiple_values: { type: 'boolean', title: 'multiple', write: 'create' },
  options: { type: 'text', singular: 'option', listUpdate: 'replace', write: 'always' },
  ...stamps,
});

/** A regular list, or a process with the fields that only a process has (specification, 2.1). */
const lists = defineFields(
  {
    id: { type: 'id' },
    name: { type: 'text', write: 'always', isRequired: true },
    process: {
      type: 'boolean',
      write: 'create',
      isRequired: true,
      description: 'false: a regular list, true: a process',
    },
    entry_type: { type: 'select', options: entryTypes, write: 'create', isRequired: true },
    identifier: {
      type: 'text',
      label: 'Prefix of entry keys',
      write: 'always',
      isOfProcess: true,
      maxLength: 50,
    },
    duplicates_allowed: { type: 'boolean', write: 'always', isOfProcess: true },
    entry_label: { type: 'text', label: 'Label of an entry', write: 'always', clear: '', isOfProcess: true },
    status_label: {
      type: 'text',
      label: 'Label of the status',
      write: 'always',
      clear: '',
      isOfProcess: true,
    },
    statuses: {
      type: 'status',
      singular: 'status',
      listUpdate: 'replace',
      write: 'always',
      isOfProcess: true,
    },
    fields: { type: 'definition', singular: 'field', listUpdate: 'replace', write: 'always', clear: [] },
    ...stamps,
    archived_at: { type: 'datetime', isNullable: true },
  },
  { kind: { type: 'text', from: ['process'], read: ({ process }) => (process ? 'process' : 'list') } },
);

/** An item of a list or process (specification, 2.3). */
const entries = defineFields(
  {
    id: { type: 'id' },
    key: { type: 'text', isNullable: true },
    list_id: { type: 'list' },
    entryable_id: { type: 'id', write: 'create', isRequired: true },
    entryable_type: { type: 'select', options: entryTypes, write: 'create', isRequired: true },
    status: {
      type: 'select',
      label: 'Status of the process',
      placeholder: 'NAME',
      write: 'always',
      isOfProcess: true,
      description: 'The name of a status of the process',
    },
    assignee: {
      type: 'user',
      label: "Assignee's email address",
      body: 'assignee_email',
      write: 'always',
      clear: null,
      isOptional: true,
    },
    contact_id: {
      type: 'contact',
      label: 'Contact associated with the organization',
      write: 'always',
      clear: null,
      description: 'The contact associated with the organization',
    },
    one_time_value_cents: {
      type: 'money',
      label: 'One-time value',
      name: 'one_time_value',
      title: 'one-time',
      write: 'always',
      clear: 0,
      isOfProcess: true,
    },
    recurring_value_cents: {
      type: 'money',
      label: 'Recurring value',
      name: 'recurring_value',
      title: 'recurring',
      write: 'always',
      clear: 0,
      isOfProcess: true,
    },
    recurring_value_period: {
      type: 'select',
      label: 'Period of the recurring value:',
      placeholder: 'PERIOD',
      name: 'recurring_period',
      options: recurringPeriods,
      write: 'always',
      isOfProcess: true,
    },
    list_fields: { type: 'defined', write: 'always' },
    closed_at: { type: 'datetime', isNullable: true, isOfProcess: true },
    next_entry_id: { type: 'id', isNullable: true, isOfProcess: true },
    ...stamps,
  },
  {
    contact: {
      type: 'contact',
      from: ['contact_id', 'entryable_id', 'entryable_type'],
      read: ({ contact_id, entryable_id, entryable_type }) => [
        contact_id,
        entryable_type === 'Contact' ? entryable_id : undefined,
      ],
    },
    organization: {
      type: 'organization',
      from: ['entryable_id', 'entryable_type'],
      read: ({ entryable_id, entryable_type }) =>
        entryable_type === 'Organization' ? entryable_id : undefined,
    },
  },
);

/** A meeting that was recorded (specification, 2.8). */
const events = defineFields({
  id: { type: 'id' },
  title: { type: 'text' },
  start_at: { type: 'localtime' },
  end_at: { type: 'localtime' },
  conference_link: { type: 'text', description: 'URL; empty if the meeting has none' },
  conference_type: {
    type: 'text',
    description: 'Name of the conferencing tool; empty if it is not known',
  },
  attendees: { type: 'user', singular: 'attendee', listUpdate: 'readonly' },
  recordings: { type: 'recording', listUpdate: 'readonly' },
  ...stamps,
});

/** The fields of each noun. */
export const recordFields = { contacts, organizations, notes, customFields, lists, entries, events };
