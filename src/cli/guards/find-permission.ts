import { matchWrite, nouns } from '../../changes/nouns.ts';
import type { WireRequest } from '../../contract/grammar.ts';
import type { Permission } from '../../contract/permissions.ts';
import { toTypedNoun } from '../../contract/singular-nouns.ts';

/** Returns the permission that a write needs; undefined if the API has no such request. */
export function findPermission(request: WireRequest): Permission | undefined {
  const write = matchWrite(request);
  if (!write) return undefined;
  return `${toTypedNoun(nouns[write.noun].plural)}:${write.action === 'remove' ? 'update' : write.action}`;
}
