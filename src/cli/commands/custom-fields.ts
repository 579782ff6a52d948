import { models, customFields as routes } from '../../contract/custom-fields.ts';
import { dataTypes } from '../../contract/fields.ts';
import { views } from '../../render/views.ts';
import { command } from '../command.ts';
import { bodyOf, changeOf, dataOption } from '../flags/body.ts';
import { definitionOf } from '../flags/definitions.ts';
import { choice, flag, repeated, required, text } from '../flags/options.ts';
import { listed, shown } from '../listing.ts';
import { asksToDelete, deleted, namedRecord, written } from '../writing.ts';

const id = { summary: 'Custom field ID' } as const;
const option = repeated(text('Allowed value of a select field', 'OPTION'));

export const customFields = [
  command({
    name: 'list',
    summary: routes.list.summary,
    paged: true,
    examples: ['custom-fields list', 'fields list --json --fields id,name,model'],
    run: (session) => listed(session, routes.list, {}, views.customFields),
  }),
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { id },
    examples: ['custom-fields get FIELD'],
    run: (session, { id }) => shown(session, routes.get, { custom_field_id: id }, views.customFields),
  }),
  command({
    name: 'create',
    summary: routes.create.summary,
    writes: true,
    adds: true,
    args: { name: 'Field name' },
    options: {
      model: required(choice('Record type that gets the field:', models, 'MODEL')),
      type: choice('Data type (default text):', dataTypes, 'TYPE'),
      option,
      multiple: flag('Allow several values per record'),
      data: dataOption,
    },
    examples: [
      'custom-fields create Region --model organization --type select --option EMEA --option APAC',
      'custom-fields create Anniversary --model contact --type date',
    ],
    async run(session, { name, model, type, option, multiple, data }) {
      const definition = definitionOf({ name, type, multiple, options: option });
      const body = await bodyOf(session, data, { ...definition, model });
      return written(session, routes.create, {}, body, views.customFields);
    },
  }),
  command({
    name: 'update',
    summary: routes.update.summary,
    writes: true,
    args: { id },
    options: { name: text('New name', 'NAME'), option, data: dataOption },
    examples: [
      'custom-fields update FIELD --name Territory',
      'fields update FIELD --option EMEA --option AMER',
    ],
    async run(session, { id, name, option, data }) {
      const body = await changeOf(session, data, { name, options: option });
      return written(session, routes.update, { custom_field_id: id }, body, views.customFields);
    },
  }),
  command({
    name: 'delete',
    summary: 'Delete custom fields and their values',
    writes: true,
    attended: asksToDelete,
    args: { id: { ...id, several: true } },
    examples: ['custom-fields delete FIELD --yes'],
    run: (session, { id }) =>
      deleted(session, {
        what: 'custom field',
        ids: id,
        route: routes.delete,
        params: (custom_field_id) => ({ custom_field_id }),
        named: async (custom_field_id) => {
          const { name, model } = await (await session.client()).customFields.get({ custom_field_id });
          const label = model === undefined ? name : `${model} field ${name}`;
          return `${await namedRecord(custom_field_id, label)}, with its values`;
        },
      }),
  }),
];
