import { organizations } from '../contract/organizations.ts';
import { extractHost } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import type { Identity } from './conflicts.ts';
import type { OwnColumns } from './mapping.ts';
import { type Membership, noMembership } from './membership.ts';
import { createRecordIndex, idKey, type RecordIndex, syncList } from './record-index.ts';
import { type Creation, createRecordWriter, type RecordWriter } from './record-writer.ts';
import { formatValues, type RowWriter } from './row-writer.ts';
import { isTaken, Refusal, type RowPlan, requireOne, type StoredRecord, type Values } from './rows.ts';
import type { Importer, ImporterOptions } from './run.ts';

/** The columns of organizations, apart from custom fields. */
export const organizationColumns = {
  name: { aliases: ['organization'] },
  domains: {
    aliases: ['domain'],
    isMultiple: true,
    check: (text) => (extractHost(text) === undefined ? 'a domain or a URL' : undefined),
  },
} as const satisfies OwnColumns;

/** Imports organizations. Each is matched by domain, then by name. */
export async function createOrganizationImporter(
  options: ImporterOptions & { readonly membership: Membership | undefined },
): Promise<Importer> {
  const { membership = noMembership } = options;
  const index = createRecordIndex(options, readOrganizationKeys);
  const list = await syncList(options, index, organizations.list);
  const recordWriter = createRecordWriter(options.client, index, { what: 'organization' });
  return {
    main: 'organization',
    readKeys: readOrganizationPlanKeys,
    compared: { identify: identifyOrganizationPlan, own: { name: foldName } },
    async match(plan) {
      const organization = matchOrganization(index, plan);
      return organization && recordWriter.refresh(organization);
    },
    recordKey: ({ id }) => idKey(id),
    identify: (organization) => identifyOrganization(index, organization),
    async write({ plan, agreed, record, writer }) {
      const keys = readOrganizationPlanKeys(plan);
      if (!record && keys.length === 0) throw new Refusal('No domain or name to match on.');
      const lookup = {
        keys,
        isMatch: (body: Values) => isSameOrganization(plan, body),
        ...list.freshly(() => matchOrganization(index, plan)),
      };
      const organization = record
        ? await update(agreed, record, writer, recordWriter)
        : await create(agreed, lookup, writer, recordWriter);
      if (organization !== record) index.put(organization);
      await membership.join(organization, 'Organization', agreed, writer);
      return organization.id ?? '';
    },
  };
}

/** Creates the organization. If its domain was taken since, the list is read again to update the other one. */
async function create(
  plan: RowPlan,
  lookup: Omit<Creation, 'body'>,
  writer: RowWriter,
  recordWriter: RecordWriter,
): Promise<StoredRecord> {
  const { name, domains } = plan.own;
  const custom_fields = plan.custom.length > 0 && { custom_fields: formatValues(plan.custom) };
  const body = { name: name?.[0], domains, ...custom_fields };
  const isDuplicate = (error: unknown) => domains !== undefined && isTaken(error);
  const { record, isNew } = await recordWriter.create(writer, { ...lookup, body, isDuplicate });
  return isNew ? record : update(plan, record, writer, recordWriter);
}

/** Sends what differs. PATCH adds domains to the existing ones. */
function update(
  { own, custom }: RowPlan,
  current: StoredRecord,
  writer: RowWriter,
  recordWriter: RecordWriter,
): Promise<StoredRecord> {
  const [name] = own.name ?? [];
  const hosts = readTexts(current.domains).map((domain) => extractHost(domain) ?? domain);
  const domains = (own.domains ?? []).filter((domain) => !hosts.includes(extractHost(domain) ?? domain));
  const fields = {
    // Rows that differ only in case must not rename it in turn.
    ...(name !== undefined && foldName(name) !== foldName(current.name ?? '') && { name }),
    ...(domains.length > 0 && { domains }),
  };
  return recordWriter.update(writer, current, fields, { map: 'custom_fields', wanted: custom });
}

const domainKey = (domain: string) => `domain:${extractHost(domain) ?? domain.trim().toLowerCase()}`;

/** Returns a name without differences of case, spacing, character width and Unicode composition. */
export const foldName = (name: string) => name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();

const nameKey = (name: string) => `name:${foldName(name)}`;

/** The key of an organization without a domain: it matches any row with its name. */
const bareNameKey = (name: string) => `bare:${foldName(name)}`;

/** Returns the keys of an organization in an index. */
export function readOrganizationKeys({ name, domains }: StoredRecord): string[] {
  const names = name ? [name] : [];
  const hosts = readTexts(domains);
  const bareNames = hosts.length === 0 ? names.map(bareNameKey) : [];
  return [...names.map(nameKey), ...bareNames, ...hosts.map(domainKey)];
}

/** Returns the keys that rows about one organization have in common. */
export function readOrganizationPlanKeys({ own: { name = [], domains = [] } }: RowPlan): string[] {
  return [...name.map(nameKey), ...domains.map(domainKey)];
}

/** Returns the identities of a row. Its name identifies the organization only if the row has no domain. */
export function identifyOrganizationPlan({ own: { name = [], domains = [] } }: RowPlan): Identity[][] {
  const keys = domains.length > 0 ? domains.map(domainKey) : name.map(bareNameKey);
  return [keys.map((key) => ({ key }))];
}

/** Returns the identities of an organization. Its name is one if no other organization has it. */
export function identifyOrganization(index: RecordIndex, { name, domains }: StoredRecord): Identity[] {
  const isUnique = index.findSome(nameKey(name ?? '')).length === 1;
  const names = isUnique ? [bareNameKey(name ?? '')] : [];
  return [...names, ...readTexts(domains).map(domainKey)].map((key) => ({ key }));
}

/**
 * Returns the organization of a row, by its domains, then by its name. One with the same name and other domains is
 * another organization.
 * @throws {Refusal} if several match
 */
export function matchOrganization(
  index: RecordIndex,
  { own: { name = [], domains = [] } }: RowPlan,
): StoredRecord | undefined {
  const byDomain = domains.flatMap((domain) => index.find(domainKey(domain)));
  const toKey = domains.length > 0 ? bareNameKey : nameKey;
  return (
    requireOneWith(byDomain, 'domains', domains) ??
    requireOneWith(
      name.flatMap((one) => index.findSome(toKey(one))),
      'name',
      name,
    )
  );
}

/** Whether an organization with this body, which shares a name or domain with the row, would be the row's organization. */
function isSameOrganization({ own: { domains = [] } }: RowPlan, body: Values): boolean {
  const hosts = new Set(readTexts(body.domains).map(domainKey));
  return hosts.size === 0 || domains.length === 0 || domains.some((domain) => hosts.has(domainKey(domain)));
}

/** Returns the organization that a cell names by id, domain or name. @throws {Refusal} if several match */
export function findOrganization(index: RecordIndex, text: string): StoredRecord | undefined {
  const byId = index.get(text.trim());
  const byKey = [domainKey(text), nameKey(text)].flatMap((key) => index.findSome(key));
  return requireOneWith([...(byId ? [byId] : []), ...byKey], 'name', [text]);
}

/** Returns the body of a new organization from a cell: a domain if the text looks like one, else a name (`Node.js`). */
export function buildOrganization(text: string): Values {
  const value = text.trim();
  const isDomain =
    extractHost(value) !== undefined && (value === value.toLowerCase() || value.includes('://'));
  return isDomain ? { domains: [value] } : { name: value };
}

function requireOneWith(matches: readonly StoredRecord[], field: string, values: readonly string[]) {
  return requireOne(matches, `Several organizations have the ${field} "${values.join('; ')}"`);
}
