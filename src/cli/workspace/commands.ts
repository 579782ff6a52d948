import { backup } from './backup.ts';
import { checkout } from './checkout/checkout.ts';
import { push } from './checkout/push.ts';
import { status } from './checkout/status.ts';
import { workspaceCopy } from './copy.ts';
import { diff } from './diff.ts';
import { pull } from './pull.ts';
import { verify } from './verify.ts';

/** The commands on whole workspaces. */
export const wholeWorkspaceCommands = [backup, verify, workspaceCopy, diff, pull, checkout, status, push];
