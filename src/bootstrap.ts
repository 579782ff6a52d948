import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { version } from '../package.json';

/**
 * Runs the program. Prints the version and prebuilt help texts without loading it. `extensions`: the module loaders of
 * Node, for the compile cache; undefined when run from source.
 */
export async function start(extensions?: NodeJS.RequireExtensions): Promise<void> {
  const words = process.argv.slice(2);
  const text = findPrebuiltText(words);
  if (text !== undefined) {
    print(text);
    return;
  }
  hideSqliteWarning();
  // Node.js reads the name of a zone itself.
  if (/[^A-Za-z/_]|^\//.test(process.env.TZ ?? ''))
    await import('./process/time-zone.ts')
      .catch(reportBrokenInstallation)
      .then(({ normalizeTimeZone }) => normalizeTimeZone(process.env, -new Date().getTimezoneOffset()));
  if (isCompletion(words)) {
    // A bundle of its own: a person who presses Tab should not wait for the rest of the program.
    const { complete } = await import('./completion/complete.ts').catch(reportBrokenInstallation);
    const place = {
      env: process.env,
      get folder() {
        return process.cwd();
      },
    };
    print(complete(words, place));
    return;
  }
  const noun = parseNoun(words);
  // doctor must run even if the compile cache is broken.
  if (extensions && noun !== 'doctor') {
    const { installCompileCache } = await import('./process/compile-cache.ts').catch(
      reportBrokenInstallation,
    );
    installCompileCache(process, extensions, { noun, isWritable: !isHelp(words) });
  }
  await (await import('./main.ts').catch(reportBrokenInstallation)).main(version);
}

/** Hides the warning of Node 22 that its SQLite is experimental: cron would mail it. */
function hideSqliteWarning(): void {
  const warn = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: [never]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature'))
      warn.call(process, warning, ...rest);
  }) as typeof process.emitWarning; // the three signatures are passed on
}

const isHelpFlag = (word: string) => word === '-h' || word === '--help';

const isHelp = (words: readonly string[]) => words[0] === 'help' || words.some(isHelpFlag);

/** Whether a completion script asks for candidates. An alias of the shell may have flags before the word. */
const isCompletion = (words: readonly string[]) =>
  /^(?:(?:--(?:profile|base-url)\n.*|--[a-z-]+=.*|--(?:debug|json|no-[a-z]+|offline|quiet|wide|yes)|-[qvy])\n)*complete(?:\n|$)/.test(
    words.join('\n'),
  );

function findPrebuiltText(words: readonly string[]): string | undefined {
  if (/^(-[Vv]|--version)$/.test(words.join(' '))) return `${version}\n`;
  if (!isHelp(words) || words.length > 2) return undefined;
  const [first = '', second] = words;
  if (second === undefined) return readHelp('help');
  const noun = parseNoun([first === 'help' ? second : first]);
  const isGuide = first === 'help' && guides.test(second);
  return noun === undefined || isGuide ? undefined : readHelp(`help/${noun}`);
}

/** The guides with the name of a command: `kith help agents` prints the guide. */
const guides = /^(agents|brief|meetings|search)$/;

/** Returns the first word if it may be a noun and a file name. */
const parseNoun = ([first = '']: readonly string[]) => (/^[a-z][a-z-]*$/.test(first) ? first : undefined);

/** Reads a help text written by the build; undefined if there is none, or if the terminal is too narrow for it. */
function readHelp(name: string): string | undefined {
  try {
    const help = readFileSync(`${import.meta.dirname}/${name}.txt`, 'utf8');
    const terminal = () => fstatSync(1).isCharacterDevice() && process.stdout.columns;
    const columns = Number(process.env.COLUMNS) || terminal() || Number.POSITIVE_INFINITY;
    // Examples are not wrapped.
    const isFitting = (line: string) => line.length <= columns || line.startsWith('  $ ');
    return help.split('\n').every(isFitting) ? help : undefined;
  } catch {
    return undefined; // an alias, a topic, or run from source
  }
}

/** Prints a text directly, because opening a stream of Node takes longer than all the rest. A stream gets the remainder. */
function print(text: string): void {
  let bytes = Buffer.from(text);
  try {
    bytes = bytes.subarray(writeSync(1, bytes));
  } catch {
    // The stream waits for a slow reader, or reports the error.
  }
  if (bytes.length > 0) process.stdout.on('error', reportWriteError).write(bytes);
}

/** Reports a failed write as `run` does: a closed pipe is not an error, a full disk is. */
async function reportWriteError(error: NodeJS.ErrnoException): Promise<void> {
  if (error.code === 'EPIPE') return;
  process.exitCode = 1;
  const { toFailure } = await import('./contract/errors.ts').catch(reportBrokenInstallation);
  process.stderr.on('error', () => {}).write(`kith: ${toFailure(error).message}\n`);
}

/** Reports a missing or unreadable file of the program. Never resolves, so that the process ends. */
function reportBrokenInstallation(error: Error): Promise<never> {
  const [line] = error.message.split('\n');
  process.stderr.write(`kith: Unexpected error: ${line}\nhint: Reinstall kith.\n`);
  process.exitCode = 1;
  return new Promise(() => {});
}
