import type { AnyCommand, Argument } from '../../cli/command/command.ts';
import { isBulk } from '../../cli/flags/bulk.ts';
import type { Noun } from '../../contract/singular-nouns.ts';

/** Lets a command that shows a record also show the records on stdin. */
export function showsMany(noun: Noun, command: AnyCommand): AnyCommand {
  const { args = {}, run } = command;
  return {
    ...command,
    args: { ...args, id: { ...args.id, takesMany: true } as Argument }, // every such command has this argument
    async run(session, input) {
      if (!isBulk(input, 'id')) return run(session, input);
      const { showMany } = await import('./read-many.ts');
      return showMany(session, noun, input, ({ id, list_id }) =>
        run(session, { ...input, id, ...(list_id !== undefined && { list: list_id }) }),
      );
    },
  };
}
