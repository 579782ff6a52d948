import { diff } from './diff.ts';

/** The commands on whole workspaces. */
export const wholeWorkspace = [diff];
