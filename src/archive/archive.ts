import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { Failure } from '../contract/errors.ts';
import { createRecordNormalizer } from '../contract/received.ts';
import { type Noun, orderedNouns } from '../contract/singular-nouns.ts';
import type { WorkspaceRecords } from '../contract/workspace.ts';
import { readDocument } from '../files/durable-file.ts';
import { Journal } from '../files/journal.ts';
import { parseJson, type RawJson, UnparsedJson } from '../values/raw-json.ts';
import { readRecordId } from '../values/record-id.ts';
import { resolveStateFile } from './archive-folder.ts';
import { recordRoutes, toRecordFile } from './archive-nouns.ts';
import { type Manifest, manifestFormat, manifestName } from './manifest.ts';

/**
 * A complete archive. Records are read from its files, so that memory does not grow with their number. The files stay
 * open: a backup into the same folder does not change what is read.
 */
export class Archive {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly #files: ReadonlyMap<Noun, Journal>;
  readonly #offsets = new Map<Noun, ReadonlyMap<string, number>>();

  /** Called once when the archive is closed. */
  onClose = () => {};

  private constructor(folder: string, manifest: Manifest, files: ReadonlyMap<Noun, Journal>) {
    this.folder = folder;
    this.manifest = manifest;
    this.#files = files;
  }

  /**
   * Opens an archive folder. `openArchivePath` also opens a .tar.gz file.
   * @throws {Failure} not_found if the folder has no manifest, failed if the manifest is damaged or a file is missing
   */
  static open(folder: string): Archive {
    for (let attempt = 1; ; attempt += 1) {
      const manifest = readDocument(manifestFormat, resolveStateFile(folder, manifestName));
      if (!manifest) throw createMissingFailure(folder);
      try {
        const files = openFiles(folder);
        // A backup may have replaced files in between.
        const { completed_at } = readDocument(manifestFormat, resolveStateFile(folder, manifestName)) ?? {};
        if (completed_at === manifest.completed_at || attempt > maxAttempts)
          return new Archive(folder, manifest, files);
        closeFiles(files);
      } catch (error) {
        if (attempt > maxAttempts) throw error;
      }
    }
  }

  /** Yields the records of a noun in the order of the service. The value of a record is parsed when it is read. */
  *records<N extends Noun>(noun: N): Generator<RawJson<WorkspaceRecords[N]>> {
    const parse = createParser(noun);
    for (const { text } of this.getFile(noun).readLines()) yield new UnparsedJson(text, parse);
  }

  /** Returns the offsets of the records by their keys. They stay in memory. */
  getOffsets(noun: Noun): ReadonlyMap<string, number> {
    const known = this.#offsets.get(noun);
    if (known) return known;
    const parse = createParser(noun);
    const offsets = new Map<string, number>();
    for (const { text, start } of this.getFile(noun).readLines()) {
      const record = new UnparsedJson<object>(text, parse);
      const { list_id }: { readonly list_id?: unknown } = noun === 'entries' ? record.value : {};
      offsets.set(toRecordKey(noun, String(readRecordId(record)), String(list_id)), start);
    }
    this.#offsets.set(noun, offsets);
    return offsets;
  }

  /** `list`: the list of an entry, whose id is unique only in its list. */
  has(noun: Noun, id: string, list = ''): boolean {
    return this.getOffsets(noun).has(toRecordKey(noun, id, list));
  }

  /** Returns undefined if there is no such record. `list`: the list of an entry. */
  find<N extends Noun>(noun: N, id: string, list = ''): RawJson<WorkspaceRecords[N]> | undefined {
    const start = this.getOffsets(noun).get(toRecordKey(noun, id, list));
    if (start === undefined) return undefined;
    return new UnparsedJson(this.getFile(noun).readLine(start), createParser(noun));
  }

  getFile(noun: Noun): Journal {
    const file = this.#files.get(noun);
    if (file) return file;
    throw new Failure('failed', `${this.folder} has no ${toRecordFile(noun)}.`);
  }

  /** Whether a file has the size and the sum in the manifest. */
  isIntact(noun: Noun): boolean {
    const { bytes, sha256 } = this.manifest.files[noun];
    const file = this.getFile(noun);
    if (file.size !== bytes) return false;
    const hash = createHash('sha256');
    for (const chunk of file.readChunks()) hash.update(chunk);
    return hash.digest('hex') === sha256;
  }

  close(): void {
    closeFiles(this.#files);
    this.onClose();
  }
}

/** Returns the key of a record in its file. Entries of two lists may have the same id. */
const toRecordKey = (noun: Noun, id: string, list: string) => (noun === 'entries' ? `${list} ${id}` : id);

/** Number of attempts to open the files again if a backup replaces them at the same time. */
const maxAttempts = 3;

function openFiles(folder: string): ReadonlyMap<Noun, Journal> {
  const files = new Map<Noun, Journal>();
  try {
    for (const noun of orderedNouns)
      files.set(noun, new Journal(resolveStateFile(folder, toRecordFile(noun))));
    return files;
  } catch (error) {
    closeFiles(files);
    throw error;
  }
}

function closeFiles(files: ReadonlyMap<Noun, Journal>): void {
  for (const file of files.values()) file.close();
}

function createMissingFailure(folder: string): Failure {
  const problem = statSync(folder, { throwIfNoEntry: false })
    ? 'it has no manifest.json'
    : 'it does not exist';
  return new Failure('not_found', `${folder} is not a kith archive: ${problem}.`, {
    hint: 'Create one: kith workspace backup DIR',
  });
}

/** Returns the function that parses a line and gives the record the shape of the contract. */
export function createParser<N extends Noun>(noun: N): (text: string) => WorkspaceRecords[N] {
  const fail = (problem: string) => new Failure('failed', `The archive has ${problem}.`);
  const normalize = createRecordNormalizer(recordRoutes[noun], fail);
  return (text) => normalize(parseJson(text)) as WorkspaceRecords[N]; // the route of the noun
}
