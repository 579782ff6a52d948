/**
 * Every way in which something can fail, with the HTTP status that the service answers (null where the
 * failure never crosses the wire) and the exit code of the command line.
 */
export const failures = {
  usage: { status: null, exit: 2 },
  malformed: { status: 400, exit: 5 },
  unauthorized: { status: 401, exit: 4 },
  forbidden: { status: 403, exit: 4 },
  not_found: { status: 404, exit: 3 },
  method_not_allowed: { status: 405, exit: 5 },
  too_large: { status: 413, exit: 5 },
  unsupported_media_type: { status: 415, exit: 5 },
  invalid: { status: 422, exit: 5 },
  rate_limited: { status: 429, exit: 75 },
  internal: { status: 500, exit: 1 },
  unavailable: { status: 503, exit: 75 },
  /** The workspace itself cannot be read or written: its disk is full, its file damaged or read-only. Nothing was done. */
  storage: { status: 507, exit: 1 },
  /** Any other 4xx. */
  refused: { status: null, exit: 5 },
  /** An answer that this program cannot read, or a machine that does not let it work. */
  failed: { status: null, exit: 1 },
  /** A lookup returned records that do not match it. */
  unverified: { status: null, exit: 1 },
  cancelled: { status: null, exit: 1 },
  partial: { status: null, exit: 6 },
  /** A write was sent and its answer lost. */
  unknown: { status: null, exit: 7 },
  network: { status: null, exit: 75 },
  /** Something is not ready yet, or another run holds it. */
  busy: { status: null, exit: 75 },
  interrupted: { status: null, exit: 130 },
  terminated: { status: null, exit: 143 },
} as const satisfies Record<string, { status: number | null; exit: ExitCode }>;

export type FailureCode = keyof typeof failures;

/** What each exit code of the command line means. Help and README read it from here. */
export const exitCodes = {
  0: 'done',
  1: 'failed: unexpected answer or internal error',
  2: 'usage: the command line is wrong or ambiguous, nothing was written',
  3: 'not found: 404, or `find` or `grep` matched nothing',
  4: 'not authenticated: no key, 401 or 403',
  5: 'refused by the service: any other 4xx',
  6: 'partly done: some rows, files or ids failed, the rest is safe; each is named',
  7: 'unknown: a write was sent and its answer lost (reset, timeout, 500, 502, 504 and the like); look before sending it again',
  75: 'try again later: network, 429 or 5xx after the retries, or another run holds the lock',
  130: 'interrupted (Ctrl-C)',
  143: 'terminated',
} as const;

export type ExitCode = keyof typeof exitCodes;

/** One fault of a request's body: where (a JSON pointer as RFC 9457 writes it), what kind, and a sentence. */
export interface FieldError {
  pointer: string;
  code: string;
  message: string;
}

/** What is known of a failure beside its sentence. */
export interface FailureDetail {
  /** The next step, for a person. */
  hint?: string | undefined;
  cause?: unknown;
  /** The HTTP status that was answered, where it is not the one of the table. */
  status?: number | undefined;
  method?: string | undefined;
  path?: string | undefined;
  request_id?: string | undefined;
  fieldErrors?: readonly FieldError[] | undefined;
  /** Headers that go with the answer, such as `Allow` or `Retry-After`. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The one error that this program throws on purpose: a code of the table, a sentence, and what is known. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly detail: FailureDetail;

  constructor(code: FailureCode, message: string, detail: FailureDetail = {}) {
    super(message, { cause: detail.cause });
    this.code = code;
    this.detail = detail;
  }

  /** The exit code of the command line for this failure. */
  get exit(): ExitCode {
    return failures[this.code].exit;
  }

  /** The HTTP status for this failure; 500 for one that has none of its own. */
  get status(): number {
    return this.detail.status ?? failures[this.code].status ?? 500;
  }
}

const ofOneRecord: readonly FailureCode[] = ['not_found', 'invalid', 'refused', 'malformed', 'unknown'];

/** Whether a failure is about the one record that was asked for: any other would meet every record. */
export function isRecordFailure(error: unknown): error is Failure {
  return error instanceof Failure && ofOneRecord.includes(error.code);
}

/** What an error says, whatever was thrown. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a disk says that takes no more; a limit on the size of files cuts what is written as a full disk does. */
const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** An error that is no failure: of a full disk, or one that nobody had in mind. */
export function toFailure(error: unknown): Failure {
  if (isFull.includes(getErrorCode(error)))
    return new Failure('failed', 'There is no space left to write to.', { cause: error });
  return new Failure('failed', `Unexpected: ${getErrorMessage(error)}`, {
    cause: error,
    hint: 'With --debug it says where.',
  });
}

/** The code of an error of Node, such as `ENOENT`; empty where it has none. */
export function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
