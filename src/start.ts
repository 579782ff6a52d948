import { readFileSync } from 'node:fs';
import { version } from '../package.json';

/** Runs the program. The two questions that need nothing of it are answered without loading it. */
export async function start(): Promise<void> {
  const said = answerTo(process.argv.slice(2));
  if (said !== undefined) process.stdout.on('error', unsaid).write(said);
  else await (await import('./main.ts')).main(version);
}

function answerTo([only, ...others]: readonly string[]): string | undefined {
  if (only === undefined || others.length > 0) return undefined;
  // The version is asked for by scripts before each run.
  if (/^(-V|--version)$/.test(only)) return `${version}\n`;
  return /^(-h|--help|help)$/.test(only) ? keptHelp() : undefined;
}

/** The help as the build kept it, where the terminal has room for its lines; undefined where it is to be laid out. */
function keptHelp(): string | undefined {
  try {
    const help = readFileSync(new URL('help.txt', import.meta.url), 'utf8');
    const columns = process.stdout.columns || Number.POSITIVE_INFINITY;
    return help.split('\n').every(({ length }) => length <= columns) ? help : undefined;
  } catch {
    return undefined; // run from its source, or while it is built
  }
}

/** What `run` says of a write that fails, without loading it: a closed pipe is no failure, a full disk is. */
function unsaid({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return;
  process.exitCode = 1;
  const text = code === 'ENOSPC' ? 'There is no space left to write to.' : `Unexpected: ${message}`;
  process.stderr.on('error', () => {}).write(`kith: ${text}\n`);
}
