import type { WireRequest } from '../../contract/grammar.ts';
import type { Permission } from '../../contract/permissions.ts';
import { toTypedNoun } from '../../contract/singular-nouns.ts';
import { matchWrite, mayCreateOrganization, nouns } from '../../writes/nouns.ts';

/** Returns the permissions that a write needs; undefined for a request that the API does not have. */
export function findPermissions(request: WireRequest): readonly (Permission | undefined)[] {
  const write = matchWrite(request);
  if (!write) return [undefined];
  const { noun, action } = write;
  const permission: Permission = `${toTypedNoun(nouns[noun].plural)}:${action === 'remove' ? 'update' : action}`;
  return mayCreateOrganization(write) ? [permission, 'organizations:create'] : [permission];
}
