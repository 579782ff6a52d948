import sql from 'sql-template-tag';
import type { Input } from '../../contract/grammar.ts';
import type { Organization, organizations } from '../../contract/organizations.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createByteCounter } from '../db/page.ts';
import { createPartsReader, groupParts } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatStamps } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { removeAddresses, storeAddresses, validateAddresses } from './addresses.ts';
import { type FieldRow, selectCustomFields } from './field-definitions.ts';
import {
  blankToNull,
  createValueMaps,
  selectValues,
  type ValueRow,
  validateCustomFields,
} from './field-values.ts';
import { createRecordHandlers, getRecord, type RecordChange, type Validation } from './record-rows.ts';

/** Returns the handlers of organizations (specification, 2.5 and 4.2). */
export function organizationHandlers(deps: Deps): Handlers<'organizations'> {
  const records = createRecordHandlers(deps, {
    table: 'organization',
    paging: {
      countBytes: createByteCounter({
        table: 'organization',
        columns: ['name'],
        parts: [
          ['organization_domain', 'organization_id', ['domain']],
          ['organization_value', 'record_id', ['value']],
        ],
        fields: sql`custom_field where model = 'organization'`,
      }),
    },
    getRow: (db, path: { organization_id: string }) => getRecord(db, 'organization', path.organization_id),
    toRecords: toOrganizations,
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
  const name = blankToNull(input.name);
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

const readParts = createPartsReader<{
  domains: { record: number; domain: string };
  fields: FieldRow;
  values: ValueRow;
}>((chosen) => ({
  domains: sql`select organization_id as record, domain from organization_domain
    where ${chosen('organization_id')} order by organization_id, position`,
  fields: selectCustomFields('organization'),
  values: selectValues('organization_value', chosen),
}));

async function toOrganizations(db: Database, rows: readonly Row<'organization'>[]): Promise<Organization[]> {
  if (rows.length === 0) return [];
  const parts = await readParts(db, rows);
  const domains = groupParts(parts.domains);
  const values = createValueMaps(ids.customField, parts.fields, parts.values);
  return rows.map((row) => ({
    id: ids.organization.encode(row.id),
    name: row.name,
    domains: domains(row.id).map(({ domain }) => domain),
    custom_fields: values(row.id),
    ...formatStamps(row),
  }));
}
