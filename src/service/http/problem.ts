import type { Failure, FailureCode } from '../../contract/errors.ts';
import type { WireResponse } from '../../contract/grammar.ts';

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  507: 'Insufficient Storage',
};

/** The codes that a problem document names. For all other failures, the status is enough. */
export const problemCodes = ['unknown', 'changed'] as const satisfies readonly FailureCode[];

/** Converts a failure to a problem document (RFC 9457) with all errors of the request body. The reason is first, because programs log only the beginning. */
export function toProblem(failure: Failure, requestId: string | undefined): WireResponse {
  const { status, detail, message } = failure;
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...detail.headers },
    body: {
      detail: message,
      type: 'about:blank',
      title: titles[status] ?? 'Error',
      status,
      ...(problemCodes.some((code) => code === failure.code) && { code: failure.code }),
      ...(requestId !== undefined && { request_id: requestId }),
      ...(detail.fieldErrors && { errors: detail.fieldErrors }),
    },
  };
}
