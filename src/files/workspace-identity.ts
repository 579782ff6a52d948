import { getBuiltinModule } from 'node:process';
import { hashText } from '../values/hash.ts';
import { isObject } from '../values/json-object.ts';

/**
 * A workspace. `place` is its base URL, its file, or its PostgreSQL URL without a password. A base URL may serve many
 * workspaces, but a key only one. A local workspace keeps its random id when it is moved or copied; the id is empty if it
 * was not read, or if a read-only file has none.
 */
export type WorkspaceIdentity =
  | { readonly place: string; readonly id: string }
  | { readonly place: string; readonly key: string };

/** A workspace whose key may still be in the keychain, under an account. */
export type ResolvedIdentity = WorkspaceIdentity | { readonly place: string; readonly keychain: string };

/** The form in which an export ledger or an import log stores its workspace. `identity` is missing in a damaged ledger. */
export interface StoredWorkspace {
  readonly workspace?: string | undefined;
  readonly identity?: StoredIdentity | undefined;
}

export type StoredIdentity = { readonly id: string } | { readonly key_hash: string };

/** Whether parsed JSON is a `StoredIdentity`. */
export const isStoredIdentity = (json: unknown): json is StoredIdentity =>
  isObject(json) && (typeof json.id === 'string' || typeof json.key_hash === 'string');

/** Returns the form in which a workspace is stored. */
export function toStoredWorkspace(usedWorkspace: WorkspaceIdentity) {
  const identity: StoredIdentity =
    'id' in usedWorkspace ? { id: usedWorkspace.id } : { key_hash: hashKey(usedWorkspace) };
  return { workspace: usedWorkspace.place, identity };
}

/**
 * Compares a stored workspace with the one in use. `other_key`: the same base URL with another key. `unknown`: the same
 * place, without an identity.
 */
export function compareWorkspace(
  { workspace, identity }: StoredWorkspace,
  usedWorkspace: WorkspaceIdentity,
): 'same' | 'other' | 'other_key' | 'unknown' {
  const isSamePlace = workspace === usedWorkspace.place;
  if (!identity) return workspace === undefined || isSamePlace ? 'unknown' : 'other';
  if ('id' in usedWorkspace) {
    const isSameId = 'id' in identity && identity.id === usedWorkspace.id;
    return isSameId && (usedWorkspace.id !== '' || isSamePlace) ? 'same' : 'other';
  }
  if (!('key_hash' in identity) || !isSamePlace) return 'other';
  return identity.key_hash === hashKey(usedWorkspace) ? 'same' : 'other_key';
}

/**
 * Returns the name of a workspace in the caches and the change log of this machine: 16 hexadecimal digits. A copy of a
 * local workspace has another name.
 */
export function toWorkspaceName(usedWorkspace: ResolvedIdentity): string {
  const key =
    'key' in usedWorkspace
      ? hashKey(usedWorkspace)
      : 'keychain' in usedWorkspace
        ? `keychain ${usedWorkspace.keychain}`
        : '';
  const hash = hashText(JSON.stringify([usedWorkspace.place, key]));
  return hash.map((part) => part.toString(16).padStart(8, '0')).join('');
}

function hashKey({ place, key }: { readonly place: string; readonly key: string }): string {
  const { createHmac } = getBuiltinModule('node:crypto'); // loaded late: it takes milliseconds
  return createHmac('sha256', place).update(key).digest('base64url');
}
