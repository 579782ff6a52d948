import type { Failure } from '../../contract/errors.ts';
import { plainPaint } from '../../render/text/paint.ts';
import { wrapParagraph } from '../../render/text/paragraph.ts';
import { sanitizeJson, sanitizeLine, sanitizeLines } from '../../render/text/sanitize.ts';
import type { Session } from '../command/context.ts';
import { choosePaint } from './format-records.ts';

/** Prints a failure to stderr: a line, its field errors and a hint, or one JSON object. `flags`: the typed flags. */
export async function printFailure(
  failure: Failure,
  { stderr, env, now }: Pick<Session, 'stderr' | 'env' | 'now'>,
  flags: readonly string[],
  isDebug: boolean,
): Promise<void> {
  if (wantsJson(flags, env)) {
    const { toErrorDocument } = await import('../../contract/documents/error.ts');
    const text = JSON.stringify({ error: toErrorDocument(failure, now()) }, null, 2);
    await stderr.write(`${stderr.isTerminal ? sanitizeJson(text) : text}\n`);
    return;
  }
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

/** Whether failures are printed as JSON, even if the command line is invalid. */
function wantsJson(flags: readonly string[], { KITH_JSON }: Session['env']): boolean {
  const formats = flags.flatMap((word, index) => {
    if (word === '--format') return [flags[index + 1]];
    return word.startsWith('--format=') ? [word.slice('--format='.length)] : [];
  });
  const hasFlag = flags.some((word) => word === '--json' || word === '--json-envelope');
  // A format flag overrides the variable.
  return hasFlag || formats.includes('json') || (KITH_JSON === 'envelope' && formats.length === 0);
}
