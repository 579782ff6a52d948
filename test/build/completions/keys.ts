import { runInTerminal } from '../../support/terminal.ts';
import type { ShellEnvironment } from './machine.ts';

/** The prompt of the shells in these tests. */
export const prompt = 'ready> ';

/** The character of the Tab key. */
export const tab = '\t';

/** Types into an interactive shell after its first prompt. Returns everything that the screen showed. */
export async function typeIntoShell(
  shell: string,
  keys: string,
  environment: ShellEnvironment,
): Promise<string> {
  const { out } = await runInTerminal(shell, {
    ...environment,
    columns: 300,
    reactions: [[prompt, `${keys}exit\r`]],
  });
  return out.replaceAll('\r', '');
}
