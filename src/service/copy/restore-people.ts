import { models } from '../../contract/record-fields.ts';
import { insertRows } from '../db/statements.ts';
import { createFieldRows, findReference, readStamps, type StoreRecords } from './restore-context.ts';
import { storeAddresses, storePhones, storeValues, toFieldColumns } from './restore-parts.ts';

export const storeCustomFields: StoreRecords<'customFields'> = async (context, records) => {
  const { db, dropped, customFields } = context;
  const stored = records.filter(({ id, row, value: { model, name } }) => {
    const fields = customFields.get(model ?? '') ?? createFieldRows();
    const problem = !models.some((known) => known === model)
      ? 'unknown model'
      : fields.byName.has(name)
        ? 'duplicate name'
        : undefined;
    if (problem === undefined) {
      customFields.set(model ?? '', fields);
      fields.byId.set(id, row);
      fields.byName.set(name, row);
    } else dropped.add('customFields', id, undefined, problem);
    return problem === undefined;
  });
  const rows = stored.map(({ row, value }) => ({
    id: row,
    model: value.model,
    ...toFieldColumns(value),
    ...readStamps(context, value),
  }));
  await insertRows(db, 'custom_field', rows);
  return stored;
};

export const storeOrganizations: StoreRecords<'organizations'> = async (context, records) => {
  const rows = records.map(({ row, value }) => ({
    id: row,
    name: value.name,
    ...readStamps(context, value),
  }));
  await insertRows(context.db, 'organization', rows);
  const owners = records.map(({ row, id, value }) => ({ row, id, texts: value.domains }));
  await storeAddresses(context, 'organizations', owners);
  const fields = context.customFields.get('organization');
  const values = records.map(({ row, id, value }) => ({ row, id, values: value.custom_fields, fields }));
  await storeValues(context, 'organizations', values);
  return records;
};

export const storeContacts: StoreRecords<'contacts'> = async (context, records) => {
  const organizations = await context.numbers.find(
    'organizations',
    records.map(({ value }) => value.organization_id),
  );
  const rows = records.map(({ row, id, value }) => ({
    id: row,
    first_name: value.first_name,
    last_name: value.last_name,
    organization_id: findReference(
      context,
      organizations,
      ['contacts', id, 'organization_id'],
      value.organization_id,
    ),
    ...readStamps(context, value),
  }));
  await insertRows(context.db, 'contact', rows);
  const owners = records.map(({ row, id, value }) => ({ row, id, texts: value.emails }));
  await storeAddresses(context, 'contacts', owners);
  await storePhones(context, records);
  const fields = context.customFields.get('contact');
  const values = records.map(({ row, id, value }) => ({ row, id, values: value.custom_fields, fields }));
  await storeValues(context, 'contacts', values);
  return records;
};
