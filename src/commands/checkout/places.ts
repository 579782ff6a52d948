import { type Noun, singularNouns } from '../../contract/singular-nouns.ts';
import { encodeId, isReservedName, slugify, toFileKey } from '../../values/file-names.ts';

/** The folders of a working copy. */
export const topFolders = ['contacts', 'organizations', 'lists', 'custom-fields', 'meetings'] as const;
export type TopFolder = (typeof topFolders)[number];

/** The folder of the entries of a regular list. */
export const entriesFolder = 'entries';

/** The record that a new file in a place would describe. */
export type FilePlace =
  | { readonly noun: 'contacts' | 'organizations' | 'events' }
  | { readonly noun: 'customFields'; readonly model: string }
  /** `folder`: the folder of the list or organization. */
  | { readonly noun: 'lists'; readonly folder: string }
  | { readonly noun: 'notes'; readonly folder: string }
  | { readonly noun: 'entries'; readonly folder: string; readonly status: string };

/** Returns the record that a path stands for; undefined if the path is in none of the folders' places. */
export function readPlace(path: string): FilePlace | undefined {
  const [top, first = '', second = '', third, ...others] = path.split('/');
  if (/[\\:]/.test(path)) return undefined; // Windows has no such names
  const isYaml = /\.ya?ml$/i.test(path);
  if (top === 'meetings') return { noun: 'events' };
  if (others.length > 0) return undefined;
  if ((top === 'contacts' || top === 'organizations') && isYaml && second === '' && third === undefined)
    return { noun: top };
  if (top === 'custom-fields' && isYaml && second !== '' && third === undefined)
    return { noun: 'customFields', model: first };
  if (top === 'organizations' && second === 'notes' && third !== undefined && /\.md$/i.test(path))
    return { noun: 'notes', folder: first };
  if (top !== 'lists' || !isYaml || second === '') return undefined;
  if (third !== undefined) return { noun: 'entries', folder: first, status: second };
  return /^list\.ya?ml$/i.test(second) ? { noun: 'lists', folder: first } : undefined;
}

/** Returns the name of a file or a folder without its last extension: `acme` for `organizations/acme.yaml`. */
export const toStem = (path: string) => (path.split('/').at(-1) ?? '').replace(/\.[a-z]+$/i, '');

/** Returns the folder of a list by the path of its list.yaml. */
export const toListFolder = (path: string) => path.split('/')[1] ?? '';

/** Returns the names of the folders of a list's statuses, in order. */
export function nameStatusFolders(statuses: readonly string[]): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  const used = new Set<string>();
  for (const [index, status] of statuses.entries()) {
    const slug = slugify(status);
    const isUsable = slug !== '' && !isReservedName(slug) && !used.has(slug);
    const name = isUsable ? slug : `${slug || 'status'}-${index + 1}`;
    used.add(name);
    folders.set(status, name);
  }
  return folders;
}

/** A record whose file needs a name. */
export interface NamedRecord {
  readonly noun: Noun;
  readonly id: string;
  /** The folder of the file, or of the list: `contacts`. */
  readonly folder: string;
  readonly title: string;
  /** Added to the name: `.yaml`. For a list, the path in its folder: `/list.yaml`. */
  readonly suffix: string;
}

/** Chooses the paths of files. A record keeps its path as long as its title does. */
export class Places {
  readonly #isForeign: (path: string) => boolean;
  /** The paths in use without their suffixes. */
  readonly #taken = new Map<string, string>();

  /** `isForeign`: whether there is a file in the working copy that kith did not write. */
  constructor(isForeign: (path: string) => boolean) {
    this.#isForeign = isForeign;
  }

  /** Reserves the path of a record. */
  reserve(key: string, place: string): void {
    this.#taken.set(toBase(place), key);
  }

  /** Returns the path of a record's file. `current`: its earlier path. */
  choose(key: string, record: NamedRecord, current: string | undefined): string {
    const { noun, id, folder, title, suffix } = record;
    const slug = slugify(title);
    const plain = slug === '' || isReservedName(slug) ? undefined : `${folder}/${slug}${suffix}`;
    const name = `${slug || singularNouns[noun].replace(' ', '-')}-${encodeId(id)}`;
    const unique = `${folder}/${name}${suffix}`;
    if (current !== undefined && (current === plain || current === unique)) return current;
    if (current !== undefined && this.#taken.get(toBase(current)) === key)
      this.#taken.delete(toBase(current));
    const isFree = (path: string) => {
      const holder = this.#taken.get(toBase(path));
      return (holder === undefined || holder === key) && !this.#isForeign(path);
    };
    let place = plain !== undefined && isFree(plain) ? plain : unique;
    for (let count = 2; !isFree(place); count += 1) place = `${folder}/${name}-${count}${suffix}`;
    this.reserve(key, place);
    return place;
  }
}

/** Returns what distinguishes the paths of records: the name of a list's folder, or a path without its extension. */
function toBase(place: string): string {
  const path = toFileKey(place);
  return path.replace(/\/list\.yaml$|\.transcript\.md$|\.(yaml|md)$/, (suffix) =>
    suffix === '.transcript.md' ? suffix : '',
  );
}
