import { matchWrite } from '../../changes/nouns.ts';
import type { WireRequest } from '../../contract/grammar.ts';
import type { Permission } from '../../contract/permissions.ts';
import { typedNouns } from '../command/typed-nouns.ts';

/** Returns the permission that a write needs; undefined if the API has no such request. */
export function findPermission(request: WireRequest): Permission | undefined {
  const write = matchWrite(request);
  if (!write) return undefined;
  return `${typedNouns[write.noun]}:${write.action === 'remove' ? 'update' : write.action}`;
}
