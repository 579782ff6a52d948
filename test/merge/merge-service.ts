import { readFileSync } from 'node:fs';
import { funnel, startControlledMachine } from '../import/controlled-service.ts';
import { readState } from '../import/state.ts';
import { createFilledWorkspaces, type TestWorkspace } from '../service/service.ts';
import { listLogs } from '../undo/recording-machine.ts';

/** Starts a service with two contacts of one person, who are in lists, processes and fields of type `contact`. */
export const createMergeService = async (otherName: 'Ada' | null = 'Ada') =>
  startService(await (otherName === null ? createNamelessWorkspace() : createNamedWorkspace()));

/** Starts a service with two organizations of one company, which have contacts, notes and entries. */
export const createOrganizationMergeService = async (otherName: '㈜한빛 물류' | null = '㈜한빛 물류') =>
  startService(await (otherName === null ? createNamelessCompanies() : createNamedCompanies()));

/** The services by the noun of the records to merge. Without a name, the other record has only addresses. */
export const mergeServices = {
  contacts: (isNamed = true) => createMergeService(isNamed ? 'Ada' : null),
  organizations: (isNamed = true) => createOrganizationMergeService(isNamed ? '㈜한빛 물류' : null),
};
export const mergedNouns = ['contacts', 'organizations'] as const;

/** The addresses of the records to merge. The last two are those of the other record. */
export const mergedAddresses = {
  contacts: ['ada@acme.example', 'ada@home.example', 'al@home.example'],
  organizations: ['hanbit.example', 'hanbit-cold.example', 'hanbit.test'],
};

async function startService<T>({ file, filled }: { readonly file: string; readonly filled: T }) {
  const machine = await startControlledMachine({}, file);
  return { ...machine, ...filled, readLogs: () => readLogs(machine.folder) };
}

const createNamedWorkspace = createFilledWorkspaces((workspace) => fillWorkspace(workspace, 'Ada'));
const createNamelessWorkspace = createFilledWorkspaces((workspace) => fillWorkspace(workspace, null));
const createNamedCompanies = createFilledWorkspaces((workspace) => fillCompanies(workspace, '㈜한빛 물류'));
const createNamelessCompanies = createFilledWorkspaces((workspace) => fillCompanies(workspace, null));

const many = { accepts_multiple_values: true };
const one = { accepts_multiple_values: false };
const values = (map: object) => Object.entries(map).map(([name, value]) => ({ name, value }));

/** Returns functions that create records and return their ids. */
function createWriters({ create }: TestWorkspace) {
  const createField = (model: string, name: string, data_type: string, more = {}) =>
    create('custom_fields', { model, name, data_type, ...more });
  const add = (list: string, entryable_id: string, body: object, entryable_type: string) =>
    create(`lists/${list}/entries`, { entryable_id, entryable_type, ...body });
  return { create, createField, add };
}

/** Writes two organizations with contacts, notes and entries, and returns the ids of those that the tests name. */
async function fillCompanies(workspace: TestWorkspace, otherName: '㈜한빛 물류' | null) {
  const { create, createField, add: addEntry } = createWriters(workspace);
  await createField('organization', 'Industry', 'text');
  await createField('organization', 'City', 'text');
  await createField('organization', 'Tags', 'select', { ...many, options: ['Buyer', 'Press', 'VIP'] });
  const keep = await create('organizations', {
    name: '한빛물류',
    domains: ['hanbit.example'],
    custom_fields: values({ Industry: 'Logistics', Tags: ['Buyer'] }),
  });
  const other = await create('organizations', {
    ...(otherName && { name: otherName }),
    domains: ['hanbit-cold.example', 'hanbit.test'],
    custom_fields: values({ Industry: 'Transport', City: 'Seoul', Tags: ['Buyer', 'VIP'] }),
  });
  const third = await create('organizations', { name: 'Acme' });
  const people = [];
  for (const [first_name, organization_id] of [
    ['지우', other],
    ['도현', other],
    ['서연', keep],
    ['Ada', third],
  ])
    people.push(await create('contacts', { first_name, organization_id }));
  const ofOrganizations = { ...funnel, entry_type: 'Organization' };
  const newsletter = await create('lists', { ...funnel, name: 'People', identifier: 'PEO' });
  const list = await create('lists', {
    name: 'Accounts',
    process: false,
    entry_type: 'Organization',
    fields: [{ name: 'Tier', data_type: 'text' }],
  });
  const deals = await create('lists', { ...ofOrganizations, name: 'Deals', identifier: 'DEAL' });
  const sole = await create('lists', { ...ofOrganizations, name: 'Sole', duplicates_allowed: false });
  const add = (list: string, id: string, body: object) => addEntry(list, id, body, 'Organization');
  await addEntry(newsletter, people[0] ?? '', { status: 'Lead' }, 'Contact');
  await add(list, keep, {});
  await add(list, other, { list_fields: values({ Tier: 'Gold' }) });
  await add(deals, keep, { status: 'Lead', one_time_value_cents: 100 });
  const deal = await add(deals, other, { status: 'Won', one_time_value_cents: 300, contact_id: people[0] });
  await add(deals, other, { status: 'Lead', one_time_value_cents: 400, assignee_email: 'a@x.example' });
  await add(sole, other, { status: 'Lead', recurring_value_cents: 500, recurring_value_period: 'monthly' });
  await create('notes', { organization_id: keep, body: '첫 통화' });
  await create('notes', { organization_id: other, body: '계약 검토', deal_id: deal });
  await create('notes', { organization_id: other, body: 'Asked for a discount' });
  await create('notes', { organization_id: third, body: 'Introduced them', deal_id: deal });
  return { keep, other, third, people, deal, lists: { list, deals, process: deals, sole } };
}

/** Writes the records, and returns the ids of those that the tests name. */
async function fillWorkspace(workspace: TestWorkspace, otherName: 'Ada' | null) {
  const { sendOk } = workspace;
  const { create, createField, add: addEntry } = createWriters(workspace);
  await createField('contact', 'Role', 'text');
  await createField('contact', 'City', 'text');
  await createField('contact', 'Tags', 'select', { ...many, options: ['Buyer', 'Press', 'VIP'] });
  await createField('contact', 'Manager', 'contact', one);
  await createField('organization', 'Friends', 'contact', many);
  const organization = await create('organizations', { name: 'Acme' });
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
    addEntry(list, entryable_id, body, entryable_type);
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

/** Reads all records, without the ids of contacts, which change when an undo creates them again. */
export async function readMerged(sendOk: TestWorkspace['sendOk']): ReturnType<typeof readState> {
  const { data } = await sendOk<{ data: { id: string; emails: string[] }[] }>('GET /v1/contacts');
  let text = JSON.stringify(await readState(sendOk));
  for (const { id, emails } of data) text = text.replaceAll(id, `contact ${emails.toSorted()}`);
  return JSON.parse(text);
}

/** Returns the lines of the logs of all commands. */
const readLogs = (folder: string) => listLogs(folder).map((path) => readFileSync(path, 'utf8'));
