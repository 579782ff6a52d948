import { recordFields } from '../../src/contract/record-fields.ts';

// The one line that a new field of contacts takes in the contract. Imported before everything that derives from it.
Reflect.set(recordFields.contacts.own, 'met_at', {
  type: 'datetime',
  label: 'First meeting',
  placeholder: 'TIME',
  title: 'met',
  write: 'always',
  clear: null,
});
