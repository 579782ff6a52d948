import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Model } from '../../contract/custom-fields.ts';
import type { RecurringPeriod } from '../../contract/entries.ts';
import type { DataType } from '../../contract/fields.ts';
import type { EntryType, Status } from '../../contract/lists.ts';
import type { Talk } from './meetings.ts';

/** Values by the names of their fields; a contact stands by its first email. */
type Values = Readonly<Record<string, unknown>>;

interface Definition {
  readonly name: string;
  readonly data_type: DataType;
  readonly accepts_multiple_values: boolean;
  readonly options?: string[];
}

/** A meeting as it was written down. */
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
  readonly talk: Talk;
  /** Its only recording is not done: it has neither summary nor talk. */
  readonly status?: 'processing';
  readonly second_recording?: 'processing';
}

/** The sample workspace as the files beside this one hold it. */
export interface Sample {
  readonly organizations: readonly { name: string; domains?: string[]; fields?: Values }[];
  readonly contacts: readonly {
    first?: string;
    last?: string;
    emails?: string[];
    phones?: string[];
    organization?: string | null;
    fields?: Values;
  }[];
  readonly workspace: {
    readonly custom_fields: readonly (Definition & { model: Model })[];
    readonly lists: readonly SampleList[];
    readonly processes: readonly SampleProcess[];
  };
  /** By the name of the process. */
  readonly entries: Readonly<Record<string, readonly SampleEntry[]>>;
  readonly notes: readonly { organization: string; deal?: string; at: string; body: string }[];
  readonly meetings: readonly SampleMeeting[];
}

/** A list with what is on it: records stand by their first email or their name. */
export interface SampleList {
  readonly name: string;
  readonly entry_type: EntryType;
  readonly fields: Definition[];
  readonly entries: readonly { record: string; fields?: Values }[];
}

/** A process; its entries have a file of their own. */
export interface SampleProcess {
  readonly name: string;
  readonly entry_type: EntryType;
  readonly identifier: string;
  readonly duplicates_allowed: boolean;
  readonly entry_label: string;
  readonly status_label: string;
  readonly statuses: Status[];
  readonly fields: Definition[];
}

/** An entry of a process, with the days on which it was opened and closed. */
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
  readonly fields?: Values;
}

const folder = join(dirname(fileURLToPath(import.meta.url)), 'data');

/** Reads the files. They are ours and tested: that they hold what the types say is not checked again. */
export async function readSample(): Promise<Sample> {
  const read = async (name: string) => {
    await nextTurn(); // a signal may come meanwhile
    return parse(readFileSync(join(folder, name), 'utf8'));
  };
  const meetings = [];
  for (const name of readdirSync(join(folder, 'meetings')).sort())
    meetings.push(await read(join('meetings', name)));
  return {
    organizations: await read('organizations.yaml'),
    contacts: await read('contacts.yaml'),
    workspace: await read('workspace.yaml'),
    entries: await read('entries.yaml'),
    notes: await read('notes.yaml'),
    meetings,
  };
}
