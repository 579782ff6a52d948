import { models, customFields as routes } from '../../contract/custom-fields.ts';
import { dataTypes } from '../../contract/fields.ts';
import { views } from '../../render/views.ts';
import { command } from '../command.ts';
import { bodyOf, changeOf, dataOption } from '../flags/body.ts';
import { definitionOf } from '../flags/definitions.ts';
import { choice, flag, repeated, required, text } from '../flags/options.ts';
import { listed, shown } from '../listing.ts';
import { asksToDelete, deleted, namedRecord, written } from '../writing.ts';

const id = { summary: 'The id of a custom field' } as const;
const option = repeated(text('A value of a select', 'OPTION'));

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
    args: { name: 'What it is called' },
    options: {
      model: required(choice('What it is a field of:', models, 'MODEL')),
      type: choice('Type of its values (default text):', dataTypes, 'TYPE'),
      option,
      multiple: flag('A record may hold several values'),
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
    options: { name: text('What it is called from now on', 'NAME'), option, data: dataOption },
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
    summary: 'Delete custom fields, with their values',
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
          const called = model === undefined ? name : `${name} of each ${model}`;
          return `${await namedRecord(custom_field_id, called)}, with its values`;
        },
      }),
  }),
];
