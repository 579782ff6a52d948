import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { makeFolder } from '../files/permissions.ts';
import { isTrustedFolder, readTrustedFile } from '../files/trusted-folder.ts';
import { resolveCacheFolder } from '../settings/paths.ts';

interface CompiledScript {
  readonly file: string;
  readonly script: Script;
}

/**
 * Loads the files of this folder from a cache of V8 bytecode, and adds missing ones at exit. `noun`: the first word of
 * the command line; each has its own cache, because it calls other functions, and only called functions are cached. Node's own compile cache
 * exists only from Node 22 on, and caches fewer functions. Any error means that the files are compiled as usual.
 */
export function installCompileCache(
  process: NodeJS.Process,
  extensions: NodeJS.RequireExtensions,
  { noun, isWritable }: { readonly noun: string | undefined; readonly isWritable: boolean },
): void {
  const { env, version, arch } = process;
  // The variable of Node's own compile cache.
  if (env.NODE_DISABLE_COMPILE_CACHE) return;
  try {
    const root = join(resolveCacheFolder(env), 'compiled');
    const engine = `${version}-${arch}`;
    const folder = join(root, noun === undefined ? engine : `${engine}-${noun}`);
    // Never run code that another user could have written.
    if (!isOwnFolder(folder)) return;
    const compiled = loadThroughCache(extensions, folder);
    if (!isWritable) return;
    process.on('exit', (code) => {
      // An unknown noun exits with another code.
      if (compiled.length > 0 && code === 0) writeCache(folder, engine, compiled);
    });
  } catch {
    // The cache folder is missing or unreadable.
  }
}

/** Returns whether no other user can write to or replace a folder or its parent, and neither is a link. */
function isOwnFolder(folder: string): boolean {
  return [dirname(folder), folder].every((path) => {
    const isLink = fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    return !isLink && isTrustedFolder(path);
  });
}

/** Makes Node load the files of this folder through the cache. Returns the scripts that were not in it. */
function loadThroughCache(extensions: NodeJS.RequireExtensions, folder: string): readonly CompiledScript[] {
  const programFolder = import.meta.dirname;
  const loadDefault = extensions['.js'];
  const compiled: CompiledScript[] = [];
  extensions['.cjs'] = (module, path) => {
    if (dirname(path) !== programFolder) return loadDefault?.(module, path);
    // The file name contains a hash of the code, so cached bytecode never belongs to other code.
    const file = join(folder, basename(path));
    const cachedData = readCached(file);
    const script = new Script(wrapModule(path), { filename: path, ...(cachedData && { cachedData }) });
    if (!cachedData || script.cachedDataRejected) compiled.push({ file, script });
    const { exports } = module;
    const requireFrom = (id: string) => module.require(id);
    script.runInThisContext().call(exports, exports, requireFrom, module, path, programFolder);
  };
  return compiled;
}

const opening = Buffer.from('(function (exports, require, module, __filename, __dirname) {');
const closing = Buffer.from('\n})');

/** Wraps a module in the function that Node calls. Joins bytes, because joined text would be in the heap twice. */
const wrapModule = (path: string) =>
  Buffer.concat([opening, fs.readFileSync(path), closing]).toString('latin1');

/** Reads undamaged bytecode. The file has two equal copies: a checksum would load node:zlib or node:crypto. */
function readCached(file: string): Buffer | undefined {
  try {
    const content = readTrustedFile(file);
    if (!content) return undefined;
    const half = content.length / 2;
    const data = content.subarray(0, half);
    return data.equals(content.subarray(half)) ? data : undefined;
  } catch {
    return undefined;
  }
}

function writeCache(folder: string, engine: string, compiled: readonly CompiledScript[]): void {
  try {
    makeFolder(folder, 0o700);
    // Another user may have created one of these folders meanwhile.
    if (!isOwnFolder(folder)) return;
    for (const { file, script } of compiled) {
      const data = script.createCachedData();
      writeAtomically(file, Buffer.concat([data, data]));
    }
    removeStale(dirname(folder), engine);
  } catch {
    // The next run compiles again.
  }
}

function writeAtomically(file: string, data: Buffer): void {
  const temporary = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(temporary, data, { mode: 0o600 });
    fs.renameSync(temporary, file);
  } catch {
    fs.rmSync(temporary, { force: true });
  }
}

/** Removes files that another version of kith or Node wrote more than 30 days ago. It may still be in use. */
function removeStale(root: string, engine: string): void {
  const oldest = Date.now() - 30 * 86_400_000;
  const folders = fs.readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) {
    const folder = join(root, name);
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const isCurrent = name.startsWith(engine) && fs.existsSync(join(import.meta.dirname, entry.name));
      if (entry.isFile() && !isCurrent && fs.statSync(path).mtimeMs < oldest) fs.rmSync(path);
    }
    if (fs.readdirSync(folder).length === 0) fs.rmdirSync(folder);
  }
}
