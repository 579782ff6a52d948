import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { customFields } from '../contract/custom-fields.ts';
import { entries } from '../contract/entries.ts';
import { Failure } from '../contract/errors.ts';
import { buildRequest, type Route, type WireRequest } from '../contract/grammar.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { organizations } from '../contract/organizations.ts';
import type { Permission } from '../contract/permissions.ts';
import {
  pluralNouns,
  type SingularNoun,
  singularWritableNouns,
  toTypedNoun,
} from '../contract/singular-nouns.ts';
import type { RecordPath } from '../records/path.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import type { StoredRecord } from './values.ts';

/** The nouns whose writes can be undone, with their routes. */
export const nouns = {
  contact: { ...contacts, remove: contacts.removeEmails, idName: 'contact_id', title: 'contact' },
  organization: {
    ...organizations,
    remove: organizations.removeDomains,
    idName: 'organization_id',
    title: 'organization',
  },
  note: { ...notes, remove: undefined, idName: 'note_id', title: 'note' },
  custom_field: { ...customFields, remove: undefined, idName: 'custom_field_id', title: 'custom field' },
  list: { ...lists, remove: undefined, idName: 'list_id', title: 'list' },
  entry: { ...entries, remove: undefined, idName: 'id', title: 'entry' },
} as const satisfies Readonly<Record<SingularNoun, object>>;

/** The kinds of writes; `remove` removes email addresses or domains. */
export const actions = ['create', 'update', 'remove', 'delete'] as const;

/** A write of one record. */
export interface Write extends RecordPath {
  readonly action: (typeof actions)[number];
  /** The body of the request. */
  readonly body: JsonObject;
}

/** Whether the service may create an organization with this write. */
export const mayCreateOrganization = ({ noun, action, body }: Write): boolean =>
  noun === 'contact' && action === 'create' && body.organization_id === 'auto';

/** Finds the write that a request is; undefined if the API does not have it. */
export function matchWrite({ method, path, body }: WireRequest): Write | undefined {
  for (const noun of singularWritableNouns)
    for (const action of actions) {
      const route: Route | undefined = nouns[noun][action];
      const params = route?.method === method ? matchPath(route.path, path) : undefined;
      if (!params) continue;
      const { [nouns[noun].idName]: id, list_id } = params;
      return {
        noun,
        action,
        body: readObject(body),
        ...(noun === 'entry' && { list_id }),
        ...(action !== 'create' && { id }),
      };
    }
  return undefined;
}

/** Returns the parameters of a path that matches a pattern such as `/v1/notes/:note_id`. */
function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const words = path.split('/');
  const parts = pattern.split('/');
  if (words.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const word = words[index] ?? '';
    if (!part.startsWith(':')) {
      if (word !== part) return undefined;
      continue;
    }
    const id = decode(word);
    if (!id) return undefined;
    params[part.slice(1)] = id;
  }
  return params;
}

function decode(word: string): string | undefined {
  try {
    return decodeURIComponent(word);
  } catch {
    return undefined;
  }
}

/** Returns the path parameters of a record. */
export function toParams({ noun, list_id, id }: RecordPath): Readonly<Record<string, string>> {
  return {
    ...(list_id !== undefined && { list_id }),
    ...(id !== undefined && { [nouns[noun].idName]: id }),
  };
}

/** Returns the request that sends a write. */
export function toRequest(write: Write): WireRequest {
  const route: Route | undefined = nouns[write.noun][write.action];
  if (!route) throw new Failure('failed', `The API cannot ${write.action} a ${nouns[write.noun].title}.`);
  return buildRequest(route, { ...write.body, ...toParams(write) });
}

/** Reads a record with its entity tag; undefined if it does not exist. */
export async function readTagged(
  client: Client,
  path: RecordPath,
): Promise<{ readonly value: StoredRecord; readonly etag: string | undefined } | undefined> {
  try {
    const { value, etag } = await client.record(nouns[path.noun].get as Route, toParams(path));
    return isObject(value) ? { value: value as StoredRecord, etag } : undefined;
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Reads a record; undefined if it does not exist. */
export const readRecord = async (client: Client, path: RecordPath): Promise<StoredRecord | undefined> =>
  (await readTagged(client, path))?.value;

/** Returns the permissions that a write needs; undefined for a request that the API does not have. */
export function findPermissions(request: WireRequest): readonly (Permission | undefined)[] {
  const write = matchWrite(request);
  if (!write) return [undefined];
  const { noun, action } = write;
  const permission: Permission = `${toTypedNoun(pluralNouns[noun])}:${action === 'remove' ? 'update' : action}`;
  return mayCreateOrganization(write) ? [permission, 'organizations:create'] : [permission];
}
