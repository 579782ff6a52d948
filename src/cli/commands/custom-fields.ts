import { models, customFields as routes } from '../../contract/custom-fields.ts';
import { dataTypes } from '../../contract/fields.ts';
import { views } from '../../render/views.ts';
import { defineCommand } from '../command.ts';
import { buildBody, buildUpdateBody, dataOption } from '../flags/body.ts';
import { buildFieldDefinition } from '../flags/definitions.ts';
import { choice, flag, repeated, required, text } from '../flags/options.ts';
import { listRecords, showRecord } from '../listing.ts';
import { deleteRecords, describeDeletePrompt, describeRecord, writeRecord } from '../writing.ts';

const id = { summary: 'Custom field ID' } as const;
const option = repeated(text('Allowed value of a select field', 'OPTION'));

export const customFields = [
  defineCommand({
    name: 'list',
    summary: routes.list.summary,
    paging: 'list',
    examples: ['custom-fields list', 'fields list --json --fields id,name,model'],
    run: (session) => listRecords(session, routes.list, {}, views.customFields),
  }),
  defineCommand({
    name: 'get',
    summary: routes.get.summary,
    args: { id },
    examples: ['custom-fields get FIELD'],
    run: (session, { id }) => showRecord(session, routes.get, { custom_field_id: id }, views.customFields),
  }),
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
    args: { id },
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
  defineCommand({
    name: 'delete',
    summary: 'Delete custom fields and their values',
    isWrite: true,
    describeInteraction: describeDeletePrompt,
    args: { id: { ...id, isRepeatable: true } },
    examples: ['custom-fields delete FIELD --yes'],
    run: (session, { id }) =>
      deleteRecords(session, {
        what: 'custom field',
        ids: id,
        route: routes.delete,
        params: (custom_field_id) => ({ custom_field_id }),
        named: async (custom_field_id) => {
          const { name, model } = await (await session.client()).read(routes.get, { custom_field_id });
          const label = model === undefined ? name : `${model} field ${name}`;
          return `${await describeRecord(custom_field_id, label)}, with its values`;
        },
      }),
  }),
];
