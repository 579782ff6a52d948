import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../client/client.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { accessFile } from '../files/disk-errors.ts';
import { makeFolder } from '../files/permissions.ts';
import { toStoredWorkspace, type WorkspaceIdentity } from '../files/workspace-identity.ts';
import { yieldToSignals } from '../values/concurrency.ts';
import type { ArchiveNoun } from './archive.ts';
import { archiveNouns, toRecordFile } from './archive-nouns.ts';
import { type Manifest, manifestName, type RecordFile } from './manifest.ts';
import { createServiceReader, type Pages, readRecording } from './read-workspace.ts';

export interface BackupOptions {
  readonly client: Client;
  readonly workspace: WorkspaceIdentity;
  /** The archive folder. Created if missing. */
  readonly folder: string;
  readonly version: string;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onProgress?: (noun: ArchiveNoun, done: number, total: number | undefined) => void;
}

/** Writes all records of a workspace to an archive folder. */
export async function backUp(options: BackupOptions): Promise<Manifest> {
  const { folder, workspace, version, now } = options;
  const started_at = now().toISOString();
  accessFile('write', folder, () => makeFolder(folder, 0o700));
  const files: Partial<Record<ArchiveNoun, RecordFile>> = {};
  for (const noun of archiveNouns) files[noun] = await writeNoun(noun, options);
  const manifest: Manifest = {
    kith_archive: 1,
    kith_version: version,
    started_at,
    completed_at: now().toISOString(),
    ...toStoredWorkspace(workspace),
    files: files as Manifest['files'], // one for each noun
  };
  await writeFileAtomically(
    join(folder, manifestName),
    [`${JSON.stringify(manifest, undefined, 2)}\n`],
    0o600,
  );
  return manifest;
}

async function writeNoun(
  noun: ArchiveNoun,
  { client, folder, signal, onProgress }: BackupOptions,
): Promise<RecordFile> {
  const path = join(folder, toRecordFile(noun));
  const hash = createHash('sha256');
  const counts = { records: 0, bytes: 0 };
  const file = accessFile('write', path, () => openSync(path, 'w', 0o600));
  try {
    for await (const { records, total } of readNoun(noun, client)) {
      const bytes = Buffer.from(records.map(({ text }) => `${toLine(text)}\n`).join(''));
      accessFile('write', path, () => writeSync(file, bytes));
      hash.update(bytes);
      counts.records += records.length;
      counts.bytes += bytes.length;
      onProgress?.(noun, counts.records, total);
      await yieldToSignals(signal);
    }
  } finally {
    closeSync(file);
  }
  return { ...counts, sha256: hash.digest('hex') };
}

/** Returns a JSON text as one line. A line break in JSON is always between values. */
const toLine = (text: string) => text.replace(/[\r\n]+/g, '');

/** Reads the records of a noun. Recordings are read meeting by meeting. */
async function* readNoun(noun: ArchiveNoun, client: Client): Pages<ArchiveNoun> {
  const reader = createServiceReader(client);
  if (noun === 'events') return yield* reader.meetings();
  if (noun === 'entries') return yield* reader.entries(() => {});
  if (noun !== 'recordings') return yield* reader.pages(noun);
  for await (const { records } of reader.meetings())
    for (const { id } of records.flatMap(({ value }) => value.recordings)) {
      const recording = await readRecording(reader, id);
      if (recording) yield { records: [recording], total: undefined, hasMore: true };
    }
}
