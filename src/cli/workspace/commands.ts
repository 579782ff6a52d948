import { backup } from './backup.ts';
import { diff } from './diff.ts';
import { verify } from './verify.ts';

/** The commands on whole workspaces. */
export const wholeWorkspace = [backup, diff, verify];
