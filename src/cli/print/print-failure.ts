import type { Failure } from '../../contract/errors.ts';
import type { OutputStream } from '../../process/streams.ts';
import { plainPaint } from '../../render/paint.ts';
import { sanitizeJson, sanitizeLine, sanitizeLines } from '../../render/sanitize.ts';
import type { Environment } from '../../settings/paths.ts';
import { choosePaint } from './format-records.ts';

/** The destination and the format of a failure. */
interface FailureOutput {
  readonly stderr: OutputStream;
  readonly env: Environment;
  readonly json: boolean;
  readonly color: boolean;
  readonly debug: boolean;
}

/** Prints a failure to stderr: a line, its field errors and a hint, or one JSON object. */
export async function printFailure(
  failure: Failure,
  { stderr, env, json, color, debug }: FailureOutput,
): Promise<void> {
  const { code, message, detail } = failure;
  if (json) {
    const { status, method, path, request_id, fieldErrors = [] } = detail;
    const error = { code, message, status, method, path, request_id, details: fieldErrors };
    const text = JSON.stringify({ error }, null, 2);
    await stderr.write(`${stderr.isTerminal ? sanitizeJson(text) : text}\n`);
    return;
  }
  const paint = color ? await choosePaint(stderr, env) : plainPaint;
  const lines = [`${paint.red('kith:')} ${sanitizeLine(message)}`];
  const fieldErrors = detail.fieldErrors ?? [];
  if (fieldErrors.length > 1)
    lines.push(
      ...fieldErrors.map(({ pointer, message }) => `  ${sanitizeLine(pointer)}: ${sanitizeLine(message)}`),
    );
  if (detail.hint !== undefined) lines.push(`${paint.yellow('hint:')} ${sanitizeLine(detail.hint)}`);
  if (debug && failure.cause instanceof Error) lines.push(sanitizeLines(failure.cause.stack ?? ''));
  await stderr.write(`${lines.join('\n')}\n`);
}
