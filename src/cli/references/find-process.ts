import { Failure } from '../../contract/errors.ts';
import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { readAll } from '../../records/read-all.ts';
import { foldName } from '../../values/names.ts';
import { quoteShellWord } from '../../values/text.ts';
import type { Session } from '../command/context.ts';
import { findOwnSetting } from '../connect/settings.ts';

/**
 * Returns the id of the default process of `kith deals`: the one of `kith config set process`, or else the only one.
 * @throws {Failure} usage if there are several, or none
 */
export async function findProcess(session: Session): Promise<string> {
  const chosen = (await findOwnSetting(session, 'process')) ?? '';
  const all = await readAll(await session.client(), lists.list, {});
  const processes = all.filter(({ process, archived_at }) => process && !archived_at);
  const isChosen = ({ id, name }: Received<List>) => id === chosen || foldName(name) === foldName(chosen);
  const process = processes.find(isChosen) ?? (processes.length === 1 ? processes[0] : undefined);
  if (process) return process.id;
  const names = processes.map(({ name }) => quoteShellWord(name));
  const [first] = names;
  if (!first)
    throw new Failure('usage', 'There are no processes.', { hint: 'See `kith lists create --help`.' });
  throw new Failure('usage', `There are ${names.length} processes: ${names.join(', ')}.`, {
    hint: `Pass --process ${first}, or set the default: kith config set process ${first}`,
    candidates: processes.map(({ id, name }) => ({ id, name })),
  });
}
