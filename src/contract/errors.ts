import type { WireRequest } from './grammar.ts';

/** Every failure code, with the HTTP status that the service returns (null: never sent) and the exit code of commands. */
export const failures = {
  usage: { status: null, exit: 2 },
  malformed: { status: 400, exit: 5 },
  unauthorized: { status: 401, exit: 4 },
  forbidden: { status: 403, exit: 4 },
  not_found: { status: 404, exit: 3 },
  method_not_allowed: { status: 405, exit: 5 },
  /** The record is no longer the version that If-Match names. */
  changed: { status: 412, exit: 5 },
  too_large: { status: 413, exit: 5 },
  unsupported_media_type: { status: 415, exit: 5 },
  invalid: { status: 422, exit: 5 },
  rate_limited: { status: 429, exit: 75 },
  internal: { status: 500, exit: 1 },
  unavailable: { status: 503, exit: 75 },
  /** The workspace file cannot be used: its disk is full, or it is damaged or read-only. Nothing was written. */
  storage: { status: 507, exit: 1 },
  /** Any other 4xx. */
  refused: { status: null, exit: 5 },
  /** An invalid response, or an error of this machine. */
  failed: { status: null, exit: 1 },
  /** A lookup returned records that do not match it. */
  unverified: { status: null, exit: 1 },
  cancelled: { status: null, exit: 1 },
  /** `workspace diff` found differences. */
  different: { status: null, exit: 1 },
  partial: { status: null, exit: 6 },
  /** A write was sent and its response lost. */
  unknown: { status: null, exit: 7 },
  /** A guard, such as --readonly, forbids the write. Nothing was sent. */
  blocked: { status: null, exit: 8 },
  /** --max-writes or --max-requests is reached. Earlier writes remain. */
  limit_reached: { status: null, exit: 9 },
  network: { status: null, exit: 75 },
  /** Something is not ready yet, another run holds the lock, or records are deleted each time a list is read. */
  busy: { status: null, exit: 75 },
  /** With --offline: a write, or a workspace without an offline copy. Nothing was sent. */
  offline: { status: null, exit: 75 },
  interrupted: { status: null, exit: 130 },
  terminated: { status: null, exit: 143 },
} as const satisfies Record<string, { status: number | null; exit: ExitCode }>;

export type FailureCode = keyof typeof failures;

/** The meaning of each exit code, for help and the guides. */
export const exitCodes = {
  0: 'done',
  1: 'failed: invalid response or internal error',
  2: 'usage: the command line is invalid or ambiguous; nothing was written',
  3: 'not found: 404, or `find`, `grep` or `search` matched nothing',
  4: 'not authenticated: no key, 401 or 403',
  5: 'refused by the service: any other 4xx',
  6: 'partly done: some rows, files or ids failed and are named; the others are done',
  7: 'unknown: the response to a write was lost (reset, timeout, 500, 502, 504 and the like); check before repeating it',
  8: 'blocked: a guard such as `--readonly` or `--allow` forbids the write; nothing was sent',
  9: 'limit reached: `--max-writes` or `--max-requests`; earlier writes are done',
  75: 'try again later: network error, 429 or 5xx after all retries, another run holds the lock, records are deleted each time a list is read, or `--offline` forbids the command',
  130: 'interrupted (Ctrl-C)',
  143: 'terminated',
} as const;

export type ExitCode = keyof typeof exitCodes;

/** All exit codes, in the order of the help. */
export const exitCodeList = Object.keys(exitCodes).map((code) => Number(code) as ExitCode); // keys() returns strings

/** A validation error of one field of a request body. `pointer`: a JSON pointer as in RFC 9457. */
export interface FieldError {
  pointer: string;
  code: string;
  message: string;
  /** The existing record that has the value; only with the code `taken`. */
  id?: string;
}

/** A record that an ambiguous or unknown reference may mean. */
export interface FailureCandidate {
  readonly id: string;
  readonly name: string;
  /** A detail that distinguishes records with the same name, such as an email address. */
  readonly detail?: string;
  /** The list of an entry. */
  readonly list_id?: string;
}

/** The details of a failure. */
export interface FailureDetail {
  /** The next step for the user. */
  hint?: string | undefined;
  /** Commands to paste, which a person sees instead of the hint. */
  commands?: readonly string[] | undefined;
  /** The records that a reference may mean. */
  candidates?: readonly FailureCandidate[] | undefined;
  cause?: unknown;
  /** Whether a search matched nothing, which is an empty result for programs without exit codes. */
  isEmptyResult?: true;
  /** Whether the failure only sets the exit code, and is not printed. */
  isQuiet?: boolean | undefined;
  /** The HTTP status of the response, if it differs from the table. */
  status?: number | undefined;
  method?: string | undefined;
  path?: string | undefined;
  /** The write whose response was lost. */
  request?: WireRequest | undefined;
  request_id?: string | undefined;
  fieldErrors?: readonly FieldError[] | undefined;
  /** The milliseconds to wait, according to `Retry-After`. */
  retryAfter?: number | undefined;
  /** Response headers, such as `Allow` or `Retry-After`. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The only error that kith throws deliberately: a code of the table, a sentence, and details. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly detail: FailureDetail;

  constructor(code: FailureCode, message: string, detail: FailureDetail = {}) {
    super(message, { cause: detail.cause });
    this.code = code;
    this.detail = detail;
  }

  /** The exit code for this failure. */
  get exit(): ExitCode {
    return failures[this.code].exit;
  }

  /** The HTTP status for this failure; 500 if its code has no status. */
  get status(): number {
    return this.detail.status ?? failures[this.code].status ?? 500;
  }
}

/** The reader of stdout closed the pipe, as `head` does. */
export class ClosedPipeError extends Error {
  override readonly name = 'ClosedPipeError';
}

const recordCodes: readonly FailureCode[] = [
  'not_found',
  'changed',
  'invalid',
  'refused',
  'malformed',
  'unknown',
];

/** The hint of a lost write if nothing better is known. */
export const lostWriteHint = 'Check whether the change was made before you run the command again.';

/** Whether a failure concerns only the requested record. Any other failure would affect every record. */
export function isRecordFailure(error: unknown): error is Failure {
  return error instanceof Failure && recordCodes.includes(error.code);
}

/** Whether a failure concerns only the requested records: they do not exist, or the key has no access to them. */
export const isUnreadable = (error: unknown): error is Failure =>
  isRecordFailure(error) || (error instanceof Failure && error.code === 'forbidden');

/** Whether the service refused a write because another record has one of its values. */
export function isTaken(error: unknown): boolean {
  const fieldErrors = error instanceof Failure ? error.detail.fieldErrors : undefined;
  return fieldErrors?.some(({ code }) => code === 'taken') ?? false;
}

/** Whether a broken record may be the cause of a failure. It must not prevent reading other records. */
export const isBroken = (error: unknown): error is Failure =>
  error instanceof Failure && (error.code === 'failed' || error.detail.status === 500);

/** Returns the message of any thrown value. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns a failure; throws any other error. */
export function requireFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** Returns a failure with a longer message; any other error unchanged. */
export function addErrorPrefix(prefix: string, error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure(error.code, `${prefix}: ${error.message}`, error.detail);
}

/** Error codes of a full disk, a full quota, and the limit on the size of files. */
const diskFullCodes = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Converts any error to a failure, such as the error of a full disk. */
export function toFailure(error: unknown): Failure {
  if (diskFullCodes.includes(getErrorCode(error)))
    return new Failure('failed', 'Cannot write: no space left on the disk.', { cause: error });
  return new Failure('failed', `Unexpected error: ${getErrorMessage(error)}`, {
    cause: error,
    hint: 'Run the command with --debug to see where it happened.',
  });
}

/** Returns the code of a Node.js error, such as `ENOENT`; empty if it has none. */
export function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
