import type { Input } from '../../contract/grammar.ts';
import type { Organization, organizations } from '../../contract/organizations.ts';
import { createRecordReader } from '../db/record-reader.ts';
import type { Row } from '../db/tables.ts';
import { formatStamps } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { removeAddresses, storeAddresses, validateAddresses } from './addresses.ts';
import { type FieldRow, fieldColumns, selectCustomFields } from './field-definitions.ts';
import {
  convertBlankToNull,
  createValueMaps,
  createValuePart,
  type ValueRow,
  validateCustomFields,
} from './field-values.ts';
import {
  createRecordHandlers,
  createRecordLookup,
  type RecordChange,
  type Validation,
} from './record-rows.ts';

/** Returns the handlers of organizations (specification, 2.5 and 4.2). */
export function organizationHandlers(deps: Deps): Handlers<'organizations'> {
  const records = createRecordHandlers(deps, {
    ...createRecordLookup('organization'),
    reader: organizationReader,
    validate: validateOrganization,
  });
  return {
    ...records,
    removeDomains: records.change((check, { domains = [] }: { domains: string[] }, row) =>
      removeAddresses(check, 'organization', row, domains),
    ),
  };
}

async function validateOrganization(
  check: Validation,
  { domains = [], custom_fields = [], ...input }: Input<typeof organizations.create>,
  row: Row<'organization'> | undefined,
): Promise<RecordChange<'organization'>> {
  const { db } = check;
  const name = convertBlankToNull(input.name);
  const owner = { id: row?.id, name: name === undefined ? row?.name : name };
  const newDomains = await validateAddresses(check, 'organization', owner, domains);
  const storeCustomFields = await validateCustomFields(check, 'organization', custom_fields);
  return {
    columns: { name },
    async storeParts(id) {
      await storeAddresses(db, 'organization', id, newDomains);
      await storeCustomFields(id);
    },
  };
}

interface OrganizationRow extends Row<'organization'> {
  readonly domains: string[];
  readonly values: ValueRow[];
}

export const organizationReader = createRecordReader<OrganizationRow, FieldRow>({
  table: 'organization',
  resource: 'organization',
  columns: ['id', 'name', 'created_at', 'updated_at'],
  parts: {
    domains: {
      table: 'organization_domain',
      owner: 'organization_id',
      columns: ['domain'],
      order: 'position',
    },
    values: createValuePart('organization'),
  },
  fields: { columns: fieldColumns, select: selectCustomFields('organization') },
})(({ rows, fields }, ids): Organization[] => {
  const buildMap = createValueMaps(ids.customField, fields);
  return rows.map((row) => ({
    id: ids.organization.encode(row.id),
    name: row.name,
    domains: row.domains,
    custom_fields: buildMap(row.values),
    ...formatStamps(row),
  }));
});
