import type { Globals } from './globals.ts';

/**
 * What a command waits for a person or a program for, and what to type instead, as the end of a sentence; undefined
 * where it needs nobody.
 */
export type Attended = (
  input: Readonly<Record<string, unknown>>,
  globals: Pick<Globals, 'yes' | 'dryRun'>,
) => string | undefined;

export const asksToDelete: Attended = (_, { yes, dryRun }) =>
  yes || dryRun ? undefined : 'asks before it deletes: add --yes';

export const asksToUndo: Attended = (input, globals) =>
  input.undo ? asksToDelete(input, globals) : undefined;
