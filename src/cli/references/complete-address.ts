import { entries } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
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
