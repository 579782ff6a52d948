import loading from 'jq-web';
import { Failure } from '../../contract/errors.ts';

export type JqEnvironment = Readonly<Record<string, string | undefined>>;

/** The exit code of jq for an invalid expression. */
const syntaxError = 3;

/** Checks a jq expression. @throws {Failure} usage if it is invalid. */
export async function checkJq(expression: string): Promise<void> {
  await execute('', expression); // without input jq only compiles the expression
}

/**
 * Applies a jq expression to JSON texts. `env`: the variables that it may read. Returns a line for each result: a string as raw text, anything else as JSON.
 * @throws {Failure} failed if the expression does not fit the data.
 */
export async function runJq(json: string, expression: string, env: JqEnvironment): Promise<string[]> {
  if (json.trim() === '') return [];
  // Otherwise, jq compiled to WebAssembly has an environment of its own.
  const usesEnv = /\benv\b|\$ENV\b/.test(expression);
  const lines = (
    usesEnv
      ? await execute(replaceSurrogates(json), `$kith as $ENV | def env: $kith; ${expression}`, env)
      : await execute(replaceSurrogates(json), expression)
  ).split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => (line.startsWith('"') ? String(JSON.parse(line)) : line));
}

/** Replaces unpaired surrogates, at which jq would exit, by U+FFFD. */
function replaceSurrogates(json: string): string {
  if (!/\\ud[89ab]/i.test(json)) return json;
  return json.replace(/\\(?:u(d[89ab][0-9a-f]{2})(\\ud[c-f][0-9a-f]{2})?|.)/gi, (whole, high, low) =>
    high !== undefined && low === undefined ? '\\ufffd' : whole,
  );
}

async function execute(json: string, expression: string, env?: JqEnvironment): Promise<string> {
  const jq = await loading;
  try {
    // `--` allows an expression that begins with a minus.
    const variables = env ? ['--argjson', 'kith', JSON.stringify(env)] : [];
    return jq.raw(json, expression, ['-c', ...variables, '--']) ?? '';
  } catch (cause) {
    const { exitCode, stderr } = { exitCode: 0, stderr: '', ...(cause instanceof Error ? cause : {}) };
    const [line = ''] = String(stderr).split('\n');
    const reason = line.replace(/^jq: (error: |error \([^)]*\): )?| at <top-level>, line \d+:?$/g, '');
    throw exitCode === syntaxError
      ? new Failure('usage', `--jq: "${expression}" is not a valid jq expression: ${reason}`, { cause })
      : new Failure('failed', `--jq: ${reason || 'jq failed without a message'}`, { cause });
  }
}
