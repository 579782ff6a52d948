import { type Fields, plain } from '../render/fields.ts';
import { extractHost } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import type { Identity } from './contradictions.ts';
import { onlyOne } from './only-one.ts';
import { idKey, type Shelf } from './shelf.ts';
import type { Wish } from './wishes.ts';

const domainKey = (domain: string) => `domain:${extractHost(domain) ?? domain.trim().toLowerCase()}`;
/** Case, the width of letters and the way a keyboard puts them together make no other name. */
export const foldedName = (name: string) => name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
const nameKey = (name: string) => `name:${foldedName(name)}`;
/** Of an organization without a domain: any with this name may be meant. */
const bareNameKey = (name: string) => `bare:${foldedName(name)}`;

/** What an organization is found by on a shelf. */
export function organizationKeys({ name, domains }: Fields): string[] {
  const named = plain(name) === '' ? [] : [plain(name)];
  const held = readTexts(domains);
  return [
    ...named.map(nameKey),
    ...(held.length === 0 ? named.map(bareNameKey) : []),
    ...held.map(domainKey),
  ];
}

/** What rows of one organization have in common. */
export function organizationWishKeys({ own: { name = [], domains = [] } }: Wish): string[] {
  return [...name.map(nameKey), ...domains.map(domainKey)];
}

/** What tells which organization a row is about: its name does so only if it has no domain. */
export function organizationIdentities({ own: { name = [], domains = [] } }: Wish): Identity[][] {
  const keys = domains.length > 0 ? domains.map(domainKey) : name.map(bareNameKey);
  return [keys.map((key) => ({ key }))];
}

/** The same of an organization on a shelf: by its name too, if no other has the same. */
export function identitiesOfOrganization(shelf: Shelf, { name, domains }: Fields): Identity[] {
  const isAlone = shelf.fewUnder(nameKey(plain(name))).length === 1;
  const names = isAlone ? [bareNameKey(plain(name))] : [];
  return [...names, ...readTexts(domains).map(domainKey)].map((key) => ({ key }));
}

/**
 * Finds the organization that a row is about: by its domains, then by its name. One with the same name and other
 * domains is another organization.
 * @throws {Refusal} if several match
 */
export function organizationOf(shelf: Shelf, { own: { name = [], domains = [] } }: Wish): Fields | undefined {
  const ofDomains = onlyNamed(
    domains.flatMap((domain) => shelf.under(domainKey(domain))),
    'domains',
    domains,
  );
  return (
    ofDomains ??
    onlyNamed(
      name.flatMap((one) => shelf.fewUnder(domains.length > 0 ? bareNameKey(one) : nameKey(one))),
      'name',
      name,
    )
  );
}

/** Whether an organization with this body, which has the name or a domain of the row, would be the one that it is about. */
export function isSameOrganization({ own: { domains = [] } }: Wish, body: Fields): boolean {
  const held = new Set(readTexts(body.domains).map(domainKey));
  return held.size === 0 || domains.length === 0 || domains.some((domain) => held.has(domainKey(domain)));
}

/** Finds the organization that a cell names: by its id, a domain or its name. Throws `Refusal` where it is not one. */
export function organizationNamed(shelf: Shelf, text: string): Fields | undefined {
  const keys = [idKey(text.trim()), domainKey(text), nameKey(text)];
  return onlyNamed(
    keys.flatMap((key) => shelf.fewUnder(key)),
    'name',
    [text],
  );
}

/** What makes the organization that a cell names: its domain where it looks like one, else its name (`Node.js`). */
export function organizationBody(text: string): Fields {
  const named = text.trim();
  const isDomain =
    extractHost(named) !== undefined && (named === named.toLowerCase() || named.includes('://'));
  return isDomain ? { domains: [named] } : { name: named };
}

function onlyNamed(found: readonly Fields[], by: string, texts: readonly string[]): Fields | undefined {
  return onlyOne(found, `Several organizations have the ${by} "${texts.join('; ')}"`);
}
