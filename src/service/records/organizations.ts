import sql from 'sql-template-tag';
import type { Input } from '../../contract/grammar.ts';
import type { Organization, organizations } from '../../contract/organizations.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createByteCounter } from '../db/page.ts';
import { belongsTo, readParts } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatStamps } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import type { FieldErrors } from '../field-errors.ts';
import { removeAddresses, storeAddresses, validateAddresses, validateIdentity } from './addresses.ts';
import { readCustomFields } from './field-definitions.ts';
import { blankToNull, readValueMaps, storeValues, validateValues } from './field-values.ts';
import { createRecordHandlers, type RecordChange } from './record-rows.ts';

/** Returns the handlers of organizations (specification, 2.5 and 4.2). */
export function organizationHandlers(deps: Deps): Handlers<'organizations'> {
  const records = createRecordHandlers(deps, {
    kind: 'organization',
    countBytes,
    toRecords: toOrganizations,
    validate: validateOrganization,
  });
  return {
    ...records,
    removeDomains: records.change((db, { domains = [] }: { domains: string[] }, errors, row) =>
      removeAddresses(db, 'organization', row, domains, errors),
    ),
  };
}

const countBytes = createByteCounter({
  table: 'organization',
  columns: ['name'],
  parts: [
    ['organization_domain', 'organization_id', ['domain']],
    ['organization_value', 'record_id', ['value']],
  ],
  fields: sql`custom_field where model = 'organization'`,
});

async function validateOrganization(
  db: Database,
  { domains = [], custom_fields = [], ...input }: Input<typeof organizations.create>,
  errors: FieldErrors,
  row: Row<'organization'> | undefined,
): Promise<RecordChange<'organization'>> {
  const name = blankToNull(input.name);
  const newDomains = await validateAddresses(db, 'organization', row?.id, domains, errors);
  const fields = await readCustomFields(db, 'organization');
  const values = await validateValues(db, fields, custom_fields, errors, ['custom_fields']);
  if (domains.length === 0) {
    await validateIdentity(db, 'organization', row?.id, name === undefined ? row?.name : name, errors);
  }
  return {
    columns: { name },
    async storeParts(id) {
      await storeAddresses(db, 'organization', id, newDomains);
      await storeValues(db, 'organization_value', id, values);
    },
  };
}

async function toOrganizations(db: Database, rows: readonly Row<'organization'>[]): Promise<Organization[]> {
  if (rows.length === 0) return [];
  const organizations = rows.map(({ id }) => id);
  const domains = await readParts<{ record: number; domain: string }>(
    db,
    sql`select organization_id as record, domain from organization_domain
      where ${belongsTo('organization_id', organizations)} order by organization_id, position`,
  );
  const fields = await readCustomFields(db, 'organization');
  const values = await readValueMaps(db, 'organization_value', fields, organizations);
  return rows.map((row) => ({
    id: ids.organization.encode(row.id),
    name: row.name,
    domains: domains(row.id).map(({ domain }) => domain),
    custom_fields: values(row.id),
    ...formatStamps(row),
  }));
}
