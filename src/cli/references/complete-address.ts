import { entries } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { isEmail } from '../../values/domain.ts';
import { foldName } from '../../values/names.ts';
import type { Session } from '../command/context.ts';
import { findOwnSetting, readUser } from '../connect/settings.ts';

/**
 * Completes `me`, or the part of an address before the `@`, to the address of the user or of an assignee of the list.
 * Returns any other text as typed.
 * @throws {Failure} usage if the addresses of several assignees begin with the part
 */
export async function completeAddress(session: Session, text: string, list_id: string | undefined) {
  if (text.includes('@') || text === '') return text;
  if (foldName(text) === 'me') return readUser(session);
  const start = `${foldName(text)}@`;
  const isMatch = (address = '') => foldName(address).startsWith(start);
  const user = await findOwnSetting(session, 'user');
  if (user !== undefined && isMatch(user)) return user;
  if (list_id === undefined) return text;
  const addresses = new Set<string>();
  for await (const { value } of (await session.client()).records(entries.list, { list_id }))
    if (value.assignee && isMatch(value.assignee.email)) addresses.add(value.assignee.email.toLowerCase());
  const [address, ...others] = addresses;
  if (others.length === 0) return address ?? text;
  throw new Failure('usage', `Several addresses begin with "${start}": ${[...addresses].join(', ')}.`);
}

/**
 * Returns the address of a user. Completes `me`, and the part before the `@` of an assignee of a process.
 * @throws {Failure} usage if no address or several addresses begin with the part
 */
export async function resolveUser(session: Session, text: string): Promise<string> {
  const user = await completeAddress(session, text, undefined);
  if (isEmail(user)) return user;
  for await (const { value } of (await session.client()).records(lists.list, {})) {
    const address = value.process ? await completeAddress(session, text, value.id) : text;
    if (isEmail(address)) return address;
  }
  throw new Failure('usage', `--user: "${text}" is not an email address.`, {
    hint: 'Use an email address, or me; `kith workspace info` lists the assignees.',
  });
}
