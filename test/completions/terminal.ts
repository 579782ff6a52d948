import { ended } from '../binary.ts';
import type { Place } from './machine.ts';

/** The prompt that a shell is to have here. */
export const prompt = 'ready> ';

/** A real Tab key. */
export const tab = '\t';

/** Types at an interactive shell once its prompt is there; gives all that its screen showed. */
export async function screenOf(shell: string, keys: string, { env, cwd }: Place): Promise<string> {
  const { out } = await ended('script', ['-qec', `stty cols 300; ${shell}`, '/dev/null'], {
    env,
    cwd,
    onStart: ({ stdin, stdout }) => {
      let shown = '';
      stdout?.on('data', (text: string) => {
        const wasReady = shown.includes(prompt);
        shown += text;
        if (!wasReady && shown.includes(prompt)) stdin?.write(`${keys}exit\r`);
      });
    },
  });
  return out.replaceAll('\r', '');
}
