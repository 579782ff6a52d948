import { readFileSync } from 'node:fs';
import { listLogs } from '../changes/recording-machine.ts';
import { funnel, startControlledService } from '../import/controlled-service.ts';
import { createFilledWorkspaces, type TestWorkspace } from '../service/service.ts';
import { createMachine, createTemporaryFolder, type MachineOptions } from '../support/kith.ts';

/** Starts a service with two contacts of one person, who are in lists, processes and fields of type `contact`. */
export async function createMergeService(otherName: 'Ada' | null = 'Ada') {
  const { file, filled } = await (otherName === null ? createNamelessWorkspace() : createNamedWorkspace());
  const service = await startControlledService(file);
  const folder = createTemporaryFolder();
  const machine = createMachine(folder);
  return {
    ...service,
    ...filled,
    folder,
    kith: (line: string, options: MachineOptions = {}) => machine(line, { env: service.env, ...options }),
    readLogs: () => readLogs(folder),
  };
}

const createNamedWorkspace = createFilledWorkspaces((workspace) => fillWorkspace(workspace, 'Ada'));
const createNamelessWorkspace = createFilledWorkspaces((workspace) => fillWorkspace(workspace, null));

/** Writes the records, and returns the ids of those that the tests name. */
async function fillWorkspace({ sendOk }: TestWorkspace, otherName: 'Ada' | null) {
  const create = async (noun: string, body: object) =>
    (await sendOk<{ id: string }>(`POST /v1/${noun}`, body)).id;
  const many = { accepts_multiple_values: true };
  const one = { accepts_multiple_values: false };
  const createField = (model: string, name: string, data_type: string, more = {}) =>
    create('custom_fields', { model, name, data_type, ...more });
  await createField('contact', 'Role', 'text');
  await createField('contact', 'City', 'text');
  await createField('contact', 'Tags', 'select', { ...many, options: ['Buyer', 'Press', 'VIP'] });
  await createField('contact', 'Manager', 'contact', one);
  await createField('organization', 'Friends', 'contact', many);
  const organization = await create('organizations', { name: 'Acme' });
  const values = (map: object) => Object.entries(map).map(([name, value]) => ({ name, value }));
  const keep = await create('contacts', {
    first_name: 'Ada',
    emails: ['ada@acme.example'],
    phone_numbers: ['+14155550100'],
    custom_fields: values({ Role: 'Buyer', Tags: ['Buyer'] }),
  });
  const other = await create('contacts', {
    first_name: otherName,
    last_name: otherName && 'Lovelace',
    emails: ['ada@home.example', 'al@home.example'],
    phone_numbers: ['+14155550100', '+14155550101'],
    organization_id: organization,
    custom_fields: values({ Role: 'Press officer', City: 'London', Tags: ['Buyer', 'VIP'] }),
  });
  const colleague = await create('contacts', {
    first_name: 'Omar',
    custom_fields: values({ Manager: other }),
  });
  await sendOk(`PATCH /v1/organizations/${organization}`, {
    custom_fields: values({ Friends: [colleague, other, keep] }),
  });
  const list = await create('lists', {
    name: 'Newsletter',
    process: false,
    entry_type: 'Contact',
    fields: [{ name: 'Edition', data_type: 'text' }],
  });
  const process = await create('lists', funnel);
  const sole = await create('lists', { ...funnel, name: 'Sole', duplicates_allowed: false });
  const deals = await create('lists', {
    ...funnel,
    name: 'Deals',
    entry_type: 'Organization',
    fields: [{ name: 'Champion', data_type: 'contact', ...one }],
  });
  const add = (list: string, entryable_id: string, body: object, entryable_type = 'Contact') =>
    create(`lists/${list}/entries`, { entryable_id, entryable_type, ...body });
  await add(list, keep, {});
  await add(list, other, { list_fields: values({ Edition: 'May' }) });
  await add(process, keep, { status: 'Lead', one_time_value_cents: 100 });
  for (const count of [1, 2])
    await add(process, other, {
      status: 'Won',
      one_time_value_cents: 100 * count,
      assignee_email: 'a@x.example',
    });
  await add(process, other, { status: 'Won', one_time_value_cents: 100, assignee_email: 'a@x.example' });
  await add(sole, other, { status: 'Lead', recurring_value_cents: 500, recurring_value_period: 'monthly' });
  const deal = { contact_id: other, list_fields: values({ Champion: other }) };
  await add(deals, organization, deal, 'Organization');
  return { keep, other, organization, colleague, lists: { list, process, sole, deals } };
}

/** Returns the lines of the logs of all commands. */
const readLogs = (folder: string) => listLogs(folder).map((path) => readFileSync(path, 'utf8'));
