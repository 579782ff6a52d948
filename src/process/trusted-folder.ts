import * as fs from 'node:fs';
import { dirname, parse, resolve, sep } from 'node:path';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

/** The maximum number of links to follow, as in operating systems. */
const maxLinks = 40;

/** Mode bits that let others write: the group or everyone. An ACL shows in the group bits. */
const isOpen = ({ mode }: fs.Stats) => (mode & 0o022) !== 0;

/** In a folder with the sticky bit, users cannot rename or remove entries of other users. */
const isSticky = ({ mode }: fs.Stats) => (mode & 0o1000) !== 0;

const isOwn = ({ uid }: fs.Stats, user: number) => uid === user || uid === 0;

/**
 * Whether only `user` and root can change the target of a path: each folder and link on the path belongs to one of
 * them, and others cannot write to it. In a sticky folder open to all, such as /tmp, users cannot replace other users'
 * entries, so it may be a parent but not the folder itself. A missing folder is as safe as the one that it would be
 * created in; check it again once it is created. If this is true, nobody else can change the path between check and use.
 */
export function isTrustedFolder(path: string, user: number): boolean {
  let links = 0;
  let rest = partsOf(path);
  let folder = parse(resolve(path)).root;
  let stats: fs.Stats | undefined = fs.lstatSync(folder);
  while (isOwn(stats, user)) {
    if (stats.isSymbolicLink()) {
      if (++links > maxLinks) return false;
      const target = resolve(dirname(folder), fs.readlinkSync(folder));
      rest = [...partsOf(target), ...rest];
      folder = parse(target).root;
    } else {
      const isLast = rest.length === 0;
      if (!stats.isDirectory() || (isOpen(stats) && (isLast || !isSticky(stats)))) return false;
      if (isLast) return true;
      folder = resolve(folder, rest.shift() ?? '');
    }
    stats = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (!stats) return true;
  }
  return false;
}

function partsOf(path: string): string[] {
  const whole = resolve(path);
  return whole.slice(parse(whole).root.length).split(sep).filter(Boolean);
}

/** Reads a file that only `user` and root can write; undefined for any other, a link or a pipe. */
export function readTrustedFile(path: string, user: number | undefined): Buffer | undefined {
  let file: number;
  try {
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stats = fs.fstatSync(file);
    const isTrusted = user === undefined || (isOwn(stats, user) && !isOpen(stats));
    return stats.isFile() && isTrusted ? fs.readFileSync(file) : undefined;
  } finally {
    fs.closeSync(file);
  }
}
