import { organizations } from '../contract/organizations.ts';
import { type Fields, plain } from '../render/fields.ts';
import { extractHost } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import type { OwnColumns } from './columns.ts';
import type { Importer, Importing } from './importer.ts';
import { type Membership, noMembership } from './membership.ts';
import {
  foldedName,
  identitiesOfOrganization,
  isSameOrganization,
  organizationIdentities,
  organizationKeys,
  organizationOf,
  organizationWishKeys,
} from './organization-finder.ts';
import { isTaken, Refusal } from './outcome.ts';
import { type Creation, type RecordWriter, recordWriter } from './record-writer.ts';
import { idKey, openShelf } from './shelf.ts';
import { shelvedList } from './shelved-list.ts';
import { forBody } from './values.ts';
import type { Wish } from './wishes.ts';
import type { Worker } from './worker.ts';

/** The columns of a sheet of organizations, beside custom fields. */
export const organizationColumns = {
  name: { aliases: ['organization'] },
  domains: {
    aliases: ['domain'],
    several: true,
    unfit: (text) => (extractHost(text) === undefined ? 'a domain or a URL' : undefined),
  },
} as const satisfies OwnColumns;

/** Brings organizations in: each is found by domain, then by name (cli.md, "Import"). */
export async function organizationImporter(
  importing: Importing & { readonly membership: Membership | undefined },
): Promise<Importer> {
  const { name, membership = noMembership } = importing;
  const shelf = openShelf(`${name}-organizations`, organizationKeys);
  const list = await shelvedList(importing, shelf, organizations.list);
  const writer = recordWriter(importing.client, shelf, { what: 'organization' });
  const findLatest = async (wish: Wish) => {
    const found = organizationOf(shelf, wish);
    return found && writer.latest(found);
  };
  return {
    main: 'organization',
    keysOf: organizationWishKeys,
    compared: { identitiesOf: organizationIdentities, own: { name: foldedName } },
    async bring(wish, { worker, claim, agreed }) {
      let current = await findLatest(wish);
      const isStale = await claim(current ? [idKey(current.id)] : []);
      if (isStale) current = await findLatest(wish);
      if (!current && organizationWishKeys(wish).length === 0) {
        throw new Refusal('It has neither a domain nor a name to be found by.');
      }
      const values = agreed(current ? identitiesOfOrganization(shelf, current) : []);
      const lookUp = async () => {
        await list.reread();
        return organizationOf(shelf, wish);
      };
      const lookUpNew = async () => {
        await list.readNew();
        return organizationOf(shelf, wish);
      };
      const isMatch = (body: Fields) => isSameOrganization(wish, body);
      const organization = current
        ? await updated(values, current, worker, writer)
        : await created(
            values,
            { keys: organizationWishKeys(wish), isMatch, lookUp, lookUpNew },
            worker,
            writer,
          );
      if (organization !== current) shelf.put(organization);
      await membership.join(organization, 'Organization', values, worker);
      return plain(organization.id);
    },
    close() {
      shelf.close();
      membership.close();
    },
  };
}

/** Creates the organization; one whose domain was taken meanwhile is found by reading the list again. */
async function created(
  wish: Wish,
  match: Omit<Creation, 'body'>,
  worker: Worker,
  writer: RecordWriter,
): Promise<Fields> {
  const { name, domains } = wish.own;
  const body = {
    name: name?.[0],
    domains,
    ...(wish.custom.length > 0 && { custom_fields: forBody(wish.custom) }),
  };
  try {
    const { record, isNew } = await writer.create(worker, { ...match, body });
    return isNew ? record : await updated(wish, record, worker, writer);
  } catch (error) {
    if (!isTaken(error) || !domains) throw error;
    const other = await match.lookUp();
    if (!other) throw error;
    return updated(wish, other, worker, writer);
  }
}

/** Gives the organization what it has not. PATCH adds domains to those it has. */
function updated(
  { own, custom }: Wish,
  current: Fields,
  worker: Worker,
  writer: RecordWriter,
): Promise<Fields> {
  const [name] = own.name ?? [];
  const held = readTexts(current.domains).map((domain) => extractHost(domain) ?? domain);
  const domains = (own.domains ?? []).filter((domain) => !held.includes(extractHost(domain) ?? domain));
  const differing = {
    // Rows that only spell it in another case must not rename it in turn.
    ...(name !== undefined && foldedName(name) !== foldedName(plain(current.name)) && { name }),
    ...(domains.length > 0 && { domains }),
  };
  return writer.update(worker, current, differing, { map: 'custom_fields', wanted: custom });
}
