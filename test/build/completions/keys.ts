import { runInTerminal } from '../../support/terminal.ts';
import type { Place } from './machine.ts';

/** The prompt that a shell is to have here. */
export const prompt = 'ready> ';

/** A real Tab key. */
export const tab = '\t';

/** Types at an interactive shell once its prompt is there; gives all that its screen showed. */
export async function screenOf(shell: string, keys: string, place: Place): Promise<string> {
  const { out } = await runInTerminal(shell, {
    ...place,
    columns: 300,
    reactions: [[prompt, `${keys}exit\r`]],
  });
  return out.replaceAll('\r', '');
}
