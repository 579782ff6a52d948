import { createHmac } from 'node:crypto';
import * as v from 'valibot';

/** The id in a workspace file, or a hash of the API key: a base URL may serve many workspaces, but a key only one. */
export const WorkspaceIdentity = v.union([v.object({ id: v.string() }), v.object({ key_hash: v.string() })]);
export type WorkspaceIdentity = Readonly<v.InferOutput<typeof WorkspaceIdentity>>;

/**
 * How the workspace in use is reached. `place` is its file or URL; `database` may have a password too. A read-only file
 * may have an empty id.
 */
export type WorkspaceAccess =
  | { readonly kind: 'local'; readonly place: string; readonly database: string; readonly id: string }
  | { readonly kind: 'hosted'; readonly place: string; readonly key: string };

/** The workspace of a folder or a report. It has no identity if its ledger was damaged. */
export interface StoredWorkspace {
  readonly workspace?: string | undefined;
  readonly identity?: WorkspaceIdentity | undefined;
}

/** Returns what to store for a workspace. */
export function identifyWorkspace(access: WorkspaceAccess) {
  const identity: WorkspaceIdentity =
    access.kind === 'local' ? { id: access.id } : { key_hash: hashKey(access) };
  return { workspace: access.place, identity };
}

/**
 * Compares a stored workspace with the one in use. `other_key`: the same base URL with another key. `unknown`: the same
 * place, without an identity. A workspace file keeps its id when it is moved or copied.
 */
export function compareWorkspace(
  { workspace, identity }: StoredWorkspace,
  access: WorkspaceAccess,
): 'same' | 'other' | 'other_key' | 'unknown' {
  if (!identity) return workspace === undefined || workspace === access.place ? 'unknown' : 'other';
  if (access.kind === 'local') {
    const isSameId = 'id' in identity && identity.id === access.id;
    return isSameId && (access.id !== '' || workspace === access.place) ? 'same' : 'other';
  }
  if (!('key_hash' in identity) || workspace !== access.place) return 'other';
  return identity.key_hash === hashKey(access) ? 'same' : 'other_key';
}

/** Returns a text that identifies the workspace in use. It may contain the key, so hash it before storing it. */
export function getWorkspaceSecret(access: WorkspaceAccess): string {
  return access.kind === 'local' ? access.id : `${access.place} ${access.key}`;
}

function hashKey({ place, key }: Extract<WorkspaceAccess, { kind: 'hosted' }>): string {
  return createHmac('sha256', place).update(key).digest('base64url');
}
