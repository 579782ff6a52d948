import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../src/client/client.ts';
import { readFolderIfExists } from '../../src/files/read-file.ts';
import { createEmbeddedTransport } from '../../src/service/workspace.ts';
import { createClientOver } from '../client/loopback.ts';
import { createFilledWorkspaces, type TestWorkspace } from '../service/service.ts';
import {
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  type MachineOptions,
  writeStoredSettings,
} from '../support/kith.ts';

type Json = Record<string, unknown>;

/** The organization of the sample whose records the tests change. */
const organizationId = 'rl16pk';

/** The contact of that organization whose record the tests change. */
const contactId = '0rlnky';

/** A contact of the sample without an organization, whose name is its first email address. */
const namelessId = 'e4yek8';

/** Creates a small part of the sample: reading all of it takes longer than the commands of a test. */
const createSmallSample = createFilledWorkspaces(deleteOtherRecords, () => createSampleWorkspace());

/** Keeps one organization, the records that refer to it or its contact, and the first contacts. */
async function deleteOtherRecords({ sendOk }: TestWorkspace): Promise<void> {
  const list = async (path: string) => (await sendOk<{ data: Json[] }>(`GET /v1/${path}?first=500`)).data;
  const refersTo = (record: Json, id: string) => JSON.stringify(record).includes(id);
  const contacts = (await list('contacts')).filter(
    (contact, index) => index < 8 || contact.id === namelessId || refersTo(contact, organizationId),
  );
  const kept = new Set([
    organizationId,
    ...contacts.flatMap(({ id, organization_id }) => [id, organization_id]),
  ]);
  for (const { id } of await list('lists'))
    for (const entry of await list(`lists/${id}/entries`))
      if (refersTo(entry, contactId)) kept.add(entry.entryable_id);
  for (const noun of ['contacts', 'organizations'])
    for (const record of await list(noun))
      if (!kept.has(record.id) && !refersTo(record, contactId))
        await sendOk(`DELETE /v1/${noun}/${record.id}`);
}

/** Creates a machine on a small sample that records its writes, with functions that read the whole workspace. */
export async function createRecordingMachine(folder = createTemporaryFolder()) {
  const { file } = await createSmallSample();
  const database = join(folder, 'demo.sqlite');
  copyFileSync(file, database);
  writeStoredSettings(folder, { active: 'demo', profiles: { demo: { database } } });
  const machine = createMachine(folder);
  const kith = (line: string | readonly string[], options: MachineOptions = {}) =>
    machine(line, { ...options, env: { KITH_UNDO: 'on', ...options.env } });
  const run = async (line: string | readonly string[], options: MachineOptions = {}) => {
    const result = await kith(line, options);
    if (result.code !== 0) throw new Error(`kith ${line} exited with ${result.code}: ${result.err}`);
    return result;
  };
  const other = createTemporaryFolder();
  writeStoredSettings(other, { active: 'demo', profiles: { demo: { database } } });
  /** The options of a command that somebody else runs on another machine. */
  const elsewhere = { env: { KITH_CONFIG_DIR: other, KITH_UNDO: 'off' } };
  const dump = () => readWorkspace(database);
  return { kith, run, elsewhere, dump, dumpContent: async () => toContent(await dump()), folder };
}

/** Returns the paths of the logs of all workspaces, the last command last. */
export const listLogs = (folder: string): string[] =>
  readFolderIfExists(join(folder, 'changes')).flatMap((workspace) => {
    const path = join(folder, 'changes', workspace);
    const names = readFolderIfExists(path).filter((name) => name.endsWith('.jsonl'));
    return names
      .sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
      .map((name) => join(path, name));
  });

/** Reads all records of a workspace file. A command for each list would take ten times as long. */
async function readWorkspace(file: string): Promise<Record<string, Json[]>> {
  const transport = await createEmbeddedTransport(file, () => new Date());
  try {
    return await readRecords(createClientOver(transport, 0).client);
  } finally {
    await transport.close();
  }
}

/** Reads all records of a workspace, by kind. */
export async function readRecords(client: Client): Promise<Record<string, Json[]>> {
  const read = async (path: string) => {
    const found: Json[] = [];
    const request = { method: 'GET', path: `/v1/${path}`, query: [] } as const;
    for await (const { records } of client.pagesOfRequest(request))
      found.push(...records.map(({ value }) => value as Json)); // a record is an object
    return found;
  };
  const lists = await read('lists');
  const entries: Json[] = [];
  for (const { id } of lists) entries.push(...(await read(`lists/${id}/entries`)));
  return {
    contacts: await read('contacts'),
    organizations: await read('organizations'),
    notes: await read('notes'),
    fields: await read('custom_fields'),
    lists,
    entries,
  };
}

/** Replaces ids by names, and drops all that an undo cannot restore: ids, times and keys. */
export function toContent(dump: Record<string, Json[]>): Record<string, Json[]> {
  const names = new Map<unknown, string>();
  for (const [kind, records] of Object.entries(dump))
    for (const { id, emails, domains, ...record } of records) {
      const [address] = [...((emails ?? domains ?? []) as string[])].sort();
      names.set(id, `${kind} ${address ?? record.name ?? record.first_name}`);
    }
  const rename = (value: unknown) => names.get(value) ?? value;
  /** A field keeps the id of a deleted contact, which an undo cannot write: such an id is ignored. */
  const renameContact = (value: unknown) => names.get(value) ?? null;
  const toValues = (map: unknown) =>
    Object.values((map ?? {}) as Record<string, Json>)
      .map(({ name, value, data_type }) => {
        const renameValue = data_type === 'contact' ? renameContact : rename;
        const values = [value].flat().map(renameValue);
        return [name, data_type === 'contact' ? values.filter((one) => one !== null) : values];
      })
      .sort();
  return Object.fromEntries(
    Object.entries(dump).map(([kind, records]) => [
      kind,
      records
        .map(({ id: _, created_at: __, updated_at: ___, key: ____, closed_at: _____, ...record }) => ({
          ...record,
          organization_id: rename(record.organization_id),
          contact_id: rename(record.contact_id),
          entryable_id: rename(record.entryable_id),
          list_id: rename(record.list_id),
          custom_fields: toValues(record.custom_fields),
          list_fields: toValues(record.list_fields),
          emails: [...((record.emails ?? []) as string[])].sort(),
          domains: [...((record.domains ?? []) as string[])].sort(),
        }))
        .map((record) => JSON.stringify(record))
        .sort()
        .map((text) => JSON.parse(text)),
    ]),
  );
}

/** Returns records without the times of their updates, which every write changes. */
export const withoutUpdates = (dump: Record<string, Json[]>) =>
  Object.fromEntries(
    Object.entries(dump).map(([kind, records]) => [
      kind,
      records.map(({ updated_at: _, ...record }) => record),
    ]),
  );
