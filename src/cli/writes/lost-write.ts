import { Failure, lostWriteHint } from '../../contract/errors.ts';
import { pluralNouns, toTypedNoun } from '../../contract/singular-nouns.ts';
import { readTexts } from '../../values/field-values.ts';
import { formatFullName } from '../../values/record-names.ts';
import { quoteShellWord } from '../../values/text.ts';
import { matchWrite, type Write } from '../../writes/nouns.ts';
import type { Session } from '../command/context.ts';

/** Adds the command that shows whether a write whose response was lost arrived, if there is one. */
export function addLookupCommand({ globals }: Session, { code, message, detail }: Failure): Failure {
  // A hint that a command has replaced says more, such as how to finish a merge.
  const isDefault = detail.hint === lostWriteHint;
  const write = isDefault && detail.request && matchWrite(detail.request);
  const words = write && findLookup(write);
  if (!words) return new Failure(code, message, detail);
  const { profile, baseUrl } = globals;
  const flags = [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
  ];
  const command = ['kith', ...words, ...flags].map(quoteShellWord).join(' ');
  const hint = `Check whether the change was made before you run the command again: ${command}`;
  return new Failure(code, message, { ...detail, hint, commands: [command] });
}

/** Returns the words of the command that reads the record of a write. */
function findLookup(write: Write): readonly string[] | undefined {
  const { noun, action, id, list_id } = write;
  if (action === 'create') return findCreateLookup(write);
  if (id === undefined) return undefined;
  return [toTypedNoun(pluralNouns[noun]), 'get', ...(list_id === undefined ? [] : [list_id]), id];
}

/** The newest records come first. */
const newest = ['--sort', '-created_at', '--limit', '5'];

/** `get` would also take a part of another record's name. */
const listByName = (name: string) => [
  'list',
  '--where',
  `name = "${name.replaceAll(/[\\"]/g, '\\$&')}"`,
  ...newest,
];

/** Returns the words of the command that finds a new record by a value that identifies it. */
function findCreateLookup({ noun, list_id, body }: Write): readonly string[] | undefined {
  const { first_name, last_name, name, organization_id } = body;
  const [email] = readTexts(body.emails);
  const [phone] = readTexts(body.phone_numbers);
  const [domain] = readTexts(body.domains);
  if (email !== undefined) return ['contacts', 'find', '--email', email];
  if (phone !== undefined) return ['contacts', 'find', '--phone', phone];
  if (domain !== undefined) return ['organizations', 'find', '--domain', domain];
  if (noun === 'contact') {
    const fullName = formatFullName(String(first_name ?? ''), String(last_name ?? ''));
    return fullName === '' ? undefined : ['contacts', ...listByName(fullName)];
  }
  if (noun === 'note')
    return [
      'notes',
      'list',
      ...(organization_id ? ['--organization', String(organization_id)] : []),
      ...newest,
    ];
  if (noun === 'entry') return ['entries', 'list', list_id ?? '', ...newest];
  if (typeof name !== 'string' || name === '') return undefined;
  return noun === 'organization'
    ? ['organizations', 'find', '--name', name]
    : [toTypedNoun(pluralNouns[noun]), ...listByName(name)];
}
