import { serviceInFront } from '../../import/service-in-front.ts';
import { importingMachine } from './importing.ts';

/** A machine on a service, and a process in it. */
export async function prepared() {
  const front = await serviceInFront();
  const machine = await importingMachine({ env: front.env });
  const { give } = front;
  const field = (name: string, data_type: string, several = false) =>
    give('POST /v1/custom_fields', { model: 'contact', name, data_type, accepts_multiple_values: several });
  await field('Rooms', 'number');
  await field('Visit', 'datetime');
  await field('Tags', 'text', true);
  await give('POST /v1/custom_fields', { model: 'organization', name: 'Size', data_type: 'number' });
  await give('POST /v1/lists', {
    name: 'Funnel',
    process: true,
    entry_type: 'Contact',
    identifier: 'FUN',
    duplicates_allowed: true,
    statuses: [
      { name: 'Lead', type: 'active' },
      { name: 'Won', type: 'won' },
    ],
    fields: [{ name: 'Tier', data_type: 'text' }],
  });
  const undo = (flags = '', name = 'sheet.report.csv') =>
    machine.kith(`contacts import --undo ${machine.at(name)} --yes ${flags}`);
  return { ...front, ...machine, undo };
}

export const counts = (out: string) => out.replace(/^.*?: /, '').trim();
