import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fields, fieldsOf, plain } from '../render/fields.ts';

/**
 * Records by keys, in a temporary file: memory holds eight bytes for each distinct key, however large the workspace
 * is. A record that is put in again replaces the one with its id.
 */
export interface Shelf {
  put(record: Fields): void;
  /** Returns the records that have a key. */
  under(key: string): Fields[];
  /** Returns a few of them, and reads no more: a key may have very many. */
  fewUnder(key: string, isWanted?: (record: Fields) => boolean): Fields[];
  /** Whether a record has a key, or had it once: costs nothing, however many have it. */
  mayHave(key: string): boolean;
  close(): void;
}

/** How many records are a few: enough to say which ones a row may be about. */
const few = 10;

/** A shelf in a file of its own, `name` telling it from others of this process; `keysOf` gives the keys of a record. */
export function openShelf(name: string, keysOf: (record: Fields) => readonly string[]): Shelf {
  const file = openRecords(name);
  const heads = headsByHash();
  /** The places of the records with a key, the last first; a few may be of another key. */
  const placesOf = function* (key: string) {
    const hash = hashOf(key);
    for (let place = heads.get(hash); place !== undefined; place = file.before(place, hash)) yield place;
  };
  const latest = (id: unknown): Fields | undefined => {
    for (const place of placesOf(idKey(id))) {
      const record = file.at(place);
      if (plain(record.id) === plain(id)) return record;
    }
    return undefined;
  };
  const found = (key: string, most: number, isWanted: (record: Fields) => boolean): Fields[] => {
    const records: Fields[] = [];
    const seen = new Set<string>();
    for (const place of placesOf(key)) {
      const id = plain(file.at(place).id);
      if (seen.has(id)) continue;
      seen.add(id);
      // It may have another key by now, and another key may have the same hash.
      const now = latest(id);
      if (now && (key === idKey(id) || keysOf(now).includes(key)) && isWanted(now)) records.push(now);
      if (records.length === most) break;
    }
    return records.reverse();
  };
  return {
    put(record) {
      const json = JSON.stringify(record);
      const before = latest(record.id);
      if (before && JSON.stringify(before) === json) return;
      // Under the keys that it had before it is found by its older place: chains grow only by what is new.
      const known = new Set(before && keysOf(before));
      const added = keysOf(record).filter((key) => !known.has(key));
      const hashes = new Set([idKey(record.id), ...added].map(hashOf));
      const place = file.add(
        json,
        Array.from(hashes, (hash) => ({ hash, before: heads.get(hash) })),
      );
      for (const hash of hashes) heads.set(hash, place);
    },
    under: (key) => found(key, Number.POSITIVE_INFINITY, () => true),
    fewUnder: (key, isWanted = () => true) => found(key, few, isWanted),
    mayHave: (key) => heads.get(hashOf(key)) !== undefined,
    close: () => file.close(),
  };
}

/** The key that every record has. */
export const idKey = (id: unknown) => `id:${plain(id)}`;

/** Bytes that places in the file are counted in: 32 bits of them reach far. */
const unit = 16;

/** A hash under which a record is found, and the place of the record before it that is found under the same. */
interface Link {
  readonly hash: number;
  readonly before: number | undefined;
}

/** Records in a file, each by the place at which it begins, with its links to those before it. */
interface RecordFile {
  at(place: number): Fields;
  /** Returns the place of the record before one, under a hash. */
  before(place: number, hash: number): number | undefined;
  /** Returns the place. */
  add(json: string, links: readonly Link[]): number;
  close(): void;
}

/** Bytes of the two lengths that a record begins with, and of a link. */
const [headLength, linkLength] = [8, 8];

function openRecords(name: string): RecordFile {
  const path = join(tmpdir(), `${name}.kith-tmp`);
  const file = openSync(path, 'wx+', 0o600);
  // A file without a name goes with the process, whatever ends it; Windows keeps the name until then.
  const isNameless = isRemoved(path);
  let end = 0;
  const read = (length: number, at: number) => {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, at);
    return bytes;
  };
  const lengthsAt = (place: number) => {
    const head = read(headLength, place * unit);
    return { text: head.readUInt32LE(0), links: head.readUInt32LE(4) * linkLength };
  };
  return {
    at(place) {
      const { text, links } = lengthsAt(place);
      return fieldsOf(JSON.parse(read(text, place * unit + headLength + links).toString()));
    },
    before(place, hash) {
      const links = read(lengthsAt(place).links, place * unit + headLength);
      for (let at = 0; at < links.length; at += linkLength) {
        if (links.readUInt32LE(at) !== hash) continue;
        const next = links.readUInt32LE(at + 4); // counted from 1: 0 says that there is none
        return next === 0 ? undefined : next - 1;
      }
      return undefined;
    },
    add(json, links) {
      const text = Buffer.from(json);
      const start = headLength + links.length * linkLength;
      const bytes = Buffer.alloc(Math.ceil((start + text.length) / unit) * unit);
      bytes.writeUInt32LE(text.length, 0);
      bytes.writeUInt32LE(links.length, 4);
      for (const [index, { hash, before = -1 }] of links.entries()) {
        const at = headLength + index * linkLength;
        bytes.writeUInt32LE(hash, at);
        bytes.writeUInt32LE(before + 1, at + 4);
      }
      text.copy(bytes, start);
      writeSync(file, bytes, 0, bytes.length, end);
      const place = end / unit;
      end += bytes.length;
      return place;
    },
    close() {
      closeSync(file);
      if (!isNameless) rmSync(path, { force: true });
    },
  };
}

function isRemoved(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The place of the last record under each hash. */
interface Heads {
  get(hash: number): number | undefined;
  set(hash: number, place: number): void;
}

/** Places by hashes, in a table that doubles when it is half full. */
function headsByHash(): Heads {
  let size = 1024;
  let count = 0;
  let hashes = new Uint32Array(size);
  let places = new Uint32Array(size);
  const slotOf = (hash: number) => {
    let slot = hash % size;
    while (hashes[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) % size;
    return slot;
  };
  const put = (hash: number, place: number) => {
    const slot = slotOf(hash);
    if (hashes[slot] === 0) count += 1;
    hashes[slot] = hash;
    places[slot] = place;
  };
  const grow = () => {
    const [oldHashes, oldPlaces] = [hashes, places];
    size *= 2;
    count = 0;
    hashes = new Uint32Array(size);
    places = new Uint32Array(size);
    for (const [slot, hash] of oldHashes.entries()) if (hash !== 0) put(hash, oldPlaces[slot] ?? 0);
  };
  return {
    get(hash) {
      const slot = slotOf(hash);
      return hashes[slot] === hash ? places[slot] : undefined;
    },
    set(hash, place) {
      if (count * 2 >= size) grow();
      put(hash, place);
    },
  };
}

/** 32 bits that stand for a key; never 0, which marks a slot as empty. */
function hashOf(key: string): number {
  return createHash('md5').update(key).digest().readUInt32LE() || 1;
}
