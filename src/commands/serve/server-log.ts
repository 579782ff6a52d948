import type { LogLevel, ServedRequest, ServerLog } from '../../contract/workspace.ts';
import type { OutputStream } from '../../process/streams.ts';
import { sanitizeJson, sanitizeLines } from '../../render/text/sanitize.ts';

/** How the log of a server is written. */
export const logFormats = ['text', 'json'] as const;

/** The maximum number of characters buffered for a slow reader. Further lines are dropped. */
const maxPending = 1024 * 1024;

/** Creates the log of a server on stderr: messages as text, or messages and requests as lines of JSON. */
export function createServerLog(
  { stderr, now }: { readonly stderr: OutputStream; readonly now: () => Date },
  format: (typeof logFormats)[number],
): ServerLog {
  if (format === 'text') {
    const writeLine = createLineWriter(stderr, (count) => `kith: ${describeDropped(count)}`);
    return {
      write: (_, text, requestId) =>
        writeLine(sanitizeLines(`kith: ${requestId === undefined ? '' : `request ${requestId}: `}${text}`)),
    };
  }
  const toLine = (level: LogLevel, fields: object) => {
    const line = JSON.stringify({ time: now().toISOString(), level, ...fields });
    return stderr.isTerminal ? sanitizeJson(line) : line;
  };
  const writeLine = createLineWriter(stderr, (count) =>
    toLine('warning', { message: describeDropped(count) }),
  );
  return {
    write: (level, message, request_id) => writeLine(toLine(level, { request_id, message })),
    writeRequest: (request, keyId) =>
      writeLine(toLine(request.status >= 500 ? 'error' : 'info', formatRequest(request, keyId))),
  };
}

const formatRequest = ({ requestId, ...request }: ServedRequest, keyId: string | null) => ({
  request_id: requestId,
  method: request.method ?? null,
  route: request.route ?? null,
  status: request.status,
  milliseconds: request.milliseconds === undefined ? null : Math.round(request.milliseconds * 1000) / 1000,
  key_id: keyId,
  fault: request.fault,
  warnings: request.warnings,
});

const describeDropped = (count: number) =>
  `${count} log ${count === 1 ? 'line was' : 'lines were'} dropped because stderr was read too slowly.`;

/**
 * Returns a function that writes a line without waiting for it. A slow reader loses lines instead of delaying the
 * server.
 */
function createLineWriter(stderr: OutputStream, reportDropped: (count: number) => string) {
  let pending = 0;
  let droppedLines = 0;
  const write = (line: string) => {
    const text = `${line}\n`;
    pending += text.length;
    const settle = () => {
      pending -= text.length;
      if (pending > 0 || droppedLines === 0) return;
      const count = droppedLines;
      droppedLines = 0;
      write(reportDropped(count));
    };
    stderr.write(text).then(settle, settle);
  };
  return (line: string): void => {
    if (pending > maxPending) droppedLines += 1;
    else write(line);
  };
}
