import * as fs from 'node:fs';
import { dirname, parse, resolve, sep } from 'node:path';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

/** The maximum number of links to follow, as in operating systems. */
const maxLinks = 40;

/** Mode bits that let others write: the group or everyone. An ACL shows in the group bits. */
const isOpen = ({ mode }: fs.Stats) => (mode & 0o022) !== 0;

const isOwn = ({ uid }: fs.Stats, user: number) => uid === user || uid === 0;

/** Undefined on Windows, where everything is trusted. */
const getUser = () => process.getuid?.();

/**
 * Whether only `user` and root can change the target of a path: each folder and link on the path belongs to one of
 * them, and others cannot write to it. In a sticky folder open to all, such as /tmp, users cannot replace other users'
 * entries, so it may be a parent but not the folder itself. A missing folder is as safe as the one that it would be
 * created in; check it again once it is created. If this is true, nobody else can change the path between check and use.
 */
export const isTrustedFolder = (path: string, user = getUser()): boolean =>
  findUntrusted(path, user) === undefined;

/** Returns the first folder or link on a path that makes it untrusted. */
export function findUntrusted(path: string, user = getUser()): string | undefined {
  if (user === undefined) return undefined;
  let links = 0;
  let remainingParts = splitPath(path);
  let folder = parse(resolve(path)).root;
  let stats: fs.Stats | undefined = fs.lstatSync(folder);
  while (isOwn(stats, user)) {
    if (stats.isSymbolicLink()) {
      if (++links > maxLinks) return folder;
      const target = resolve(dirname(folder), fs.readlinkSync(folder));
      remainingParts = [...splitPath(target), ...remainingParts];
      folder = parse(target).root;
    } else {
      const isLast = remainingParts.length === 0;
      // In a folder with the sticky bit, users cannot rename or remove entries of other users.
      const isSticky = (stats.mode & 0o1000) !== 0;
      if (!stats.isDirectory() || (isOpen(stats) && (isLast || !isSticky))) return folder;
      if (isLast) return undefined;
      folder = resolve(folder, remainingParts.shift() ?? '');
    }
    stats = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (!stats) return undefined;
  }
  return folder;
}

function splitPath(path: string): string[] {
  const whole = resolve(path);
  return whole.slice(parse(whole).root.length).split(sep).filter(Boolean);
}

/** Whether `stats` are those of a file that only `user` and root can write, not of a link or a pipe. */
export const isTrustedFile = (stats: fs.Stats, user = getUser()): boolean =>
  stats.isFile() && (user === undefined || (isOwn(stats, user) && !isOpen(stats)));

/** Reads a trusted file; undefined for any other. */
export function readTrustedFile(path: string, user = getUser()): Buffer | undefined {
  let file: number;
  try {
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    return isTrustedFile(fs.fstatSync(file), user) ? fs.readFileSync(file) : undefined;
  } finally {
    fs.closeSync(file);
  }
}
