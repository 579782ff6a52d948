import type { Failure } from '../../contract/errors.ts';
import { unpainted } from '../../render/paint.ts';
import { safeJson, safeLine, safeLines } from '../../render/sanitize.ts';
import type { Environment } from '../../settings/places.ts';
import type { Sink } from '../context.ts';
import { paintOn } from './paint-on.ts';

/** Where and how a failure is told. */
interface Telling {
  readonly stderr: Sink;
  readonly env: Environment;
  readonly json: boolean;
  readonly color: boolean;
  readonly debug: boolean;
}

/** Tells a failure on stderr: a line, its faults, a hint; or one JSON object. */
export async function printFailure(
  failure: Failure,
  { stderr, env, json, color, debug }: Telling,
): Promise<void> {
  const { code, message, detail } = failure;
  if (json) {
    const { status, method, path, request_id, fieldErrors: faults } = detail;
    const error = { code, message, status, method, path, request_id, details: faults ?? [] };
    const text = JSON.stringify({ error }, null, 2);
    await stderr.write(`${stderr.isTerminal ? safeJson(text) : text}\n`);
    return;
  }
  const paint = color ? await paintOn(stderr, env) : unpainted;
  const lines = [`${paint.red('kith:')} ${safeLine(message)}`];
  const faults = detail.fieldErrors ?? [];
  if (faults.length > 1)
    lines.push(...faults.map(({ pointer, message }) => `  ${safeLine(pointer)}: ${safeLine(message)}`));
  if (detail.hint !== undefined) lines.push(`${paint.yellow('hint:')} ${safeLine(detail.hint)}`);
  if (debug && failure.cause instanceof Error) lines.push(safeLines(failure.cause.stack ?? ''));
  await stderr.write(`${lines.join('\n')}\n`);
}
