import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from 'node:fs';
import { dirname, parse, resolve, sep } from 'node:path';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** More links than any path has; the systems follow about as many. */
const mostLinks = 40;

/** Others may write, by its mode: the group or everybody. An access list shows in the mode of the group. */
const isOpen = ({ mode }: Stats) => (mode & 0o022) !== 0;

/** Of entries in a folder with the sticky bit, others can neither rename nor remove those of somebody else. */
const isSticky = ({ mode }: Stats) => (mode & 0o1000) !== 0;

const isOwn = ({ uid }: Stats, user: number) => uid === user || uid === 0;

/**
 * Whether no user but `user` and root can change what a path leads to: each folder and link on the way from the root
 * belongs to one of them, and others cannot write to it. In a folder that is sticky and open to all, such as /tmp, they
 * cannot replace an entry that is not theirs, so it may be on the way, but not at the end. What is not there yet is as
 * safe as the folder that it would be created in; check it again once it is created. If this is true, nobody can change
 * it between the check and the use.
 */
export function isTrustedFolder(path: string, user: number): boolean {
  let links = 0;
  let rest = partsOf(path);
  let folder = parse(resolve(path)).root;
  let found: Stats | undefined = lstatSync(folder);
  while (isOwn(found, user)) {
    if (found.isSymbolicLink()) {
      if (++links > mostLinks) return false;
      const target = resolve(dirname(folder), readlinkSync(folder));
      rest = [...partsOf(target), ...rest];
      folder = parse(target).root;
    } else {
      const isLast = rest.length === 0;
      if (!found.isDirectory() || (isOpen(found) && (isLast || !isSticky(found)))) return false;
      if (isLast) return true;
      folder = resolve(folder, rest.shift() ?? '');
    }
    found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found) return true;
  }
  return false;
}

function partsOf(path: string): string[] {
  const whole = resolve(path);
  return whole.slice(parse(whole).root.length).split(sep).filter(Boolean);
}

/**
 * What a file holds that nobody but `user` and root can write; undefined for any other. It is checked by its
 * descriptor, so it is the file that is read; a link is not followed, and a pipe is not waited for.
 */
export function readTrustedFile(path: string, user: number | undefined): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const found = fstatSync(file);
    const isTrusted = user === undefined || (isOwn(found, user) && !isOpen(found));
    return found.isFile() && isTrusted ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}
