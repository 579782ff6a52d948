import { createHash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import { organizations } from '../contract/organizations.ts';
import { once } from '../values/concurrency.ts';
import type { ReceivedEvent } from './event-list.ts';

export const layouts = ['flat', 'by-month', 'by-organization'] as const;
/** How the files are organized in the export folder. */
export type Layout = (typeof layouts)[number];

/**
 * Returns a function that builds the path of a meeting's Markdown file, relative to the export folder. Reads what the
 * layout needs from the service once, on first use.
 */
export function createPathBuilder(layout: Layout, client: Client): (event: ReceivedEvent) => Promise<string> {
  if (layout === 'flat') return async (event) => formatFileName(event);
  const findFolder = layout === 'by-month' ? findMonth : createOrganizationFinder(client);
  return async (event) => `${await findFolder(event)}/${formatFileName(event)}`;
}

const findMonth = ({ start_at }: ReceivedEvent) => /^\d{4}-\d\d/.exec(start_at)?.[0] ?? 'undated';

/** Finds the folder of the organization that most attendees belong to; in a tie, that of the first attendee. */
function createOrganizationFinder(client: Client): (event: ReceivedEvent) => Promise<string> {
  const idsByEmail = new Map<string, Promise<string | null | undefined>>();
  const loadNames = once(() => loadOrganizationNames(client));
  const findId = async (email: string) => (await client.findContacts({ email }))[0]?.value.organization_id;
  return async (event) => {
    const counts = new Map<string, number>();
    for (const { email } of event.attendees) {
      if (email === '') continue;
      const pendingId = idsByEmail.get(email) ?? findId(email);
      idsByEmail.set(email, pendingId);
      const id = await pendingId;
      if (id) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    const [first] = [...counts].sort(([, left], [, right]) => right - left);
    if (!first) return 'no-organization';
    const [id] = first;
    const name = (await loadNames()).get(id) ?? '';
    return `${slugify(name) || 'organization'}-${encodeId(id)}`;
  };
}

async function loadOrganizationNames(client: Client): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for await (const { value } of client.records(organizations.list, {})) {
    names.set(value.id, value.name ?? value.domains[0] ?? '');
  }
  return names;
}

/** Maximum bytes of the title and the id in a file name. File systems allow 255 bytes in total. */
const titleBytes = 120;
const idBytes = 80;

/**
 * Formats the name of a meeting's file: its date in its own time zone, title, id. Keeps letters and digits of every
 * script; everything else becomes a hyphen. Different ids give different names, even if the file system ignores case.
 */
export function formatFileName({ id, title, start_at }: ReceivedEvent): string {
  const [date = 'undated'] = /^\d{4}-\d\d-\d\d/.exec(start_at) ?? [];
  return `${[date, slugify(title), encodeId(id)].filter(Boolean).join('-')}.md`;
}

/** Returns the suffix of a file name: `.md`, `.2.txt` for the second recording, `.new.md` for a text next to an edited file. */
export function findSuffix(name: string): string {
  return /(?:\.\d+)?(?:\.new\d*)?\.[a-z]+$/.exec(name)?.[0] ?? '';
}

/** Whether a file is a `.new` file. */
export const isNewFile = (name: string) => /\.new\d*\.[a-z]+$/.test(name);

function slugify(title: string): string {
  const words = title
    .normalize('NFC')
    // Variation selectors and keycaps that remain of emoji.
    .replace(/\p{Variation_Selector}|\u20e3/gu, '')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  return truncateGraphemes(words.replace(/^-+|-+$/g, '').toLowerCase(), titleBytes).replace(/-+$/, '');
}

function truncateGraphemes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let result = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Buffer.byteLength(result + segment) > bytes) break;
    result += segment;
  }
  return result;
}

/**
 * Encodes an id for a file name, without hyphens. Lowercase letters and digits stay. Otherwise `~` and a hexadecimal bit
 * mask of the capitals follow, and other characters become `%` and their code. A long id is truncated, with its hash.
 */
function encodeId(id: string): string {
  const whole = encodeWholeId(id);
  if (whole.length <= idBytes) return whole;
  // UTF-16, because UTF-8 cannot encode an unpaired surrogate.
  const hash = createHash('sha256').update(id, 'utf16le').digest('hex').slice(0, 32);
  return `${encodeWholeId(Array.from(id).slice(0, 4).join(''))}~${hash}`;
}

function encodeWholeId(id: string): string {
  if (/^[a-z0-9]+$/.test(id)) return id;
  const letters = Array.from(id);
  const capitals = letters.map((letter) => (/[A-Z]/.test(letter) ? '1' : '0'));
  const spelledLetters = letters.map((letter) =>
    /[A-Za-z0-9]/.test(letter) ? letter : `%${letter.codePointAt(0)?.toString(16)}.`,
  );
  return `${spelledLetters.join('')}~${BigInt(`0b0${capitals.reverse().join('')}`).toString(16)}`;
}
