import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file that holds what came as bytes, for as long as it is read. */
export interface Spool {
  readonly path: string;
  remove(): Promise<void>;
}

/** Keeps what comes as bytes in a file: a sheet is read more than once. */
export async function spooled(bytes: AsyncIterable<Uint8Array>): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'kith-import-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'stdin.kith-tmp');
    const file = await open(path, 'w', 0o600);
    try {
      for await (const chunk of bytes) await file.appendFile(chunk);
    } finally {
      await file.close();
    }
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** What stands for the bytes of a file, and for what is done with them. */
export async function fingerprintOf(file: string, manner: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(manner));
  for await (const bytes of createReadStream(file)) hash.update(bytes);
  return hash.digest('base64url');
}
