import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { version } from '../package.json';

/**
 * Runs the program. What needs nothing of it, the version and the help of a noun, is said without loading it.
 * `extensions`: how Node loads the files of the bundle; from source there is another program that compiles.
 */
export async function start(extensions?: NodeJS.RequireExtensions): Promise<void> {
  const words = process.argv.slice(2);
  const said = answerTo(words);
  if (said !== undefined) {
    say(said);
    return;
  }
  const noun = nounIn(words);
  // doctor is to run also where what is kept breaks all else.
  if (extensions && noun !== 'doctor') {
    const { installCompileCache } = await import('./process/compile-cache.ts').catch(brokenOff);
    installCompileCache(process, extensions, { noun, keeps: !asksForHelp(words) });
  }
  await (await import('./main.ts').catch(brokenOff)).main(version);
}

const isHelpFlag = (word: string) => word === '-h' || word === '--help';

const asksForHelp = (words: readonly string[]) => words[0] === 'help' || words.some(isHelpFlag);

function answerTo(words: readonly string[]): string | undefined {
  // The version is asked for by scripts before each run.
  if (/^(-V|--version)$/.test(words.join(' '))) return `${version}\n`;
  if (!asksForHelp(words) || words.length > 2) return undefined;
  const [first = '', second] = words;
  if (second === undefined) return keptHelp('help');
  const noun = nounIn([first === 'help' ? second : first]);
  return noun === undefined ? undefined : keptHelp(`help/${noun}`);
}

/** The first word, where it may be a noun and the name of a file. */
const nounIn = ([first = '']: readonly string[]) => (/^[a-z][a-z-]*$/.test(first) ? first : undefined);

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

/** What `run` says of a write that fails: a closed pipe is no failure, a full disk is. */
async function unsaid(error: NodeJS.ErrnoException): Promise<void> {
  if (error.code === 'EPIPE') return;
  process.exitCode = 1;
  const { toFailure } = await import('./contract/errors.ts').catch(brokenOff);
  process.stderr.on('error', () => {}).write(`kith: ${toFailure(error).message}\n`);
}

/** A part of the program that is not there, or cannot be read: nothing is left to do, and the process ends. */
function brokenOff(error: Error): Promise<never> {
  const [line] = error.message.split('\n');
  process.stderr.write(`kith: Unexpected: ${line}\nhint: Reinstall kith.\n`);
  process.exitCode = 1;
  return new Promise(() => {});
}
