import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { readAll } from '../../records/read-all.ts';
import { foldName } from '../../values/names.ts';
import { quoteShellWord } from '../../values/text.ts';
import type { Session } from '../command/context.ts';
import { findOwnSetting } from '../connect/settings.ts';

/**
 * Returns the id of the process whose entries `kith deals` means: the one of `kith config set process`, or else the only
 * one.
 * @throws {Failure} usage if there are several, not_found if there is none
 */
export async function findProcess(session: Session): Promise<string> {
  const chosen = await findOwnSetting(session, 'process');
  const all = await readAll(await session.client(), lists.list, {});
  const processes = all.filter(({ process, archived_at }) => process && !archived_at);
  const isChosen = ({ id, name }: { readonly id: string; readonly name: string }) =>
    chosen !== undefined && [id, foldName(name)].includes(foldName(chosen));
  const [only, ...others] = processes;
  const process = processes.find(isChosen) ?? (others.length === 0 ? only : undefined);
  if (process) return process.id;
  if (!only)
    throw new Failure('not_found', 'There is no process.', { hint: 'See `kith lists create --help`.' });
  const names = processes.map(({ name }) => quoteShellWord(name));
  throw new Failure('usage', `There are ${processes.length} processes: ${names.join(', ')}.`, {
    hint: `Pass --process ${names[0]}, or choose one: kith config set process ${names[0]}`,
    candidates: processes.map(({ id, name }) => ({ id, name })),
  });
}
