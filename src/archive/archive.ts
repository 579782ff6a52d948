import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { createRecordNormalizer } from '../contract/received.ts';
import { Journal, readLines } from '../files/journal.ts';
import { parseJson, type RawJson, UnparsedJson } from '../values/raw-json.ts';
import { type ArchiveRecords, recordRoutes, toRecordFile } from './archive-nouns.ts';
import { type Manifest, readManifest } from './manifest.ts';

/** A noun of an archive. */
export type ArchiveNoun = keyof ArchiveRecords;

/** A complete archive. Records are read from its files, so that memory does not grow with their number. */
export class Archive {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly #offsets = new Map<ArchiveNoun, ReadonlyMap<string, number>>();
  readonly #files = new Map<ArchiveNoun, Journal>();

  private constructor(folder: string, manifest: Manifest) {
    this.folder = folder;
    this.manifest = manifest;
  }

  /** @throws {Failure} not_found if the folder has no manifest, failed if the manifest is damaged */
  static open(folder: string): Archive {
    const manifest = readManifest(folder);
    if (manifest) return new Archive(folder, manifest);
    throw new Failure('not_found', `${folder} is not a kith archive: it has no manifest.json.`, {
      hint: 'Create one: kith workspace backup DIR',
    });
  }

  getPath(noun: ArchiveNoun): string {
    return join(this.folder, toRecordFile(noun));
  }

  /** Yields the records of a noun in the order of the service. The value of a record is parsed when it is read. */
  *records<N extends ArchiveNoun>(noun: N): Generator<RawJson<ArchiveRecords[N]>> {
    const parse = createParser(noun);
    for (const { text } of readLines(this.getPath(noun))) yield new UnparsedJson(text, parse);
  }

  /** Returns the offsets of the records by id. They stay in memory. */
  getOffsets(noun: ArchiveNoun): ReadonlyMap<string, number> {
    const known = this.#offsets.get(noun);
    if (known) return known;
    const parse = createParser(noun);
    const offsets = new Map<string, number>();
    for (const { text, start } of readLines(this.getPath(noun))) offsets.set(parse(text).id, start);
    this.#offsets.set(noun, offsets);
    return offsets;
  }

  /** Returns the record with an id; undefined if there is none. */
  find<N extends ArchiveNoun>(noun: N, id: string): RawJson<ArchiveRecords[N]> | undefined {
    const start = this.getOffsets(noun).get(id);
    if (start === undefined) return undefined;
    const file = this.#files.get(noun) ?? new Journal(this.getPath(noun));
    this.#files.set(noun, file);
    return new UnparsedJson(file.readLine(start), createParser(noun));
  }

  close(): void {
    for (const file of this.#files.values()) file.close();
    this.#files.clear();
  }
}

/** Returns the function that parses a line and gives the record the shape of the contract. */
function createParser<N extends ArchiveNoun>(noun: N): (text: string) => ArchiveRecords[N] {
  const fail = (problem: string) => new Failure('failed', `The archive has ${problem}.`);
  const normalize = createRecordNormalizer(recordRoutes[noun], fail);
  return (text) => normalize(parseJson(text)) as ArchiveRecords[N]; // the route of the noun
}
