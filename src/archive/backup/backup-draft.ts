import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { type Noun, orderedNouns } from '../../contract/singular-nouns.ts';
import type { WorkspaceRecords } from '../../contract/workspace.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { Journal, readLines } from '../../files/journal.ts';
import { makeFolder } from '../../files/permissions.ts';
import {
  compareWorkspace,
  toStoredWorkspace,
  type WorkspaceIdentity,
} from '../../files/workspace-identity.ts';
import { type RawJson, UnparsedJson } from '../../values/raw-json.ts';
import { type Archive, createParser } from '../archive.ts';
import { nextName, progressName, removeFolder } from '../archive-folder.ts';
import { toRecordFile } from '../archive-nouns.ts';
import { RecordFile, StoredIdentity } from '../manifest.ts';

/** Milliseconds within which a backup continues a killed one. */
const maxAge = 12 * 3_600_000;

/** The first line of the journal. `base`: when the archive that the backup updates was completed. */
const Header = v.object({
  started_at: v.string(),
  base: v.nullable(v.string()),
  workspace: v.string(),
  identity: StoredIdentity,
});

const NounResult = v.object({
  noun: v.picklist(orderedNouns),
  file: RecordFile,
  /** Whether the file is that of the archive that the backup updates. */
  is_same: v.boolean(),
  /** The number of records that were received, and that were copied from the archive. */
  requested: v.number(),
  reused: v.number(),
  is_unread: v.optional(v.boolean()),
  /** Whether the service sent fewer records than it announced. */
  is_short: v.optional(v.boolean()),
  unread_lists: v.optional(v.array(v.string())),
  meetings_until: v.optional(v.number()),
});
export type NounResult = Readonly<v.InferOutput<typeof NounResult>>;

/** A recording that could not be read, or is not done yet. Its line comes before the record. */
const RecordingState = v.object({ recording: v.string(), state: v.picklist(['unread', 'pending']) });

const Line = v.union([Header, NounResult, RecordingState]);

interface DraftOptions {
  readonly folder: string;
  readonly workspace: WorkspaceIdentity;
  /** The archive that the backup updates. */
  readonly base: Archive | undefined;
  readonly now: Date;
}

/** The next state of an archive: the files that a backup has written so far, and the journal of its progress. */
export class BackupDraft {
  readonly folder: string;
  readonly startedAt: string;
  readonly results = new Map<Noun, NounResult>();
  /** The states of recordings that are not in the archive, or must be requested again by the next backup. */
  readonly recordings = new Map<string, 'unread' | 'pending'>();
  readonly #archiveFolder: string;
  readonly #journal: Journal;

  private constructor(archiveFolder: string, startedAt: string) {
    this.#archiveFolder = archiveFolder;
    this.folder = join(archiveFolder, nextName);
    this.startedAt = startedAt;
    this.#journal = new Journal(join(this.folder, progressName));
  }

  /** Opens the draft of a killed backup, if it is recent and of the same workspace; otherwise creates a new one. */
  static async open(options: DraftOptions): Promise<BackupDraft> {
    const { folder, workspace, base, now } = options;
    const draft = tryContinue(options, (startedAt) => new BackupDraft(folder, startedAt));
    if (draft) return draft;
    const next = join(folder, nextName);
    removeFolder(next);
    accessFile('write', next, () => makeFolder(next, 0o700));
    const started_at = now.toISOString();
    const header = { started_at, base: base?.manifest.completed_at ?? null, ...toStoredWorkspace(workspace) };
    await writeFileAtomically(join(next, progressName), [`${JSON.stringify(header)}\n`], 0o600);
    return new BackupDraft(folder, started_at);
  }

  /** Returns the path of a file of the next state. */
  getPath(noun: Noun): string {
    const isSame = this.results.get(noun)?.is_same ?? false;
    return join(isSame ? this.#archiveFolder : this.folder, toRecordFile(noun));
  }

  *records<N extends Noun>(noun: N): Generator<RawJson<WorkspaceRecords[N]>> {
    const parse = createParser(noun);
    for (const { text } of readLines(this.getPath(noun))) yield new UnparsedJson(text, parse);
  }

  /** Remembers the state of a recording, before its record is written. */
  setRecordingState(recording: string, state: 'unread' | 'pending'): void {
    this.recordings.set(recording, state);
    this.#journal.append(JSON.stringify({ recording, state }));
  }

  /** Remembers that a noun is complete. A file equal to that of the archive is removed. */
  complete(result: NounResult): void {
    const path = this.getPath(result.noun);
    this.#journal.append(JSON.stringify(result));
    this.results.set(result.noun, result);
    if (result.is_same) accessFile('write', path, () => rmSync(path, { force: true }));
  }

  /** Applies a line of the journal. Returns whether the files are as the line describes them. */
  apply(line: NounResult | v.InferOutput<typeof RecordingState>): boolean {
    if ('recording' in line) {
      this.recordings.set(line.recording, line.state);
      return true;
    }
    this.results.set(line.noun, line);
    return statSync(this.getPath(line.noun), { throwIfNoEntry: false })?.size === line.file.bytes;
  }

  /** Removes the incomplete last line of a killed backup. */
  truncate(size: number): void {
    if (this.#journal.size > size) this.#journal.truncate(size);
  }

  close(): void {
    this.#journal.close();
  }
}

/** Reads the journal of a killed backup. Returns undefined if it cannot be continued. */
function tryContinue(
  { folder, workspace, base, now }: DraftOptions,
  create: (startedAt: string) => BackupDraft,
): BackupDraft | undefined {
  const path = join(folder, nextName, progressName);
  if (!existsSync(path)) return undefined;
  let draft: BackupDraft | undefined;
  let isUsable = false;
  let end = 0;
  try {
    for (const { text, next } of readLines(path)) {
      const line = v.parse(Line, JSON.parse(text));
      // The key may have read access now.
      if ('is_unread' in line && line.is_unread) {
        isUsable = line.noun !== 'events';
        break;
      }
      end = next;
      if ('started_at' in line) {
        const age = now.getTime() - Date.parse(line.started_at);
        const isSame = compareWorkspace(line, workspace) === 'same' && line.base === getBaseTime(base);
        isUsable = isSame && age >= 0 && age < maxAge;
        if (!isUsable) return undefined;
        draft = create(line.started_at);
      } else if (!draft?.apply(line)) {
        isUsable = false;
        return undefined;
      }
    }
    if (!isUsable) return undefined;
    draft?.truncate(end);
    return draft;
  } catch {
    isUsable = false;
    return undefined; // a power failure may have damaged the journal
  } finally {
    if (!isUsable) draft?.close();
  }
}

const getBaseTime = (base: Archive | undefined) => base?.manifest.completed_at ?? null;
