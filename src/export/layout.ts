import { createHash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import { organizations } from '../contract/organizations.ts';
import { type Fields, fieldsOf, itemsOf, plain } from '../render/fields.ts';
import { readTexts } from '../values/field-values.ts';

/** How files lie in the folder of an export. */
export const layouts = ['flat', 'by-month', 'by-organization'] as const;
export type Layout = (typeof layouts)[number];

/** Where the Markdown file of a meeting lies, relative to the folder of the export. */
export type PathBuilder = (event: Fields) => Promise<string>;

/** The places of a layout. What a layout needs from the service is read once, when it is first needed. */
export function createPathBuilder(layout: Layout, client: Client): PathBuilder {
  if (layout === 'by-month') return async (event) => `${findMonth(event)}/${buildFileName(event)}`;
  if (layout === 'flat') return async (event) => buildFileName(event);
  const organizationOf = createOrganizationFinder(client);
  return async (event) => `${await organizationOf(event)}/${buildFileName(event)}`;
}

function buildFileName({ id, title, start_at }: Fields): string {
  return formatFileName({ id: plain(id), title: plain(title), start_at: plain(start_at) });
}

function findMonth({ start_at }: Fields): string {
  return /^\d{4}-\d\d/.exec(plain(start_at))?.[0] ?? 'undated';
}

/** The folder of the organization that most attendees belong to; of equal ones, that of the first attendee. */
function createOrganizationFinder(client: Client): (event: Fields) => Promise<string> {
  const ofEmail = new Map<string, Promise<string | undefined>>();
  let names: Promise<Map<string, string>> | undefined;
  const look = async (email: string) => {
    const [found] = await client.findContacts({ email });
    const { organization_id } = fieldsOf(found?.value);
    return plain(organization_id) || undefined;
  };
  return async (event) => {
    const counts = new Map<string, number>();
    for (const { email } of itemsOf(event.attendees)) {
      if (typeof email !== 'string') continue;
      const found = ofEmail.get(email) ?? look(email);
      ofEmail.set(email, found);
      const id = await found;
      if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    const [first] = [...counts].sort(([, one], [, other]) => other - one);
    if (!first) return 'no-organization';
    names ??= loadOrganizationNames(client);
    return formatFolderName((await names).get(first[0]) ?? '', first[0]);
  };
}

async function loadOrganizationNames(client: Client): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for await (const { records } of client.pages(organizations.list, {})) {
    for (const { value } of records) {
      const { id, name, domains } = fieldsOf(value);
      names.set(plain(id), plain(name ?? readTexts(domains)[0]));
    }
  }
  return names;
}

/** Bytes that a title may take in a file name: file systems allow 255 for all of it. */
const titleBytes = 120;
const idBytes = 80;

/** What is read of a calendar event to name its file. */
export interface MeetingName {
  readonly id: string;
  readonly title: string;
  /** ISO 8601; the day in it is the day of the name, whatever the time zone of this machine. */
  readonly start_at: string;
}

/**
 * The name of a meeting's file: date, title, id. Letters of every script stay; all else that a file system or
 * a shell could stumble over becomes a hyphen. Different ids give different names, also where the file system
 * takes no notice of case.
 */
export function formatFileName({ id, title, start_at }: MeetingName): string {
  const [date = 'undated'] = /^\d{4}-\d\d-\d\d/.exec(start_at) ?? [];
  return `${[date, slugify(title), encodeId(id)].filter(Boolean).join('-')}.md`;
}

/** Returns the spelled id in the name of a meeting's file. `stem` is the name without its end, such as `.2.txt`. */
export function parseEncodedId(stem: string): string {
  return stem.slice(stem.lastIndexOf('-') + 1);
}

/** The name of the folder of an organization. */
export function formatFolderName(name: string, id: string): string {
  return `${slugify(name) || 'organization'}-${encodeId(id)}`;
}

function slugify(title: string): string {
  const words = title
    .normalize('NFC')
    // What is left of an emoji, and would not be seen.
    .replace(/\p{Variation_Selector}|\u20e3/gu, '')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  return truncate(words.replace(/^-+|-+$/g, '').toLowerCase(), titleBytes).replace(/-+$/, '');
}

/** Cut between the characters that a person sees. */
function truncate(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let result = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Buffer.byteLength(result + segment) > bytes) break;
    result += segment;
  }
  return result;
}

/**
 * An id as part of a file name; it has no hyphen. Lower-case letters and digits stay as they are; any other id gets `~` and its
 * capitals as a hexadecimal bit mask, what is no letter or digit in it as `%` and its code: still one to one.
 * One that is too long is cut and told apart by its hash.
 */
export function encodeId(id: string): string {
  const whole = encodeWholeId(id);
  if (whole.length <= idBytes) return whole;
  // As UTF-16, because half a letter has no bytes of its own in UTF-8.
  const hash = createHash('sha256').update(id, 'utf16le').digest('hex').slice(0, 32);
  return `${encodeWholeId(Array.from(id).slice(0, 4).join(''))}~${hash}`;
}

function encodeWholeId(id: string): string {
  if (/^[a-z0-9]+$/.test(id)) return id;
  const letters = Array.from(id);
  let capitals = 0n;
  letters.forEach((letter, index) => {
    if (/[A-Z]/.test(letter)) capitals |= 1n << BigInt(index);
  });
  const spelled = letters.map((letter) =>
    /[A-Za-z0-9]/.test(letter) ? letter : `%${letter.codePointAt(0)?.toString(16)}.`,
  );
  return `${spelled.join('')}~${capitals.toString(16)}`;
}
