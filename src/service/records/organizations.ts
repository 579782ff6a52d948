import type { Input } from '../../contract/grammar.ts';
import type { Organization, organizations } from '../../contract/organizations.ts';
import { settleAll } from '../../values/concurrency.ts';
import * as member from '../db/record-members.ts';
import { createRecordReader } from '../db/record-reader.ts';
import type { Row } from '../db/tables.ts';
import type { Deps, Handlers } from '../deps.ts';
import { readOwners, removeAddresses, storeAddresses, validateAddresses } from './addresses.ts';
import { selectCustomFields } from './field-definitions.ts';
import { readName, readUsedFields, validateValues } from './field-values.ts';
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
  const name = readName(input.name);
  const owner = { id: row?.id, name: name === undefined ? row?.name : name };
  const [owners, fields] = await settleAll([
    readOwners(db, 'organization', domains),
    readUsedFields(db, 'organization', custom_fields),
  ]);
  const newDomains = await validateAddresses(check, 'organization', owner, domains, owners);
  const storeCustomFields = await validateValues(check, 'organization_value', fields, custom_fields);
  return {
    columns: { name },
    storeParts: (id) =>
      settleAll([storeAddresses(db, 'organization', id, newDomains, !row), storeCustomFields(id, !row)]),
  };
}

export const organizationReader = createRecordReader<Organization>({
  table: 'organization',
  resource: 'organization',
  members: {
    id: member.id('organization'),
    name: member.value('name'),
    domains: member.texts(
      { table: 'organization_domain', owner: 'organization_id', order: 'position' },
      'domain',
    ),
    custom_fields: member.values('organization_value'),
    ...member.stamps,
  },
  fields: { resource: 'customField', select: selectCustomFields('organization') },
})(undefined);
