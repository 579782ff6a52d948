import {
  createChoiceOption,
  createFlag,
  createTextOption,
  makeRepeatable,
  makeRequired,
  withBodyField,
} from '../cli/command/options.ts';
import { buildFieldDefinition } from '../cli/flags/definitions.ts';
import { customFields as routes } from '../contract/custom-fields.ts';
import { dataTypes } from '../contract/field-types.ts';
import { models } from '../contract/record-fields.ts';
import { createIfAbsentOption } from './records/match-fields.ts';
import { defineRecordCommands } from './records/record-commands.ts';

const { list, get, create, update, edit, remove } = defineRecordCommands('customFields', routes);

const option = makeRepeatable(createTextOption('Allowed value of a select field', 'OPTION'));

export const customFields = [
  list({
    examples: [
      'custom-fields list',
      'fields list --json --fields id,name,model',
      "custom-fields list --where 'model = contact' --sort name",
    ],
  }),
  get(['custom-fields get FIELD']),
  create({
    description: 'Create a custom field. Without flags, asks in a terminal for its properties.',
    args: { name: { summary: 'Field name' } },
    options: {
      model: makeRequired(createChoiceOption('Record type that gets the field:', models, 'MODEL')),
      type: createChoiceOption('Data type (default text):', dataTypes, 'TYPE'),
      option,
      multiple: createFlag('Allow several values per record'),
      ...createIfAbsentOption('customFields'),
    },
    examples: [
      'custom-fields create Region --model organization --type select --option EMEA --option APAC',
      'custom-fields create Anniversary --model contact --type date',
    ],
    body: (_, { name, model, type, option, multiple }) => ({
      ...buildFieldDefinition({ name, type, multiple, options: option }),
      model,
    }),
  }),
  update({
    options: {
      name: withBodyField('name', createTextOption('New name', 'NAME')),
      option: withBodyField('options', option),
    },
    examples: [
      'custom-fields update FIELD --name Territory',
      'fields update FIELD --option EMEA --option AMER',
    ],
  }),
  edit(['custom-fields edit FIELD']),
  remove({
    summary: 'Delete custom fields and their values',
    examples: ['custom-fields delete FIELD --yes'],
  }),
];
