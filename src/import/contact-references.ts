import type { Client } from '../client/client.ts';
import { fieldsOf, plain } from '../render/fields.ts';
import type { NamedValue, Wish } from './wishes.ts';

/** A wish whose contact fields hold ids. */
export interface ResolvedWish {
  /** Without the values that name a contact that is not there. */
  readonly wish: Wish;
  /** The validation errors of those values. */
  readonly missing: readonly string[];
}

/** Finds the contacts that the values of contact fields name by an email address: an export writes them so. */
export function contactReferences(client: Client): (wish: Wish) => Promise<ResolvedWish> {
  const ids = new Map<string, string>();
  const findId = async (email: string): Promise<string | undefined> => {
    const key = email.trim().toLowerCase();
    const known = ids.get(key);
    if (known !== undefined) return known;
    const [found] = await client.findContacts({ email: email.trim() });
    if (!found) return undefined;
    const id = plain(fieldsOf(found.value).id);
    ids.set(key, id);
    return id;
  };
  const resolve = async (named: NamedValue, missing: string[]): Promise<NamedValue[]> => {
    if (named.data_type !== 'contact') return [named];
    const several = Array.isArray(named.value);
    const texts: readonly unknown[] = Array.isArray(named.value) ? named.value : [named.value];
    const found = await Promise.all(
      texts.map(async (text) => (plain(text).includes('@') ? findId(plain(text)) : plain(text))),
    );
    const lost = texts.filter((_, index) => found[index] === undefined);
    for (const text of lost) missing.push(`${named.name}: There is no contact "${plain(text)}".`);
    return lost.length > 0 ? [] : [{ ...named, value: several ? found : found[0] }];
  };
  return async (wish) => {
    const missing: string[] = [];
    const custom = await Promise.all(wish.custom.map((one) => resolve(one, missing)));
    const list = await Promise.all(wish.list.map((one) => resolve(one, missing)));
    return { wish: { ...wish, custom: custom.flat(), list: list.flat() }, missing };
  };
}
