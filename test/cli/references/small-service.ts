import { startControlledMachine } from '../../import/controlled-service.ts';
import type { MachineOptions } from '../../support/kith.ts';

/** The answer that leaves a field of a form empty. */
export const skip = '';

/** Starts the real service with a few records, and a machine whose `fill` answers the questions of a form. */
export async function startSmallService() {
  const service = await startControlledMachine({ NO_COLOR: '1' });
  const { create, kith } = service;
  const acme = await create('organizations', { name: 'Acme', domains: ['acme.example'] });
  const ada = await create('contacts', { first_name: 'Ada', last_name: 'Lovelace', organization_id: acme });
  const muhammad = await create('contacts', { first_name: 'محمد', last_name: 'علي' });
  const list = await create('lists', { name: 'Readers', process: false, entry_type: 'Contact' });
  const field = { model: 'contact', data_type: 'contact' };
  await create('custom_fields', { ...field, name: 'Introduced by', accepts_multiple_values: false });
  await create('custom_fields', { ...field, name: 'Knows', accepts_multiple_values: true });
  service.takeRequests();
  const fill = (line: string, answers: MachineOptions['answers'] = []) =>
    kith(line, { terminal: 200, answers });
  return { ...service, acme, ada, muhammad, list, fill };
}
