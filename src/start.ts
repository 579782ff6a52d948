import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { version } from '../package.json';

/** Runs the program. What needs nothing of it, the version and the help of a noun, is said without loading it. */
export async function start(): Promise<void> {
  const said = answerTo(process.argv.slice(2));
  if (said !== undefined) {
    say(said);
    return;
  }
  // From source there is another program that compiles.
  if (!import.meta.filename.endsWith('.ts'))
    (await import('./compiled.ts').catch(brokenOff)).keepCompiled(process);
  await (await import('./main.ts').catch(brokenOff)).main(version);
}

function answerTo(words: readonly string[]): string | undefined {
  const line = words.join(' ');
  // The version is asked for by scripts before each run.
  if (/^(-V|--version)$/.test(line)) return `${version}\n`;
  if (/^(-h|--help|help)$/.test(line)) return keptHelp('help');
  const [, noun] = /^([a-z-]+) (?:-h|--help)$/.exec(line) ?? /^help ([a-z-]+)$/.exec(line) ?? [];
  return noun === undefined ? undefined : keptHelp(`help/${noun}`);
}

/** A help as the build kept it, where the terminal has room for its lines; undefined where it is to be laid out. */
function keptHelp(name: string): string | undefined {
  try {
    const help = readFileSync(`${import.meta.dirname}/${name}.txt`, 'utf8');
    const columns = (fstatSync(1).isCharacterDevice() && process.stdout.columns) || Number.POSITIVE_INFINITY;
    return help.split('\n').every(({ length }) => length <= columns) ? help : undefined;
  } catch {
    return undefined; // an alias, a topic, or the program runs from its source
  }
}

/** Writes at once what can be: to open Node's stream takes longer than all the rest. What is left goes through it. */
function say(text: string): void {
  let bytes = Buffer.from(text);
  try {
    bytes = bytes.subarray(writeSync(1, bytes));
  } catch {
    // The stream waits for a reader, and tells why it cannot write.
  }
  if (bytes.length > 0) process.stdout.on('error', unsaid).write(bytes);
}

/** What `run` says of a write that fails, without loading it: a closed pipe is no failure, a full disk is. */
function unsaid({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return;
  process.exitCode = 1;
  const text = code === 'ENOSPC' ? 'There is no space left to write to.' : `Unexpected: ${message}`;
  process.stderr.on('error', () => {}).write(`kith: ${text}\n`);
}

/** A part of the program that is not there, or cannot be read. */
function brokenOff(error: Error): never {
  const [line] = error.message.split('\n');
  process.stderr.write(`kith: Unexpected: ${line}\nhint: Install kith again.\n`);
  process.exit(1);
}
