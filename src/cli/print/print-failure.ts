import type { Failure } from '../../contract/errors.ts';
import { plainPaint } from '../../render/text/paint.ts';
import { wrapParagraph } from '../../render/text/paragraph.ts';
import { sanitizeJson, sanitizeLine, sanitizeLines } from '../../render/text/sanitize.ts';
import type { Context } from '../command/context.ts';
import { choosePaint } from './format-records.ts';

/** The output of a run whose flags may be invalid. */
interface FailureOutput {
  readonly getFlags: () => readonly string[];
  readonly printsJson: () => boolean;
  readonly isDebug: boolean;
  /** The notes and warnings of a run that prints JSON. */
  readonly warnings: readonly string[];
}

/** Prints a failure to stderr: a line, its field errors and a hint, or one JSON object. */
export async function printFailure(
  failure: Failure,
  { streams: { stderr }, runtime: { env, now } }: Pick<Context, 'streams' | 'runtime'>,
  { getFlags, printsJson, isDebug, warnings }: FailureOutput,
): Promise<void> {
  if (failure.detail.isQuiet) return;
  if (printsJson()) {
    const { toErrorDocument } = await import('../../contract/documents/error.ts');
    const error = { ...toErrorDocument(failure, now()), ...(warnings.length > 0 && { warnings }) };
    const text = JSON.stringify({ error }, null, 2);
    await stderr.write(`${stderr.isTerminal ? sanitizeJson(text) : text}\n`);
    return;
  }
  const flags = getFlags();
  const { message, detail } = failure;
  const paint = flags.includes('--no-color') ? plainPaint : await choosePaint(stderr, env);
  const width = stderr.isTerminal ? stderr.columns : undefined;
  const wrap = (text: string, indent: number) => wrapParagraph(sanitizeLine(text), width, indent);
  const lines = [`${paint.red('kith:')} ${wrap(message, 6)}`];
  const fieldErrors = detail.fieldErrors ?? [];
  if (fieldErrors.length > 1)
    lines.push(...fieldErrors.map(({ pointer, message }) => `  ${wrap(`${pointer}: ${message}`, 2)}`));
  const { hint, commands = [] } = detail;
  // A command is not wrapped, so that it can be copied.
  const hints = commands.length > 0 ? commands.map(sanitizeLine) : hint === undefined ? [] : [wrap(hint, 6)];
  lines.push(...hints.map((text, index) => `${index === 0 ? paint.yellow('hint:') : '     '} ${text}`));
  if ((isDebug || flags.includes('--debug') || flags.includes('-v')) && failure.cause instanceof Error)
    lines.push(sanitizeLines(failure.cause.stack ?? ''));
  await stderr.write(`${lines.join('\n')}\n`);
}
