import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import type { Model } from '../../contract/custom-fields.ts';
import type { RecurringPeriod } from '../../contract/entries.ts';
import type { DataType } from '../../contract/fields.ts';
import type { EntryType, Status } from '../../contract/lists.ts';

/** Values by field name; a contact is referred to by its first email address. */
export type SampleValues = Readonly<Record<string, unknown>>;

interface FieldDefinition {
  readonly name: string;
  readonly data_type: DataType;
  readonly accepts_multiple_values: boolean;
  readonly options?: string[];
}

/** Utterances by speaker, in order: `{ 'Mina Seo': 'Good morning.' }`. */
export type Dialogue = readonly Readonly<Record<string, string>>[];

export interface SampleMeeting {
  readonly title: string;
  readonly start: string;
  readonly minutes: number;
  readonly conference: { readonly type: string; readonly link: string };
  readonly attendees: readonly string[];
  readonly language: string;
  readonly summary: string;
  readonly topics: readonly { readonly title: string; readonly content: string }[];
  readonly action_items: readonly string[];
  readonly transcript: Dialogue;
  /** Present if the only recording is not done: then it has neither summary nor transcript. */
  readonly status?: 'processing';
  readonly second_recording?: 'processing';
}

/** The sample workspace as stored in `data/`. */
export interface Sample {
  readonly organizations: readonly { name: string; domains?: string[]; fields?: SampleValues }[];
  readonly contacts: readonly {
    first?: string;
    last?: string;
    emails?: string[];
    phones?: string[];
    organization?: string | null;
    fields?: SampleValues;
  }[];
  readonly workspace: {
    readonly custom_fields: readonly (FieldDefinition & { model: Model })[];
    readonly lists: readonly SampleList[];
    readonly processes: readonly SampleProcess[];
  };
  /** By the name of the process. */
  readonly entries: Readonly<Record<string, readonly SampleEntry[]>>;
  readonly notes: readonly { organization: string; deal?: string; at: string; body: string }[];
  readonly meetings: readonly SampleMeeting[];
}

/** A list with its entries; a record is referred to by its first email address or its name. */
export interface SampleList {
  readonly name: string;
  readonly entry_type: EntryType;
  readonly fields: FieldDefinition[];
  readonly entries: readonly { record: string; fields?: SampleValues }[];
}

/** A process; its entries are in `entries.yaml`. */
export interface SampleProcess {
  readonly name: string;
  readonly entry_type: EntryType;
  readonly identifier: string;
  readonly duplicates_allowed: boolean;
  readonly entry_label: string;
  readonly status_label: string;
  readonly statuses: Status[];
  readonly fields: FieldDefinition[];
}

/** An entry of a process; `one_time` and `recurring` in cents, `opened` and `closed` are days. */
export interface SampleEntry {
  readonly record: string;
  readonly status: string;
  readonly assignee?: string;
  readonly one_time: number;
  readonly recurring: number;
  readonly period: RecurringPeriod;
  readonly contact?: string;
  readonly opened: string;
  readonly closed?: string;
  readonly fields?: SampleValues;
}

const folder = join(dirname(fileURLToPath(import.meta.url)), 'data');

/** Reads the files of the sample; their shape is not checked, because a test fills a workspace with them. */
export async function readSample(): Promise<Sample> {
  const read = async (name: string) => {
    await nextTurn(); // lets a signal interrupt the command between two files
    return parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((document) => document.toJS());
  };
  const readOne = async (name: string) => (await read(name))[0];
  const meetings: SampleMeeting[] = [];
  for (const month of readdirSync(join(folder, 'meetings')).sort())
    meetings.push(...(await read(join('meetings', month))));
  return {
    organizations: await readOne('organizations.yaml'),
    contacts: await readOne('contacts.yaml'),
    workspace: await readOne('workspace.yaml'),
    entries: await readOne('entries.yaml'),
    notes: await readOne('notes.yaml'),
    meetings,
  };
}
