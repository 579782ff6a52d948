import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { makeFolder } from './disk/make-folder.ts';
import { cacheFolder } from './settings/places.ts';

interface Compiled {
  readonly file: string;
  readonly script: Script;
}

/**
 * Keeps what the engine makes of the files beside this one, and takes it from there the next time: to compile them
 * takes a quarter of a command. Node's own `enableCompileCache`, from 22 on, keeps half of it. Where nothing can be
 * kept they are compiled each time.
 */
export function keepCompiled({ env, argv, version, arch }: NodeJS.Process): void {
  // Node's own switch.
  if (env.NODE_DISABLE_COMPILE_CACHE) return;
  try {
    const folder = join(cacheFolder(env), 'compiled');
    // What another user put there is not to be run.
    if (isOpen(folder)) return;
    const keep = takeFrom(join(folder, `${version}-${arch}`));
    // By the end it is known which functions a command calls; the others are not kept. A help leaves nothing behind.
    if (!argv.some((word) => /^(-h|--help|help)$/.test(word))) process.on('exit', keep);
  } catch {
    // There is no home, or it may not be read.
  }
}

/** Whether another user may have put something into a folder. */
function isOpen(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found || process.getuid === undefined) return false;
  return found.uid !== process.getuid() || (found.mode & 0o022) !== 0;
}

/** Gives what keeps the files that were not there. */
function takeFrom(folder: string): () => void {
  const own = import.meta.dirname;
  const { extensions } = Module.createRequire(import.meta.filename);
  const usual = extensions['.js'];
  const anew: Compiled[] = [];
  extensions['.cjs'] = (loaded, path) => {
    if (dirname(path) !== own) return usual?.(loaded, path);
    // The name of a chunk holds the hash of its text: what is kept under it was made of no other.
    const file = join(folder, basename(path));
    const cachedData = keptAt(file);
    const script = new Script(Module.wrap(readFileSync(path, 'utf8')), {
      filename: path,
      ...(cachedData && { cachedData }),
    });
    if (!cachedData || script.cachedDataRejected) anew.push({ file, script });
    const { exports } = loaded;
    const required = (id: string) => loaded.require(id);
    script.runInThisContext().call(exports, exports, required, loaded, path, own);
  };
  return () => {
    if (anew.length > 0) keepIn(folder, anew);
  };
}

/** What was kept, where it is whole: the engine would run what a disk has left of it. */
function keptAt(file: string): Buffer | undefined {
  try {
    const kept = readFileSync(file);
    const data = kept.subarray(sumLength);
    return kept.readUInt32LE() === crc32(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes of the checksum with which a file begins; the data behind it lies at a multiple of eight. */
const sumLength = 8;

function withSum(data: Buffer): Buffer {
  const sum = Buffer.alloc(sumLength);
  sum.writeUInt32LE(crc32(data));
  return Buffer.concat([sum, data]);
}

/** Each file appears whole or not at all: others may read it now. */
function keepIn(folder: string, anew: readonly Compiled[]): void {
  try {
    makeFolder(folder);
    removeOld(folder);
    for (const { file, script } of anew) {
      const draft = `${file}.${process.pid}`;
      try {
        writeFileSync(draft, withSum(script.createCachedData()), { mode: 0o600 });
        renameSync(draft, file);
      } catch {
        rmSync(draft, { force: true });
      }
    }
  } catch {
    // The next run compiles again.
  }
}

/** Files of a version that was replaced: another one that is installed too must not lose its own. */
function removeOld(folder: string): void {
  const old = Date.now() - 30 * 86_400_000;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!existsSync(join(import.meta.dirname, name)) && statSync(path).mtimeMs < old) rmSync(path);
  }
}
