import { hostOf } from '../contract/domain.ts';
import { organizations } from '../contract/organizations.ts';
import { type Fields, plain } from '../output/fields.ts';
import { changed } from './change.ts';
import type { OwnColumns } from './columns.ts';
import type { Importer, Importing } from './importer.ts';
import { type Membership, noMembership } from './membership.ts';
import { organizationKeys, organizationOf, organizationWishKeys } from './organization-finder.ts';
import { isTaken, Refusal } from './outcome.ts';
import { idKey, openShelf } from './shelf.ts';
import { shelved } from './shelved.ts';
import { forBody, textsIn } from './values.ts';
import type { Wish } from './wishes.ts';
import type { Worker } from './worker.ts';

/** The columns of a sheet of organizations, beside custom fields. */
export const organizationColumns = {
  name: { aliases: ['organization'] },
  domains: {
    aliases: ['domain'],
    several: true,
    unfit: (text) => (hostOf(text) === undefined ? 'a domain or a URL' : undefined),
  },
} as const satisfies OwnColumns;

/** Brings organizations in: each is found by domain, then by name (cli.md, "Import"). */
export async function organizationImporter(
  importing: Importing & { readonly membership: Membership | undefined },
): Promise<Importer> {
  const { name, membership = noMembership } = importing;
  const shelf = openShelf(`${name}-organizations`, organizationKeys);
  const fill = () => shelved(importing, shelf, organizations.list);
  await fill();
  return {
    main: 'organization',
    keysOf: organizationWishKeys,
    async bring(wish, worker, claim) {
      let current = organizationOf(shelf, wish);
      const isStale = await claim(current ? [idKey(current.id)] : []);
      if (isStale) current = organizationOf(shelf, wish);
      if (!current && organizationWishKeys(wish).length === 0) {
        throw new Refusal('It has neither a domain nor a name to be found by.');
      }
      const organization = current
        ? await updated(wish, current, worker)
        : await made(wish, worker, async () => {
            await fill();
            return organizationOf(shelf, wish);
          });
      if (organization !== current) shelf.put(organization);
      await membership.join(organization, 'Organization', wish, worker);
      return plain(organization.id);
    },
    close() {
      shelf.close();
      membership.close();
    },
  };
}

/** Makes the organization; one whose domain was taken in the meantime is found by reading the list again. */
async function made(wish: Wish, worker: Worker, again: () => Promise<Fields | undefined>): Promise<Fields> {
  const { name, domains } = wish.own;
  const body = {
    name: name?.[0],
    domains,
    ...(wish.custom.length > 0 && { custom_fields: forBody(wish.custom) }),
  };
  try {
    return await worker.write({ what: 'organization', body });
  } catch (error) {
    if (!isTaken(error) || !domains) throw error;
    const other = await again();
    if (!other) throw error;
    return updated(wish, other, worker);
  }
}

/** Gives the organization what it has not. PATCH adds domains to those it has. */
function updated({ own, custom }: Wish, current: Fields, worker: Worker): Promise<Fields> {
  const [name] = own.name ?? [];
  const held = textsIn(current.domains);
  const domains = (own.domains ?? []).filter((domain) => !held.includes(hostOf(domain) ?? domain));
  const differing = {
    ...(name !== undefined && name.trim() !== plain(current.name).trim() && { name }),
    ...(domains.length > 0 && { domains }),
  };
  return changed(worker, { what: 'organization' }, current, differing, {
    map: 'custom_fields',
    wanted: custom,
  });
}
