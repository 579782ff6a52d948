import type { Client } from '../client/client.ts';
import { organizations } from '../contract/organizations.ts';
import { once } from '../values/concurrency.ts';
import { encodeId, slugify } from '../values/file-names.ts';
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
  const loadNames = once(async () => {
    const names = new Map<string, string>();
    for await (const { value } of client.records(organizations.list, {}))
      names.set(value.id, value.name ?? value.domains[0] ?? '');
    return names;
  });
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
