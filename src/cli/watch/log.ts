import type { Session } from '../command/context.ts';
import type { Viewer } from './watch.ts';

/**
 * Creates a viewer that prints each result after the other, if it has changed; of NDJSON, only the records that are new
 * or changed. Notes and failures go to stderr, once until they change.
 */
export function createLog({ stdout, warn, globals }: Session): Viewer {
  const isByLine = globals.format === 'ndjson';
  let printed: string | undefined;
  let lines = new Set<string>();
  let message = '';
  return {
    async show({ text, notes, problem }) {
      const messages = problem ? [`The last run failed; retrying: ${problem.message}`] : notes;
      if (messages.join('\n') !== message) for (const one of messages) await warn(one);
      message = messages.join('\n');
      if (problem || text === printed) return;
      const next = new Set(isByLine ? text.split('\n').slice(0, -1) : []);
      const added = [...next].filter((line) => !lines.has(line)).map((line) => `${line}\n`);
      [printed, lines] = [text, next];
      await stdout.write(isByLine ? added.join('') : text);
    },
    hasNewSize: () => false,
    close: async () => {},
  };
}
