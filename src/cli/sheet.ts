import type { Client } from '../client/client.ts';
import type { Batch } from '../client/pages.ts';
import { sentAs } from '../contract/json-text.ts';
import { organizations } from '../contract/organizations.ts';
import { fieldsOf } from '../output/fields.ts';
import { contactSheet, organizationSheet } from '../output/sheets.ts';
import type { Answer } from './command.ts';
import { definedFields } from './defined-fields.ts';
import { allOf } from './listing.ts';
import { organizationNames } from './organization-names.ts';

/** What has a sheet. */
export type SheetModel = 'contact' | 'organization';

/** Records with every column that an import reads: the custom fields of the workspace too, whoever has them. */
export async function sheetOf(
  client: Client,
  model: SheetModel,
  batches: AsyncIterable<Batch>,
): Promise<Answer> {
  const columns = (model === 'contact' ? contactSheet : organizationSheet)(
    await definedFields(client, model),
  );
  return {
    kind: 'records',
    view: () => columns,
    batches: model === 'contact' ? withOrganizations(client, batches) : batches,
  };
}

/** Contacts with their `organization` as a text; organizations are read when the first contact has one. */
async function* withOrganizations(client: Client, batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  let names: ReadonlyMap<unknown, string> | undefined;
  for await (const batch of batches) {
    const contacts = batch.records.map(({ value }) => fieldsOf(value));
    if (names === undefined && contacts.some(({ organization_id }) => organization_id)) {
      names = await organizationNames(allOf(client, organizations.list, {}));
    }
    const records = contacts.map((contact) => {
      const { organization_id: id } = contact;
      return sentAs({ ...contact, organization: names?.get(id) ?? id });
    });
    yield { ...batch, records };
  }
}
