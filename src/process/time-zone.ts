import { realpathSync } from 'node:fs';
import { findFixedZone, resolveZone } from '../values/dates.ts';

/**
 * Replaces a TZ that is not the name of a zone with a zone name, so that the name and the offset of the zone agree. Node
 * reads the offset of some forms, but not their name. `offset`: Node's offset, in minutes east of UTC.
 */
export function normalizeTimeZone(env: NodeJS.ProcessEnv, offset: number): void {
  const { TZ = '' } = env;
  const path = /^:?(\/.*)/.exec(TZ)?.[1];
  const zone = resolveZone(path === undefined ? TZ : readLink(path));
  env.TZ = zone ?? (offset === 0 ? undefined : findFixedZone(offset)) ?? TZ;
}

/** Follows a link such as /etc/localtime. */
function readLink(path: string): string {
  try {
    return path.includes('/zoneinfo/') ? path : realpathSync(path);
  } catch {
    return path;
  }
}
