import { join } from 'node:path';
import { startControlledService } from '../../../import/controlled-service.ts';
import { openTestWorkspace } from '../../../service/service.ts';
import {
  createEmptyWorkspace,
  createMachine,
  createTemporaryFolder,
  type MachineOptions,
  writeStoredSettings,
} from '../../../support/kith.ts';

export type SendOk = Awaited<ReturnType<typeof openTestWorkspace>>['sendOk'];

interface Created {
  readonly id: string;
  readonly key?: string;
}

/** A process of organizations that allows several entries of each. */
const deals = {
  name: '영업 파이프라인',
  process: true,
  entry_type: 'Organization',
  identifier: 'DEAL',
  duplicates_allowed: true,
  statuses: [
    { name: 'Lead', type: 'active' },
    { name: '성공', type: 'won' },
  ],
  fields: [
    { name: 'Tier', data_type: 'select', accepts_multiple_values: false, options: ['Gold', 'Silver'] },
    { name: 'Buyer', data_type: 'contact', accepts_multiple_values: false },
  ],
};

/** Fills a workspace with records of every noun, among them records that only their order tells apart. */
async function fillSource(sendOk: SendOk) {
  const create = (path: string, body: object) => sendOk<Created>(`POST /v1/${path}`, body);
  await create('custom_fields', { model: 'contact', name: 'Rooms', data_type: 'number' });
  await create('custom_fields', {
    model: 'organization',
    name: 'Owner',
    data_type: 'contact',
    accepts_multiple_values: true,
  });
  await create('custom_fields', {
    model: 'contact',
    name: 'Level',
    data_type: 'select',
    options: ['A', 'B'],
    accepts_multiple_values: true,
  });
  const hanbit = await create('organizations', { name: '한빛물류', domains: ['hanbit.example'] });
  const twins = [];
  for (let index = 0; index < 2; index += 1) twins.push(await create('organizations', { name: 'Twin' }));
  const ada = await create('contacts', {
    first_name: 'Ada',
    last_name: 'Lovelace',
    emails: ['ada@hanbit.example', 'ada@home.example'],
    phone_numbers: ['+82 10 1234 5678'],
    organization_id: hanbit.id,
    custom_fields: [
      { name: 'Rooms', value: 3 },
      { name: 'Level', value: ['A', 'B'] },
    ],
  });
  const rahma = await create('contacts', { first_name: 'رحمة', phone_numbers: ['+82 10 1234 5678'] });
  for (let index = 0; index < 2; index += 1)
    await create('contacts', { first_name: '지우', last_name: '김', organization_id: twins[1]?.id });
  await sendOk(`PATCH /v1/organizations/${hanbit.id}`, {
    custom_fields: [{ name: 'Owner', value: [ada.id, rahma.id] }],
  });
  const process = await create('lists', deals);
  const entry = {
    entryable_id: hanbit.id,
    entryable_type: 'Organization',
    status: 'Lead',
    one_time_value_cents: 120_000,
    list_fields: [
      { name: 'Tier', value: 'Gold' },
      { name: 'Buyer', value: ada.id },
    ],
  };
  const path = `lists/${process.id}/entries`;
  const first = await create(path, { ...entry, contact_id: ada.id, assignee_email: 'mina@team.example' });
  await create(path, entry);
  await create(path, entry);
  const won = await create(path, {
    entryable_id: twins[1]?.id,
    entryable_type: 'Organization',
    status: '성공',
  });
  const list = await create('lists', { name: 'Newsletter', process: false, entry_type: 'Contact' });
  for (const id of [ada.id, rahma.id])
    await create(`lists/${list.id}/entries`, { entryable_id: id, entryable_type: 'Contact' });
  const note = { organization_id: hanbit.id, body: '## 통화\n\nCalled **twice**.' };
  await create('notes', note);
  await create('notes', note);
  await create('notes', { ...note, deal_id: first.id });
  await create('notes', { organization_id: twins[0]?.id, body: 'First' });
  await create('notes', { organization_id: twins[1]?.id, body: 'Second', deal_id: won.key });
  return { hanbit, twins, ada, rahma, process, list };
}

/** The number of records that `fillSource` creates. */
export const sourceSize = 23;

/** A machine with a workspace file to copy, and a hosted service with the profile `team`. */
export async function createTransferMachine() {
  const folder = createTemporaryFolder();
  const file = createEmptyWorkspace(folder, 'source.sqlite');
  const source = await openTestWorkspace(file);
  const records = await fillSource(source.sendOk);
  const service = await startControlledService();
  writeStoredSettings(folder, {
    profiles: { team: { base_url: service.url, api_key: 'key-for-tests' } },
  });
  const machine = createMachine(folder);
  const kith = (line: string, options: MachineOptions = {}) =>
    machine(line.replaceAll('@', `${folder}/`), { ...options, env: { KITH_UNDO: 'auto', ...options.env } });
  return { ...service, folder, file, source, records, kith, join: (name: string) => join(folder, name) };
}
