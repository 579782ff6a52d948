import { parseRetryAfter } from '../../values/retry-after.ts';
import { type Failure, failures } from '../errors.ts';
import type { ErrorDocument } from './schemas.ts';

/** The exit code of transient failures. */
const retryExit = 75;

/**
 * Returns a failure as the JSON object that kith prints for it. Keys without a value are omitted. `now`: the time with
 * which a date in Retry-After is compared if the response has no date.
 */
export function toErrorDocument({ code, message, exit, detail }: Failure, now: Date): ErrorDocument {
  const { status, method, path, request_id, fieldErrors = [], headers, hint } = detail;
  const { commands = [], candidates = [] } = detail;
  const wait = headers && parseRetryAfter(headers, now);
  // A program must not take the first of several candidates: a write would change the wrong record.
  const isChoice = candidates.length > 1 && commands.length === candidates.length;
  const command = isChoice ? undefined : (commands[0] ?? findCommand(hint ?? ''));
  const members: Record<keyof ErrorDocument, unknown> = {
    code,
    message,
    status,
    method,
    path,
    request_id,
    details: fieldErrors,
    exit_code: exit,
    hint,
    command,
    // A write whose response was lost may be done: `unknown` is never retryable.
    retryable: failures[code].exit === retryExit,
    retry_after: wait === undefined ? undefined : Math.ceil(wait / 1000),
    candidates:
      candidates.length === 0
        ? undefined
        : candidates.map((candidate, index) =>
            isChoice ? { ...candidate, command: commands[index] } : candidate,
          ),
  };
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as ErrorDocument; // it has the members of the type
}

/** Text that a complete command contains only in quotes: a placeholder that a person must replace, such as FILE, `[LIST]` or `A|B`, or a sentence. */
const incomplete = /(?:^|[\s=[])[A-Z][A-Z_|]*(?=[\s\].]|$)|\[flags|[.:;](?:\s|$)/;

/** Returns the complete command that a hint contains: all of it, in backticks, or after a colon at its end. */
function findCommand(hint: string): string | undefined {
  const [, quoted, last] = /`(kith [^`]+)`|(?:^|: )(kith \S.*)$/.exec(hint) ?? [];
  const command = quoted ?? last;
  const isComplete = command !== undefined && !incomplete.test(command.replaceAll(/'[^']*'/g, ''));
  return isComplete ? command : undefined;
}
