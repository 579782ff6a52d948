import loading from 'jq-web';
import { Failure } from '../contract/errors.ts';

/** What jq ends with where it cannot read the expression. */
const notCompiled = 3;

/** Throws `usage` for what is no jq expression. */
export async function checkJq(expression: string): Promise<void> {
  await ranOn('', expression); // without input it only reads the expression
}

/**
 * What a jq expression, by real jq, makes of JSON texts: a line for each result, a text as it is, anything else
 * as JSON. Throws `failed` where it does not fit the data.
 */
export async function runJq(json: string, expression: string): Promise<string[]> {
  if (json.trim() === '') return [];
  const lines = (await ranOn(wellFormed(json), expression)).split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => (line.startsWith('"') ? String(JSON.parse(line)) : line));
}

/** Half of a character, which JSON may hold, ends jq: the sign for what is no character stands in its place. */
function wellFormed(json: string): string {
  if (!/\\ud[89ab]/i.test(json)) return json;
  return json.replace(/\\(?:u(d[89ab][0-9a-f]{2})(\\ud[c-f][0-9a-f]{2})?|.)/gi, (whole, high, low) =>
    high !== undefined && low === undefined ? '\\ufffd' : whole,
  );
}

async function ranOn(json: string, expression: string): Promise<string> {
  const jq = await loading;
  try {
    // Flags end before the expression: one that begins with a minus is still an expression.
    return jq.raw(json, expression, ['-c', '--']) ?? '';
  } catch (error) {
    throw failureFrom(error, expression);
  }
}

function failureFrom(error: unknown, expression: string): Failure {
  const { exitCode, stderr } = { exitCode: 0, stderr: '', ...(error instanceof Error ? error : {}) };
  const said =
    String(stderr)
      .split('\n')[0]
      ?.replace(/^jq: (error: |error \([^)]*\): )?| at <top-level>, line \d+:?$/g, '') ?? '';
  return exitCode === notCompiled
    ? new Failure('usage', `--jq: "${expression}" is not a jq expression: ${said}`, { cause: error })
    : new Failure('failed', `--jq: ${said || 'jq ended without a word'}`, { cause: error });
}
