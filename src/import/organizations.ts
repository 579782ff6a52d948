import type { StoredRecord, Values } from '../changes/values.ts';
import { organizations } from '../contract/organizations.ts';
import { extractHost, normalizeDomain } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import { foldName } from '../values/names.ts';
import { type RowBody, toNamedValues } from './body-errors.ts';
import type { OwnColumns, RowPlan } from './mapping.ts';
import { Refusal, requireOne } from './outcome.ts';
import {
  createColumns,
  createComparedColumns,
  findNewValues,
  listImported,
  readOwnValues,
} from './own-fields.ts';
import { createRecordIndex, type Identity, type ImporterOptions, loadList } from './record-index.ts';
import { isTaken, RecordWriter, type RowWrites } from './record-writer.ts';
import type { Importer } from './run.ts';

/** The columns of organizations, apart from custom fields. */
export function createOrganizationColumns(): OwnColumns {
  const { name, ...columns } = createColumns(listImported('organizations'));
  return { name: { ...name, aliases: ['organization'] }, ...columns };
}

/** Returns the bodies that a row may need, to check them. */
export const planOrganizationBodies = (plan: RowPlan): RowBody[] => [
  {
    what: 'organization',
    body: { ...planFields(plan, undefined), custom_fields: toNamedValues(plan.custom) },
  },
];

/** Imports organizations. Each is matched by domain, then by name. */
export async function createOrganizationImporter(options: ImporterOptions): Promise<Importer> {
  const matcher = await loadOrganizations(options);
  const { index, reload, match } = matcher;
  const recordWriter = new RecordWriter(options.client, index, { what: 'organization' });
  return {
    ...matcher,
    main: 'organization',
    compared: { ...createComparedColumns('organizations'), name: foldName },
    async match(plan) {
      const organization = match(plan);
      return organization && recordWriter.refresh(organization);
    },
    async write({ plan, agreed, record, writes }) {
      const keys = matcher.readKeys(plan);
      if (!record && keys.length === 0) throw new Refusal('No domain or name to match on.');
      const organization = await recordWriter.save(writes, record, {
        planFields: (existing) => planFields(agreed, existing),
        values: agreed.custom,
        keys,
        isMatch: (values) => isSameOrganization(plan, values),
        isDuplicate: (error) => agreed.own.domains !== undefined && isTaken(error),
        lookUp: (onlyNew) => reload(onlyNew).then(() => match(plan)),
      });
      if (organization !== record) index.put(organization);
      return organization;
    },
  };
}

/** Returns the fields of a new organization, or the changed fields of an existing one. */
function planFields(plan: RowPlan, existing: StoredRecord | undefined): Values {
  if (!existing) return readOwnValues('organizations', plan);
  const { name, ...changes } = findNewValues('organizations', plan, existing);
  // Rows that differ only in case must not rename it in turn.
  const isRenamed = name !== undefined && foldName(String(name)) !== foldName(existing.name ?? '');
  return { ...(isRenamed && { name }), ...changes };
}

const toDomainKey = (domain: string) => `domain:${normalizeDomain(domain)}`;

const toNameKey = (name: string) => `name:${foldName(name)}`;

/** The key of an organization without a domain: it matches any row with its name. */
const toBareNameKey = (name: string) => `bare:${foldName(name)}`;

/** Returns the keys of an organization in an index. */
function readRecordKeys({ name, domains }: StoredRecord): string[] {
  const names = name ? [name] : [];
  const hosts = readTexts(domains);
  const bareNames = hosts.length === 0 ? names.map(toBareNameKey) : [];
  return [...names.map(toNameKey), ...bareNames, ...hosts.map(toDomainKey)];
}

/** Reads the organizations and returns functions that find them. */
export async function loadOrganizations(options: ImporterOptions) {
  const index = createRecordIndex(options, readRecordKeys);
  const { reload } = await loadList(options, index, organizations.list);
  /** Returns the organization that a cell names by id, domain or name. @throws {Refusal} if several match */
  const find = (text: string) => {
    const byId = index.get(text.trim()) ?? [];
    const byKey = [toDomainKey(text), toNameKey(text)].flatMap((key) => index.findSome(key));
    return requireOneWith([byId, byKey].flat(), 'name', [text]);
  };
  return {
    index,
    reload,
    find,
    read: (id: string) => index.get(id),
    /** Returns the keys that rows about one organization have in common. */
    readKeys: ({ own: { name = [], domains = [] } }: RowPlan) => [
      ...name.map(toNameKey),
      ...domains.map(toDomainKey),
    ],
    /** Returns the identities of a row. Its name identifies the organization only if the row has no domain. */
    identifyPlan({ own }: RowPlan): Identity[][] {
      const { organization = [], name = organization, domains = [] } = own;
      const keys = domains.length > 0 ? domains.map(toDomainKey) : name.map(toBareNameKey);
      return [keys.map((key) => ({ key }))];
    },
    /**
     * Returns the organization of a row, by its domains, then by its name. One with the same name and other domains is
     * another organization. The row of an entry may name an existing one in any way. @throws {Refusal} if several match
     */
    match({ own: { name = [], domains = [], organization = [] } }: RowPlan): StoredRecord | undefined {
      const byDomain = domains.flatMap((domain) => index.find(toDomainKey(domain)));
      const toKey = domains.length > 0 ? toBareNameKey : toNameKey;
      const byName = name.flatMap((one) => index.findSome(toKey(one)));
      const [text] = organization;
      return (
        requireOneWith(byDomain, 'domains', domains) ??
        requireOneWith(byName, 'name', name) ??
        (text === undefined ? undefined : find(text))
      );
    },
    /** Returns the identities of an organization. Its name is one if no other organization has it. */
    identify({ name, domains }: StoredRecord): Identity[] {
      const isUnique = index.findSome(toNameKey(name ?? '')).length === 1;
      const names = isUnique ? [toBareNameKey(name ?? '')] : [];
      return [...names, ...readTexts(domains).map(toDomainKey)].map((key) => ({ key }));
    },
  };
}

function requireOneWith(matches: readonly StoredRecord[], field: string, values: readonly string[]) {
  return requireOne(matches, `Several organizations have the ${field} "${values.join('; ')}"`);
}

/** Whether an organization with these values, which shares a name or domain with the row, would be the row's organization. */
function isSameOrganization({ own: { domains = [] } }: RowPlan, values: Values): boolean {
  const hosts = new Set(readTexts(values.domains).map(toDomainKey));
  return hosts.size === 0 || domains.length === 0 || domains.some((domain) => hosts.has(toDomainKey(domain)));
}

/**
 * Returns a function that finds an organization by the text of a cell. If several rows name a new one, one of them
 * creates it. One that someone else created since is found by reading the list again.
 */
export async function createOrganizationResolver(
  options: ImporterOptions,
): Promise<(text: string, writes: RowWrites) => Promise<string>> {
  const { index, reload, find } = await loadOrganizations(options);
  const recordWriter = new RecordWriter(options.client, index, { what: 'organization' });
  const pending = new Map<string, Promise<string>>();
  const create = async (text: string, writes: RowWrites) => {
    const organization = await recordWriter.save(writes, undefined, {
      planFields: (existing) => (existing ? {} : planNamed(text)),
      values: [],
      keys: [foldName(text)],
      isDuplicate: isTaken,
      lookUp: (onlyNew) => reload(onlyNew).then(() => find(text)),
    });
    index.put(organization);
    return organization.id ?? '';
  };
  return async (text, writes) => {
    const key = foldName(text);
    // The row whose create fails reports it. The rows that waited for it try again, one after the other.
    while (pending.has(key)) await pending.get(key)?.catch(() => {});
    const known = find(text);
    if (known) return known.id ?? '';
    const creation = create(text.trim(), writes).finally(() => pending.delete(key));
    pending.set(key, creation);
    return creation;
  };
}

/** Returns the fields of a new organization from a cell: a domain if the text looks like one, else a name (`Node.js`). */
export function planNamed(text: string): Values {
  const isDomain = extractHost(text) !== undefined && (text === text.toLowerCase() || text.includes('://'));
  return isDomain ? { domains: [text] } : { name: text };
}
