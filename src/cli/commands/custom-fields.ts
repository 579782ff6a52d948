import { models, customFields as routes } from '../../contract/custom-fields.ts';
import { dataTypes } from '../../contract/fields.ts';
import { views } from '../../render/views.ts';
import { defineCommand } from '../command.ts';
import { buildBody, buildUpdateBody, dataOption } from '../flags/body.ts';
import { buildFieldDefinition } from '../flags/definitions.ts';
import { choice, flag, repeated, required, text } from '../flags/options.ts';
import { defineRecordCommands } from '../records.ts';
import { writeRecord } from '../writing.ts';

const { list, get, remove } = defineRecordCommands({
  what: 'custom field',
  routes,
  idName: 'custom_field_id',
  view: views.customFields,
  examples: {
    list: ['custom-fields list', 'fields list --json --fields id,name,model'],
    get: ['custom-fields get FIELD'],
    delete: ['custom-fields delete FIELD --yes'],
  },
  deletion: {
    summary: 'Delete custom fields and their values',
    getName: ({ name, model }) => (model ? `${model} field ${name}` : name),
    suffix: ', with its values',
  },
});

const option = repeated(text('Allowed value of a select field', 'OPTION'));

export const customFields = [
  list,
  get,
  defineCommand({
    name: 'create',
    summary: routes.create.summary,
    isWrite: true,
    isCreateOnly: true,
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
      const definition = buildFieldDefinition({ name, type, multiple, options: option });
      const body = await buildBody(session, data, { ...definition, model });
      return writeRecord(session, routes.create, {}, body, views.customFields);
    },
  }),
  defineCommand({
    name: 'update',
    summary: routes.update.summary,
    isWrite: true,
    args: { id: 'Custom field ID' },
    options: { name: text('New name', 'NAME'), option, data: dataOption },
    examples: [
      'custom-fields update FIELD --name Territory',
      'fields update FIELD --option EMEA --option AMER',
    ],
    async run(session, { id, name, option, data }) {
      const body = await buildUpdateBody(session, data, { name, options: option });
      return writeRecord(session, routes.update, { custom_field_id: id }, body, views.customFields);
    },
  }),
  remove,
];
