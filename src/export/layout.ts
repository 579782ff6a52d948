import type { Client } from '../client/client.ts';
import { organizations } from '../contract/organizations.ts';
import { type Fields, fieldsOf, itemsOf, plain } from '../render/fields.ts';
import { textsIn } from '../values/texts.ts';
import { fileName, folderName } from './file-name.ts';

/** How files lie in the folder of an export. */
export const layouts = ['flat', 'by-month', 'by-organization'] as const;
export type Layout = (typeof layouts)[number];

/** Where the Markdown file of a meeting lies, relative to the folder of the export. */
export type PlaceOf = (event: Fields) => Promise<string>;

/** The places of a layout. What a layout needs from the service is read once, when it is first needed. */
export function placesOf(layout: Layout, client: Client): PlaceOf {
  if (layout === 'by-month') return async (event) => `${monthOf(event)}/${nameOf(event)}`;
  if (layout === 'flat') return async (event) => nameOf(event);
  const organizationOf = organizationsOf(client);
  return async (event) => `${await organizationOf(event)}/${nameOf(event)}`;
}

function nameOf({ id, title, start_at }: Fields): string {
  return fileName({ id: plain(id), title: plain(title), start_at: plain(start_at) });
}

function monthOf({ start_at }: Fields): string {
  return /^\d{4}-\d\d/.exec(plain(start_at))?.[0] ?? 'undated';
}

/** The folder of the organization that most attendees belong to; of equal ones, that of the first attendee. */
function organizationsOf(client: Client): (event: Fields) => Promise<string> {
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
    names ??= namesOf(client);
    return folderName((await names).get(first[0]) ?? '', first[0]);
  };
}

async function namesOf(client: Client): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for await (const { records } of client.pages(organizations.list, {})) {
    for (const { value } of records) {
      const { id, name, domains } = fieldsOf(value);
      names.set(plain(id), plain(name ?? textsIn(domains)[0]));
    }
  }
  return names;
}
