import { getBuiltinModule } from 'node:process';
import type { ResolvedConnection } from './connection.ts';

/** Identifies the workspace of a connection on this machine: another key of a service may belong to another workspace. */
export function identifyKey(connection: ResolvedConnection): string {
  if (connection.kind === 'local') return 'local';
  if ('keychain' in connection) return `keychain ${connection.keychain}`;
  const { createHmac } = getBuiltinModule('node:crypto'); // loaded late: it takes milliseconds
  return createHmac('sha256', connection.baseUrl).update(connection.key).digest('base64url');
}
