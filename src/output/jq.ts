import loading from 'jq-web';
import { Failure } from '../contract/errors.ts';

/** Filters JSON texts; gives a line for each result: a text as it is, anything else as JSON. */
export type Filter = (json: string) => string[];

/** What jq ends with where it cannot read the expression. */
const notCompiled = 3;

/**
 * A jq expression as a filter, by real jq. The filter throws `usage` for an expression that is none, and
 * `failed` where it does not fit the data.
 */
export async function jqFor(expression: string): Promise<Filter> {
  const jq = await loading;
  const run = (json: string): string => {
    try {
      // Flags end before the expression: one that begins with a minus is still an expression.
      return jq.raw(json, expression, ['-c', '--']) ?? '';
    } catch (error) {
      throw failureFrom(error, expression);
    }
  };
  run(''); // without input it only reads the expression
  return (json) => {
    if (json.trim() === '') return [];
    return run(json)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (line.startsWith('"') ? String(JSON.parse(line)) : line));
  };
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
