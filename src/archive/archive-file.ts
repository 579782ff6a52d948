import { closeSync, createReadStream, openSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { Failure, getErrorCode } from '../contract/errors.ts';
import { orderedNouns } from '../contract/singular-nouns.ts';
import { accessFile, createFileFailure } from '../files/disk-errors.ts';
import { isNewerFailure, parseContent, readDocument } from '../files/durable-file.ts';
import { openOutputFile } from '../files/output-file.ts';
import { Archive } from './archive.ts';
import { removeFolder, stateFiles } from './archive-folder.ts';
import { toRecordFile } from './archive-nouns.ts';
import { type Manifest, manifestFormat, manifestName } from './manifest.ts';
import { createTarHeader, createTarPadding, readTar, tarEnd } from './tar.ts';

/** The largest manifest in bytes. It is read into memory. */
const maxManifestSize = 64 * 1024 * 1024;

/** Writes an archive as one .tar.gz file, by an atomic rename. Returns its size in bytes. */
export async function writeArchiveFile(
  archive: Archive,
  path: string,
  pid: number,
  signal: AbortSignal,
): Promise<number> {
  const output = openOutputFile(path, pid, 0o600);
  let size = 0;
  try {
    const blocks = Readable.from(readTarBlocks(archive), { objectMode: false });
    const gzip = createGzip();
    // After a failed write, a pipeline would report only that it was aborted.
    blocks.on('error', (error) => gzip.destroy(error));
    for await (const chunk of blocks.pipe(gzip)) {
      signal.throwIfAborted();
      output.write(chunk);
      size += chunk.length;
    }
    output.commit();
    return size;
  } finally {
    output.discard();
  }
}

function* readTarBlocks(archive: Archive): Generator<Buffer> {
  const { manifest } = archive;
  const mtime = Math.floor(Date.parse(manifest.completed_at) / 1000);
  const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
  yield Buffer.concat([
    createTarHeader({ name: manifestName, size: text.length }, mtime),
    text,
    createTarPadding(text.length),
  ]);
  for (const noun of orderedNouns) {
    const file = archive.getFile(noun);
    const { size } = file;
    yield createTarHeader({ name: toRecordFile(noun), size }, mtime);
    yield* file.readChunks();
    const padding = createTarPadding(size);
    if (padding.length > 0) yield padding;
  }
  yield tarEnd;
}

/**
 * Opens an archive: a folder, or a .tar.gz file, which is extracted to a temporary folder until the archive is closed.
 * @throws {Failure} not_found if it does not exist, failed if it is damaged or not an archive
 */
export async function openArchivePath(path: string): Promise<Archive> {
  const stats = accessFile('read', path, () => statSync(path, { throwIfNoEntry: false }));
  if (!stats?.isFile()) return Archive.open(path);
  const folder = await mkdtemp(join(tmpdir(), 'kith-archive-'));
  try {
    await extract(path, folder);
    const archive = Archive.open(folder);
    archive.onClose = () => removeFolder(folder);
    return archive;
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}

/** Returns the manifest of a .tar.gz file that `writeArchiveFile` wrote; undefined for any other file. */
export async function readArchiveManifest(path: string): Promise<Manifest | undefined> {
  try {
    for await (const { name, size, bytes } of readFiles(path)) {
      if (name !== manifestName || size > maxManifestSize) return undefined;
      const parts: Buffer[] = [];
      for await (const part of bytes) parts.push(part);
      return parseContent(manifestFormat, path, Buffer.concat(parts));
    }
  } catch (error) {
    if (!(error instanceof Failure) || isNewerFailure(error)) throw error;
  }
  return undefined;
}

const createDamageFailure = (path: string, problem: string, cause?: unknown) =>
  new Failure('failed', `${path} is not a kith archive, or it is damaged: it has ${problem}.`, {
    cause,
    hint: 'Create one: kith workspace backup --archive FILE.tar.gz',
  });

/** Yields the files of a .tar.gz file. */
const readFiles = (path: string) => readTar(readGzip(path), (problem) => createDamageFailure(path, problem));

async function* readGzip(path: string): AsyncGenerator<Buffer> {
  const source = createReadStream(path);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip);
  } catch (error) {
    if (getErrorCode(error).startsWith('Z_')) throw createDamageFailure(path, 'damaged gzip data', error);
    throw createFileFailure('read', path, error);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

/** Extracts an archive. Only the files of an archive are written, under their own names. */
async function extract(path: string, folder: string): Promise<void> {
  const sizes = new Map<string, number>();
  for await (const { name, size, bytes } of readFiles(path)) {
    if (!stateFiles.includes(name)) throw createDamageFailure(path, `the file ${JSON.stringify(name)}`);
    if (sizes.has(name)) throw createDamageFailure(path, `two files ${name}`);
    sizes.set(name, size);
    checkSize(path, folder, name, size);
    await extractFile(join(folder, name), bytes);
  }
  const manifest = readDocument(manifestFormat, join(folder, manifestName));
  if (!manifest) throw createDamageFailure(path, 'no manifest.json');
  for (const noun of orderedNouns)
    if (sizes.get(toRecordFile(noun)) !== manifest.files[noun].bytes)
      throw createDamageFailure(path, `a ${toRecordFile(noun)} of another size than its manifest says`);
}

/** Checks that a file fits on the disk. A small .tar.gz file may contain a huge one. */
function checkSize(path: string, folder: string, name: string, size: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (size <= (name === manifestName ? maxManifestSize : bavail * bsize)) return;
  throw new Failure('failed', `${path} is too large to extract: its ${name} has ${size} bytes.`, {
    hint: `Free space in ${tmpdir()}, or set TMPDIR to a folder on another disk.`,
  });
}

async function extractFile(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const file = accessFile('write', path, () => openSync(path, 'w', 0o600));
  try {
    for await (const part of bytes) accessFile('write', path, () => writeFileSync(file, part));
  } finally {
    closeSync(file);
  }
}
