import type { AnyCommand } from '../command/command.ts';

/** The commands on whole workspaces. */
export const wholeWorkspace: readonly AnyCommand[] = [];
