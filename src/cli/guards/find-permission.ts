import { matchWrite, type Noun } from '../../changes/nouns.ts';
import type { WireRequest } from '../../contract/grammar.ts';
import type { Permission } from '../../contract/permissions.ts';

/** The nouns as they are typed. */
const typedNouns: Readonly<Record<Noun, string>> = {
  contact: 'contacts',
  organization: 'organizations',
  note: 'notes',
  custom_field: 'custom-fields',
  list: 'lists',
  entry: 'entries',
};

/** Returns the permission that a write needs; undefined if the API has no such request. */
export function findPermission(request: WireRequest): Permission | undefined {
  const write = matchWrite(request);
  if (!write) return undefined;
  return `${typedNouns[write.noun]}:${write.action === 'remove' ? 'update' : write.action}`;
}
