import { Failure } from '../../contract/errors.ts';
import { findMirror, formatMirrorAge } from '../../settings/mirror.ts';
import { quoteShellWord } from '../../values/text.ts';
import type { Session } from '../command/context.ts';
import { isWrite, sendsRequests } from '../command/effects.ts';
import { findConnection } from './connection.ts';

/** Adds the command that reads the mirror to the failure of a command that reads, if there is a mirror. */
export async function addOfflineHint(session: Session, failure: Failure): Promise<Failure> {
  const { env, now } = session.runtime;
  const { command, words = [], path = [], input = {} } = session.call.commandLine ?? {};
  if (!command || path.join(' ') === 'workspace pull') return failure;
  if (!sendsRequests(command) || isWrite(command, input)) return failure;
  const connection = await findConnection(session).catch(() => undefined);
  const mirror = connection && findMirror(env, connection);
  if (!mirror) return failure;
  const { code, message, detail } = failure;
  // After `--`, a flag would belong to another command line.
  const line = ['kith', ...(words.includes('--') ? ['--offline', ...words] : [...words, '--offline'])]
    .map(quoteShellWord)
    .join(' ');
  const advice = `To read the offline copy from ${formatMirrorAge(mirror, now())} ago: ${line}`;
  return new Failure(code, message, { ...detail, hint: [detail.hint, advice].filter(Boolean).join(' ') });
}
