import { funnel, startControlledService } from '../../import/controlled-service.ts';
import { createImportMachine } from './import-machine.ts';

/** Creates a machine that uses a service with custom fields and a process. */
export async function createUndoMachine() {
  const service = await startControlledService();
  const machine = await createImportMachine({ env: service.env });
  const { sendOk } = service;
  const createField = (name: string, data_type: string, acceptsMany = false) =>
    sendOk('POST /v1/custom_fields', {
      model: 'contact',
      name,
      data_type,
      accepts_multiple_values: acceptsMany,
    });
  await createField('Rooms', 'number');
  await createField('Visit', 'datetime');
  await createField('Tags', 'text', true);
  await sendOk('POST /v1/custom_fields', { model: 'organization', name: 'Size', data_type: 'number' });
  await sendOk('POST /v1/lists', funnel);
  const undo = (flags = '', name = 'sheet.report.csv') =>
    machine.kith(`contacts import --undo ${machine.toPath(name)} --yes ${flags}`);
  return { ...service, ...machine, undo };
}

export const parseCounts = (out: string) => out.replace(/^.*?: /, '').trim();
