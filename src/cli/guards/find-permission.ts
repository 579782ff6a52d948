import type { WireRequest } from '../../contract/grammar.ts';
import type { Permission } from '../../contract/permissions.ts';
import { pluralNouns, toTypedNoun } from '../../contract/singular-nouns.ts';
import { matchWrite, mayCreateOrganization } from '../../writes/nouns.ts';

/** Returns the permissions that a write needs; undefined for a request that the API does not have. */
export function findPermissions(request: WireRequest): readonly (Permission | undefined)[] {
  const write = matchWrite(request);
  if (!write) return [undefined];
  const { noun, action } = write;
  const permission: Permission = `${toTypedNoun(pluralNouns[noun])}:${action === 'remove' ? 'update' : action}`;
  return mayCreateOrganization(write) ? [permission, 'organizations:create'] : [permission];
}
