import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { makeFolder } from '../files/permissions.ts';
import { resolveCacheFolder } from '../settings/paths.ts';
import { isTrustedFolder, readTrustedFile } from './trusted-folder.ts';

interface CompiledScript {
  readonly file: string;
  readonly script: Script;
}

/** A command line of which the first word may be a noun. */
interface CacheOptions {
  readonly noun: string | undefined;
  /** Whether what it compiles is worth keeping. */
  readonly keeps: boolean;
}

/**
 * Takes what the engine made of the files beside this one from where it was kept, and keeps what was not there: to
 * compile them takes a quarter of a command. It is kept for each noun, for they call other functions, and those that
 * the first run did not call would be compiled each time. Node's own `enableCompileCache`, from 22 on, keeps half of
 * it. Where nothing can be kept they are compiled each time.
 */
export function installCompileCache(
  process: NodeJS.Process,
  extensions: NodeJS.RequireExtensions,
  { noun, keeps }: CacheOptions,
): void {
  const { env, version, arch } = process;
  // Node's own switch.
  if (env.NODE_DISABLE_COMPILE_CACHE) return;
  try {
    const root = join(resolveCacheFolder(env), 'compiled');
    const node = `${version}-${arch}`;
    const folder = join(root, noun === undefined ? node : `${node}-${noun}`);
    // Never run code that another user could have put there.
    if (!isOurs(folder)) return;
    const fresh = compileThrough(extensions, folder);
    if (!keeps) return;
    // By the end it is known which functions a command calls; the others are not kept.
    process.on('exit', (code) => {
      // A word that is no noun ends with another code.
      if (fresh.length > 0 && code === 0) keepIn(folder, node, fresh);
    });
  } catch {
    // There is no home, or it may not be read.
  }
}

/** Whether no other user can write to or replace a folder or its parent, and neither is a link. */
function isOurs(folder: string): boolean {
  const user = process.getuid?.();
  return [dirname(folder), folder].every((path) => {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    return !isLink && (user === undefined || isTrustedFolder(path, user));
  });
}

/** From now on files beside this one are compiled from what is kept of them in a folder; gives those that were not there. */
function compileThrough(extensions: NodeJS.RequireExtensions, folder: string): readonly CompiledScript[] {
  const own = import.meta.dirname;
  const usual = extensions['.js'];
  const fresh: CompiledScript[] = [];
  extensions['.cjs'] = (loaded, path) => {
    if (dirname(path) !== own) return usual?.(loaded, path);
    // The name of a chunk holds the hash of its text: what is kept under it was made of no other.
    const file = join(folder, basename(path));
    const cachedData = keptAt(file);
    const script = new Script(moduleAt(path), {
      filename: path,
      ...(cachedData && { cachedData }),
    });
    if (!cachedData || script.cachedDataRejected) fresh.push({ file, script });
    const { exports } = loaded;
    const required = (id: string) => loaded.require(id);
    script.runInThisContext().call(exports, exports, required, loaded, path, own);
  };
  return fresh;
}

const opening = Buffer.from('(function (exports, require, module, __filename, __dirname) {');
const closing = Buffer.from('\n})');

/** A file as the function that Node makes of a module. It is joined as bytes: joined as text it would be in the heap twice. */
const moduleAt = (path: string) => Buffer.concat([opening, readFileSync(path), closing]).toString('latin1');

/**
 * What was kept, where it is whole: the engine would run what a disk has left of it. It is kept twice, and compared: a
 * checksum would bring node:zlib into every start, 2 ms.
 */
function keptAt(file: string): Buffer | undefined {
  try {
    const kept = readTrustedFile(file, process.getuid?.());
    if (!kept) return undefined;
    const half = kept.length / 2;
    const data = kept.subarray(0, half);
    return data.equals(kept.subarray(half)) ? data : undefined;
  } catch {
    return undefined;
  }
}

const twice = (data: Buffer) => Buffer.concat([data, data]);

/** Each file appears whole or not at all: others may read it now. */
function keepIn(folder: string, node: string, fresh: readonly CompiledScript[]): void {
  try {
    makeFolder(folder, 0o700);
    // Another user may have created one of these folders meanwhile.
    if (!isOurs(folder)) return;
    for (const { file, script } of fresh) keep(file, twice(script.createCachedData()));
    removeOld(dirname(folder), node);
  } catch {
    // The next run compiles again.
  }
}

function keep(file: string, data: Buffer): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, data, { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    rmSync(draft, { force: true });
  }
}

/**
 * Removes files of a version of kith or Node that was replaced: another one that is used too must not lose its own.
 * What is no file in a folder of a version was not put there by kith, nor what is behind a link.
 */
function removeOld(root: string, node: string): void {
  const old = Date.now() - 30 * 86_400_000;
  for (const folder of foldersIn(root)) {
    for (const file of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, file.name);
      const isOurs = basename(folder).startsWith(node) && existsSync(join(import.meta.dirname, file.name));
      if (file.isFile() && !isOurs && statSync(path).mtimeMs < old) rmSync(path);
    }
    if (readdirSync(folder).length === 0) rmdirSync(folder);
  }
}

function foldersIn(folder: string): string[] {
  const found = readdirSync(folder, { withFileTypes: true });
  return found.filter((one) => one.isDirectory()).map(({ name }) => join(folder, name));
}
