import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { contacts } from '../../contract/contacts.ts';
import type { customFields } from '../../contract/custom-fields.ts';
import type { entries } from '../../contract/entries.ts';
import type { Input } from '../../contract/grammar.ts';
import type { lists } from '../../contract/lists.ts';
import type { notes } from '../../contract/notes.ts';
import type { Summary } from '../../contract/recordings.ts';
import type { Meeting } from '../calendar/store-meetings.ts';

/** Values by field name; a contact is referred to by its first email address. */
export type SampleValues = Readonly<Record<string, unknown>>;

/** Utterances by speaker, in order: `{ 'Mina Seo': 'Good morning.' }`. */
export type Dialogue = readonly Readonly<Record<string, string>>[];

export interface SampleMeeting extends Omit<Meeting, 'source'> {
  readonly language: string;
  readonly summary: string;
  readonly topics: Summary['topics'];
  readonly action_items: string[];
  readonly transcript: Dialogue;
  /** Set if the only recording is not done. It then has neither summary nor transcript. */
  readonly status?: 'processing';
  readonly second_recording?: 'processing';
}

/** The sample workspace as stored in `data/`. Records are referred to by their first email address or their name. */
export interface Sample {
  readonly organizations: readonly { name: string; domains?: string[]; fields?: SampleValues }[];
  readonly contacts: readonly (Input<typeof contacts.create> & {
    organization?: string;
    fields?: SampleValues;
  })[];
  readonly workspace: {
    readonly custom_fields: readonly Input<typeof customFields.create>[];
    readonly lists: readonly (Omit<SampleList, 'process'> & { entries: SampleEntry[] })[];
    readonly processes: readonly Omit<SampleList, 'process'>[];
  };
  /** By the name of the process. */
  readonly entries: Readonly<Record<string, readonly SampleEntry[]>>;
  readonly notes: readonly (Omit<Input<typeof notes.create>, 'organization_id'> & {
    organization: string;
    at: string;
  })[];
  readonly meetings: readonly SampleMeeting[];
}

export type SampleList = Input<typeof lists.create>;

/** An entry. An entry of a process has the days on which it was opened and closed. */
export interface SampleEntry extends Omit<Input<typeof entries.update>, 'list_id' | 'id'> {
  readonly record: string;
  readonly contact?: string;
  readonly opened?: string;
  readonly closed?: string;
  readonly fields?: SampleValues;
}

const folder = join(import.meta.dirname, 'data');
let parsedSample: Promise<Sample> | undefined;

/** Reads the sample from the file that the build has written: JSON takes a fraction of the time of YAML. */
export async function readSample(): Promise<Sample> {
  const built = join(import.meta.dirname, 'sample.json.br');
  if (!existsSync(built)) {
    parsedSample ??= parseSample(); // tests fill many workspaces in one process
    return parsedSample;
  }
  const { brotliDecompressSync } = await import('node:zlib');
  return JSON.parse(brotliDecompressSync(readFileSync(built)).toString());
}

/** Parses the source files of the sample; their shape is not checked, because a test fills a workspace with them. */
async function parseSample(): Promise<Sample> {
  const { parseAllDocuments } = await import('yaml');
  const read = async (name: string) => {
    await nextTurn(); // lets a signal interrupt the command between two files
    return parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((document) => document.toJS());
  };
  const readOne = async (name: string) => (await read(name))[0];
  const meetings: SampleMeeting[] = [];
  const months = readdirSync(folder).filter((name) => name.startsWith('meetings-'));
  for (const month of months.sort()) meetings.push(...(await read(month)));
  return {
    organizations: await readOne('organizations.yaml'),
    contacts: await readOne('contacts.yaml'),
    workspace: await readOne('workspace.yaml'),
    entries: await readOne('entries.yaml'),
    notes: await readOne('notes.yaml'),
    meetings,
  };
}
