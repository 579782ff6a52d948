import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fields, fieldsOf, plain } from '../output/fields.ts';

/**
 * Records by keys, in a file: of each key memory holds eight bytes, however large the workspace is. A record that
 * is put in again takes the place of the one with its id.
 */
export interface Shelf {
  put(record: Fields): void;
  /** The records that have a key. */
  under(key: string): Fields[];
  /** Whether a record has a key, or had it once: costs nothing, however many have it. */
  mayHave(key: string): boolean;
  close(): void;
}

/** A shelf in a file of its own, `name` telling it from others of this process; `keysOf` gives the keys of a record. */
export function openShelf(name: string, keysOf: (record: Fields) => readonly string[]): Shelf {
  const file = openRecords(name);
  const places = placesByHash();
  const latest = (id: unknown): Fields | undefined => {
    for (const place of places.of(idKey(id)).reverse()) {
      const record = file.at(place);
      if (plain(record.id) === plain(id)) return record;
    }
    return undefined;
  };
  return {
    put(record) {
      const json = JSON.stringify(record);
      const before = latest(record.id);
      if (before && JSON.stringify(before) === json) return;
      const place = file.add(json);
      for (const key of new Set([idKey(record.id), ...keysOf(record)])) places.add(key, place);
    },
    under(key) {
      const found = new Map<string, Fields>();
      for (const place of places.of(key)) {
        const { id } = file.at(place);
        if (found.has(plain(id))) continue;
        // It may have another key by now, and another key may have the same hash.
        const now = latest(id);
        if (now && (key === idKey(id) || keysOf(now).includes(key))) found.set(plain(id), now);
      }
      return [...found.values()];
    },
    mayHave: (key) => places.of(key).length > 0,
    close: () => file.close(),
  };
}

/** The key that every record has. */
export const idKey = (id: unknown) => `id:${plain(id)}`;

/** Bytes that places in the file are counted in: 32 bits of them reach far. */
const unit = 16;

/** Records in a file, each by the place at which it begins. */
interface RecordFile {
  at(place: number): Fields;
  /** Gives the place. */
  add(json: string): number;
  close(): void;
}

function openRecords(name: string): RecordFile {
  const path = join(tmpdir(), `${name}.kith-tmp`);
  const file = openSync(path, 'wx+', 0o600);
  // A file without a name goes with the process, whatever ends it; Windows keeps the name until then.
  const isNameless = isRemoved(path);
  let end = 0;
  return {
    at(place) {
      const length = Buffer.alloc(4);
      readSync(file, length, 0, 4, place * unit);
      const bytes = Buffer.alloc(length.readUInt32LE());
      readSync(file, bytes, 0, bytes.length, place * unit + 4);
      return fieldsOf(JSON.parse(bytes.toString()));
    },
    add(json) {
      const text = Buffer.from(json);
      const bytes = Buffer.alloc(Math.ceil((text.length + 4) / unit) * unit);
      bytes.writeUInt32LE(text.length);
      text.copy(bytes, 4);
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

interface Places {
  add(key: string, place: number): void;
  /** In the order in which they came; a few may be of another key. */
  of(key: string): number[];
}

/** Places by the hashes of their keys, in a table that doubles when it is half full. */
function placesByHash(): Places {
  let size = 1024;
  let count = 0;
  let hashes = new Uint32Array(size);
  let places = new Uint32Array(size);
  const set = (hash: number, place: number) => {
    let slot = hash % size;
    while (hashes[slot] !== 0) slot = (slot + 1) % size;
    hashes[slot] = hash;
    places[slot] = place;
  };
  const grow = () => {
    const [oldHashes, oldPlaces] = [hashes, places];
    const start = oldHashes.indexOf(0) + 1; // no run of slots goes through it: each keeps its order
    size *= 2;
    hashes = new Uint32Array(size);
    places = new Uint32Array(size);
    for (let step = 0; step < oldHashes.length; step += 1) {
      const slot = (start + step) % oldHashes.length;
      const hash = oldHashes[slot] ?? 0;
      if (hash !== 0) set(hash, oldPlaces[slot] ?? 0);
    }
  };
  return {
    add(key, place) {
      if (count * 2 >= size) grow();
      set(hashOf(key), place);
      count += 1;
    },
    of(key) {
      const hash = hashOf(key);
      const found: number[] = [];
      for (let slot = hash % size; hashes[slot] !== 0; slot = (slot + 1) % size) {
        if (hashes[slot] === hash) found.push(places[slot] ?? 0);
      }
      return found;
    },
  };
}

/** 32 bits that stand for a key; never 0, which marks a slot as empty. */
function hashOf(key: string): number {
  return createHash('md5').update(key).digest().readUInt32LE() || 1;
}
