import { organizations } from '../contract/organizations.ts';
import { type Fields, plain } from '../render/fields.ts';
import { extractHost } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import { formatValues } from './custom-values.ts';
import type { OwnColumns } from './mapping.ts';
import { type Membership, noMembership } from './membership.ts';
import {
  foldName,
  identifyOrganization,
  identifyOrganizationPlan,
  isSameOrganization,
  matchOrganization,
  readOrganizationKeys,
  readOrganizationPlanKeys,
} from './organization-match.ts';
import { isTaken, Refusal } from './outcome.ts';
import { idKey, RecordIndex, syncList } from './record-index.ts';
import { type Creation, createRecordWriter, type RecordWriter } from './record-writer.ts';
import type { RowPlan } from './row-plan.ts';
import type { RowWriter } from './row-writer.ts';
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
  const index = new RecordIndex(readOrganizationKeys);
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
        isMatch: (body: Fields) => isSameOrganization(plan, body),
        ...list.freshly(() => matchOrganization(index, plan)),
      };
      const organization = record
        ? await update(agreed, record, writer, recordWriter)
        : await create(agreed, lookup, writer, recordWriter);
      if (organization !== record) index.put(organization);
      await membership.join(organization, 'Organization', agreed, writer);
      return plain(organization.id);
    },
  };
}

/** Creates the organization. If its domain was taken since, the list is read again to update the other one. */
async function create(
  plan: RowPlan,
  lookup: Omit<Creation, 'body'>,
  writer: RowWriter,
  recordWriter: RecordWriter,
): Promise<Fields> {
  const { name, domains } = plan.own;
  const custom_fields = plan.custom.length > 0 && { custom_fields: formatValues(plan.custom) };
  const body = { name: name?.[0], domains, ...custom_fields };
  try {
    const { record, isNew } = await recordWriter.create(writer, { ...lookup, body });
    return isNew ? record : await update(plan, record, writer, recordWriter);
  } catch (error) {
    if (!isTaken(error) || !domains) throw error;
    const other = await lookup.lookUp();
    if (!other) throw error;
    return update(plan, other, writer, recordWriter);
  }
}

/** Sends what differs. PATCH adds domains to the existing ones. */
function update(
  { own, custom }: RowPlan,
  current: Fields,
  writer: RowWriter,
  recordWriter: RecordWriter,
): Promise<Fields> {
  const [name] = own.name ?? [];
  const hosts = readTexts(current.domains).map((domain) => extractHost(domain) ?? domain);
  const domains = (own.domains ?? []).filter((domain) => !hosts.includes(extractHost(domain) ?? domain));
  const fields = {
    // Rows that differ only in case must not rename it in turn.
    ...(name !== undefined && foldName(name) !== foldName(plain(current.name)) && { name }),
    ...(domains.length > 0 && { domains }),
  };
  return recordWriter.update(writer, current, fields, { map: 'custom_fields', wanted: custom });
}
