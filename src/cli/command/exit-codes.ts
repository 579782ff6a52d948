import { type ExitCode, exitCodeList } from '../../contract/errors.ts';
import type { AnyCommand } from './command.ts';
import { isWrite, sendsRequests, writesDirectly } from './effects.ts';

/** The exit codes of each mechanism, and the commands that use it. */
const mechanisms: readonly (readonly [(command: AnyCommand) => boolean, readonly ExitCode[]])[] = [
  // The command line may be invalid, the disk full or the settings damaged, and a signal ends any command.
  [() => true, [0, 1, 2, 130, 143]],
  // References and requests: no key, not found, refused, unreachable, or stopped by a guard.
  [sendsRequests, [3, 4, 5, 9, 75]],
  // Some ids on stdin, records of --where, or sections may fail.
  [({ args = {} }) => Object.values(args).some(({ takesMany }) => takesMany), [6]],
  [({ paging }) => paging === 'sections', [6]],
  // A guard may forbid a write, and its response may be lost.
  [isWrite, [7, 8]],
  [writesDirectly, [9]],
  // The profile that names the database may not exist. The database may be locked or unreachable.
  [({ options = {} }) => 'database' in options, [4, 75]],
];

/** Lists the exit codes that a command may return. */
export function listExitCodes(command: AnyCommand): ExitCode[] {
  const { exitCodes = [], unusedExitCodes = [] } = command;
  const codes = mechanisms.flatMap(([isUsedBy, codes]) => (isUsedBy(command) ? codes : []));
  const possible = new Set([...codes, ...exitCodes].filter((code) => !unusedExitCodes.includes(code)));
  return exitCodeList.filter((code) => possible.has(code));
}
