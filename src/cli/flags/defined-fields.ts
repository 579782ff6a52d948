import type { Client } from '../../client/client.ts';
import { customFields, type Model } from '../../contract/custom-fields.ts';
import { type Fields, fieldsOf } from '../../render/fields.ts';
import { iterateRecords } from '../listing.ts';

/** The custom fields of a model, as the service defines them. */
export async function listCustomFields(client: Client, model: Model): Promise<Fields[]> {
  const defined: Fields[] = [];
  for await (const { value } of iterateRecords(client, customFields.list, {})) {
    const field = fieldsOf(value);
    if (field.model === model) defined.push(field);
  }
  return defined;
}
