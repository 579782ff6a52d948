import { startControlledService } from '../../import/controlled-service.ts';
import { createMachine } from '../../support/kith.ts';

/** Starts the real service with a few records, and signs a machine in to it. */
export async function startSmallService() {
  const service = await startControlledService();
  const { sendOk, env } = service;
  const create = async (path: string, body: object) =>
    (await sendOk<{ id: string }>(`POST ${path}`, body)).id;
  const acme = await create('/v1/organizations', { name: 'Acme', domains: ['acme.example'] });
  const ada = await create('/v1/contacts', {
    first_name: 'Ada',
    last_name: 'Lovelace',
    organization_id: acme,
  });
  const muhammad = await create('/v1/contacts', { first_name: 'محمد', last_name: 'علي' });
  const list = await create('/v1/lists', { name: 'Readers', process: false, entry_type: 'Contact' });
  for (const [name, accepts_multiple_values] of [
    ['Introduced by', false],
    ['Knows', true],
  ] as const)
    await create('/v1/custom_fields', {
      name,
      model: 'contact',
      data_type: 'contact',
      accepts_multiple_values,
    });
  service.takeRequests();
  const kith = createMachine();
  return {
    ...service,
    acme,
    ada,
    muhammad,
    list,
    create,
    kith: (words: readonly string[]) => kith(words, { env }),
  };
}
