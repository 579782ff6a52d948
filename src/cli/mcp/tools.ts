import type { AnyCommand } from '../command.ts';
import { records } from '../tree.ts';

/** A command that an agent can call. */
export interface Tool {
  /** Noun and verb: `contacts_find`. */
  readonly name: string;
  /** The same as words of the command line. */
  readonly words: readonly string[];
  readonly command: AnyCommand;
}

/**
 * The commands about records, those that write only where that is allowed. Commands on files of this machine are no
 * tools: an agent may do what it was told by a record.
 */
export async function loadTools({ mayWrite }: { readonly mayWrite: boolean }): Promise<Tool[]> {
  const nouns = records.entries.map(async (entry) => {
    const commands = 'commands' in entry ? await entry.commands() : [];
    return commands
      .filter(({ files, writes }) => !files && (mayWrite || !writes))
      .map((command) => {
        const words = [entry.name, ...command.name.split(' ')];
        return { name: words.join('_').replaceAll('-', '_'), words, command };
      });
  });
  return (await Promise.all(nouns)).flat();
}
