import { createWatchedImport } from '../commands/import/import-machine.ts';
import { funnel } from './controlled-service.ts';

type Json = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * Creates a machine that uses a service with these records:
 *
 * - the organizations Twin (t1.example), Twin (t2.example), Acme (acme.example) and 한빛물류;
 * - the contacts Ada Lovelace (a@x.example, +821055501234, Engineer, of Acme), Bob (b@x.example), Gabriel García Márquez
 *   (g@x.example, +4930901820), 太郎 山田 (y@x.example), Taro Yamada (t@x.example), and two
 *   named Sam Smith of Acme (s1@x.example, s2@x.example);
 * - the process Funnel of contacts with FUN-1 (Ada, Won) and FUN-2 (Taro), the process Deals of organizations without
 *   entries, the process Quotes of organizations with Q-1 and Q-2 (both Acme), two processes with a TWIN-1 (both Acme),
 *   and the list News of contacts without entries;
 * - the note "Known" about Acme, without a deal.
 *
 * `toNames` replaces the ids in a text with the first domain, email address, key or name of their records, in brackets;
 * `toIds` does the opposite.
 */
export async function createSampleWorkspace() {
  const machine = await createWatchedImport();
  const { sendOk, create } = machine;
  const createField = (model: string, name: string, data_type: string, accepts_multiple_values = false) =>
    create('custom_fields', { model, name, data_type, accepts_multiple_values });
  await createField('contact', 'Title', 'text');
  await createField('contact', 'Rooms', 'number');
  await createField('contact', 'Birthday', 'date');
  await createField('contact', 'Visit', 'datetime');
  await createField('contact', 'Tags', 'text', true);
  await createField('contact', 'Mentor', 'contact');
  await createField('organization', 'Size', 'number');
  await createField('organization', 'By', 'contact');
  await create('organizations', { name: 'Twin', domains: ['t1.example'] });
  await create('organizations', { name: 'Twin', domains: ['t2.example'] });
  const acme = await create('organizations', { name: 'Acme', domains: ['acme.example'] });
  await create('organizations', { name: '한빛물류' });
  const ada = await create('contacts', {
    first_name: 'Ada',
    last_name: 'Lovelace',
    emails: ['a@x.example'],
    phone_numbers: ['+821055501234'],
    organization_id: acme,
    custom_fields: [
      { name: 'Title', value: 'Engineer' },
      { name: 'Tags', value: ['one', 'two'] },
    ],
  });
  await create('contacts', { first_name: 'Bob', emails: ['b@x.example'] });
  const gabriel = { first_name: 'Gabriel', last_name: 'García Márquez', emails: ['g@x.example'] };
  await create('contacts', { ...gabriel, phone_numbers: ['+4930901820'] });
  await create('contacts', { first_name: '太郎', last_name: '山田', emails: ['y@x.example'] });
  const taro = await create('contacts', { first_name: 'Taro', last_name: 'Yamada', emails: ['t@x.example'] });
  const sam = { first_name: 'Sam', last_name: 'Smith', organization_id: acme };
  for (const email of ['s1@x.example', 's2@x.example']) await create('contacts', { ...sam, emails: [email] });
  const tier = { name: 'Tier', data_type: 'select', options: ['Gold', 'Silver'] };
  const process = { ...funnel, fields: [{ ...tier, accepts_multiple_values: false }] };
  const ofOrganizations = { ...process, entry_type: 'Organization' };
  const contacts = await create('lists', process);
  await create('lists', { ...ofOrganizations, name: 'Deals', identifier: 'D' });
  const quotes = await create('lists', { ...ofOrganizations, name: 'Quotes', identifier: 'Q' });
  const twins = [
    await create('lists', { ...ofOrganizations, name: 'One', identifier: 'TWIN' }),
    await create('lists', { ...ofOrganizations, name: 'Two', identifier: 'TWIN' }),
  ];
  await create('lists', { name: 'News', process: false, entry_type: 'Contact' });
  const addEntry = (list: string, entryable_type: string, entryable_id: string, status: string) =>
    create(`lists/${list}/entries`, { entryable_id, entryable_type, status });
  await addEntry(contacts, 'Contact', ada, 'Won');
  await addEntry(contacts, 'Contact', taro, 'Lead');
  for (const list of [quotes, quotes, ...twins]) await addEntry(list, 'Organization', acme, 'Lead');
  await create('notes', { organization_id: acme, body: 'Known' });
  machine.takeRequests();

  const readAll = async (path: string) => (await sendOk<{ data: Json[] }>(`GET /v1/${path}?first=100`)).data;
  const readNames = async () => {
    const lists = await readAll('lists');
    const entries = await Promise.all(lists.map(({ id }) => readAll(`lists/${id}/entries`)));
    const others = await Promise.all(['organizations', 'contacts', 'notes'].map(readAll));
    return [...others, lists, ...entries]
      .flat()
      .map(({ id, domains, emails, key, name, first_name, body }) => [
        id,
        `[${[domains, emails, key, name, first_name, body].flat().find((text) => text)}]`,
      ]);
  };
  const toNames = async (texts: readonly string[]) => {
    const names = await readNames();
    return texts.map((text) => names.reduce((all, [id = '', name = '']) => all.replaceAll(id, name), text));
  };
  const toIds = async (text: string) =>
    (await readNames()).reduce((all, [id = '', name = '']) => all.replaceAll(name, id), text);
  return { ...machine, toNames, toIds };
}
