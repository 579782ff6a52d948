import { Failure } from './errors.ts';
import { pluralNouns, toTypedNoun } from './singular-nouns.ts';

/** The verbs of the writes to a record. Adding an entry is a `create`; removing an address or a domain, an `update`. */
const verbs = ['create', 'update', 'delete'] as const;
export type WriteVerb = (typeof verbs)[number];

/** A write that `--allow` can name: `contacts:create`. */
export type Permission = `${string}:${WriteVerb}`;

/** The nouns of writes, as they are typed. */
const nouns: readonly string[] = Object.values(pluralNouns).map(toTypedNoun);

/** Allows no write. */
const nothing = 'none';

const typeVerb = (noun: string, verb: WriteVerb) => (noun === 'entries' && verb === 'create' ? 'add' : verb);

/** Formats a permission as a command is typed: `entries add`. */
export function formatPermission(permission: Permission, separator = ' '): string {
  const [noun = '', verb] = permission.split(':');
  return `${noun}${separator}${typeVerb(noun, verb as WriteVerb)}`; // a permission ends with a verb
}

/** Lists the words of `--allow`: each noun, and each noun with a verb. */
export const listPermissionWords = (): readonly string[] => [
  ...nouns,
  ...nouns.flatMap((noun) => verbs.map((verb) => `${noun}:${typeVerb(noun, verb)}`)),
];

/** Parses `contacts,notes:create`, or `none`. @throws {Failure} usage if a noun or a verb is unknown */
export function parsePermissions(text: string): ReadonlySet<Permission> {
  if (text.trim() === nothing) return new Set();
  return new Set(text.split(',').flatMap((word) => parseWord(word.trim())));
}

function parseWord(word: string): readonly Permission[] {
  const [noun = '', verb, ...others] = word.split(':');
  if (!nouns.includes(noun))
    throw new Failure('usage', `"${noun}" is not one of ${nouns.join(', ')}, or ${nothing} alone.`);
  if (verb === undefined) return verbs.map((verb): Permission => `${noun}:${verb}`);
  const found = verbs.find((known) => verb === known || verb === typeVerb(noun, known));
  if (found === undefined || others.length > 0) {
    const accepted = verbs.map((known) => `${noun}:${typeVerb(noun, known)}`).join(', ');
    throw new Failure('usage', `"${word}" is not one of ${noun}, ${accepted}.`);
  }
  return [`${noun}:${found}`];
}

/** Formats permissions as `--allow` accepts them. */
export function formatPermissions(permissions: ReadonlySet<Permission>): string {
  const words = nouns.flatMap((noun) => {
    const allowed = verbs.filter((verb) => permissions.has(`${noun}:${verb}`));
    return allowed.length === verbs.length ? noun : allowed.map((verb) => `${noun}:${typeVerb(noun, verb)}`);
  });
  return words.join(',') || nothing;
}
