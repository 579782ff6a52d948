import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRecords } from '../archive/archive-service.ts';
import { sendJson } from '../client/loopback.ts';
import { funnel, startControlledService } from '../import/controlled-service.ts';
import { createFilledWorkspaces } from '../service/service.ts';
import { createMachine, createTemporaryFolder, writeStoredSettings } from '../support/kith.ts';

/** The records of a page: this service sends fewer than requested. */
const pageLength = 3;

/** The records of each list. */
const recordCount = 12;

interface Json {
  readonly [name: string]: unknown;
  readonly id: string;
}

/** Whether a note belongs to the organization that is merged into another. */
const isOfOther = (index: number) => index >= pageLength && index < 2 * pageLength;

type Service = Awaited<ReturnType<typeof createService>>;

/** Creates a workspace with organizations, contacts and notes, and a process with the contacts as its entries. */
const createWorkspace = createFilledWorkspaces(async ({ create }) => {
  const process = await create('lists', { ...funnel, statuses: [{ name: 'Lead', type: 'active' }] });
  const organizations: string[] = [];
  for (let index = 0; index < recordCount; index += 1)
    organizations.push(await create('organizations', { name: `Company ${index}` }));
  for (let index = 0; index < recordCount; index += 1) {
    const organization_id = organizations[isOfOther(index) ? 5 : 6];
    const isTwin = index === 3 || index === 8;
    const contact = await create('contacts', {
      first_name: isTwin ? 'Person 3' : `Person ${index}`,
      last_name: 'Lee',
      phone_numbers: isTwin ? ['+82 10 1234 5678'] : [],
      organization_id,
    });
    await create('notes', { organization_id, body: `Note ${index}` });
    const entry = {
      entryable_id: contact,
      entryable_type: 'Contact',
      one_time_value_cents: index === 3 ? 400 : 100,
    };
    await create(`lists/${process}/entries`, entry);
  }
  return process;
});

/** Starts a service on such a workspace, with a machine that uses it. */
async function createService() {
  const { file, filled: process } = await createWorkspace();
  const service = await startControlledService(file);
  const { sendOk, call, control } = service;
  const paths = {
    organizations: '/v1/organizations',
    contacts: '/v1/contacts',
    notes: '/v1/notes',
    entries: `/v1/lists/${process}/entries`,
  };
  const readList = async (noun: keyof typeof paths) =>
    (await sendOk<{ data: Json[] }>(`GET ${paths[noun]}?first=500`)).data;
  /** Deletes the first record of a list before a page from an offset on, in some of the reads, which count from 1. */
  const deleteBetweenPages = (noun: keyof typeof paths, isChosen: (read: number) => boolean, from = 1) => {
    let read = 0;
    let deletions = 0;
    control.before = async ({ method, url }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://service');
      if (method !== 'GET' || !searchParams.has('first')) return false;
      const after = Number(searchParams.get('after'));
      if (pathname === paths[noun]) {
        if (after === 0) read += 1;
        if (after >= from && deletions < read && isChosen(read)) {
          deletions = read;
          await sendOk(`DELETE ${pathname}/${(await readList(noun))[0]?.id}`);
        }
      }
      searchParams.set('first', String(Math.min(pageLength, Number(searchParams.get('first')))));
      const { status, body, headers } = await call(`GET ${pathname}?${searchParams}`);
      sendJson(response, status, body, headers);
      return true;
    };
  };
  const folder = createTemporaryFolder();
  writeStoredSettings(folder, { profiles: { team: { base_url: service.url, api_key: 'key-for-tests' } } });
  const machine = createMachine(folder);
  const kith = (line: string) => machine(line.replaceAll('@', `${folder}/`), { env: service.env });
  return { ...service, folder, kith, readList, deleteBetweenPages };
}

/** Returns the numbers from 0, without those in `without`. */
const count = (...without: readonly number[]) =>
  Array.from({ length: recordCount }, (_, index) => index).filter((index) => !without.includes(index));

const listNames = async ({ readList }: Service) => (await readList('organizations')).map(({ name }) => name);
const companies = count(0).map((index) => `Company ${index}`);

/** Lists notes with the names of their organizations. */
const listNotes = async ({ readList }: Service) => {
  const names = new Map((await readList('organizations')).map(({ id, name }) => [id, name]));
  const notes = await readList('notes');
  return notes.map(({ body, organization_id }) => `${body}: ${names.get(String(organization_id))}`).sort();
};

interface Row {
  readonly command: string;
  /** The list from which someone deletes a record. */
  readonly noun: 'organizations' | 'contacts' | 'notes' | 'entries';
  /** The read with the deletion, and the offset from which it follows. */
  readonly changed?: { readonly read: number; readonly from: number };
  readonly prepare?: (service: Service) => unknown;
  /** Returns what the command found or wrote. */
  readonly read: (service: Service, out: string) => unknown;
  readonly expected: unknown;
}

const rows: readonly Row[] = [
  {
    command: 'organizations merge "Company 4" "Company 5" --yes',
    noun: 'notes',
    changed: { read: 2, from: 9 },
    read: listNotes,
    expected: count(0)
      .map((index) => `Note ${index}: Company ${isOfOther(index) ? 4 : 6}`)
      .sort(),
  },
  {
    command: 'workspace copy @archive team --yes',
    noun: 'notes',
    prepare: ({ kith }) => kith('workspace backup @archive'),
    read: async ({ readList }) => (await readList('notes')).map(({ body }) => body).sort(),
    expected: count()
      .map((index) => `Note ${index}`)
      .sort(),
  },
  {
    command: 'organizations create --name "Company 3" --if-absent name',
    noun: 'organizations',
    read: listNames,
    expected: companies,
  },
  {
    command: 'organizations upsert --name "Company 3" --domain three.example --by name',
    noun: 'organizations',
    read: async (service) => [
      await listNames(service),
      (await service.readList('organizations')).flatMap(({ domains }) => domains),
    ],
    expected: [companies, ['three.example']],
  },
  {
    command: 'organizations import @companies.csv',
    noun: 'organizations',
    prepare: ({ folder }) => {
      const names = count(0).map((index) => `Company ${index}\n`);
      writeFileSync(join(folder, 'companies.csv'), `name\n${names.join('')}`);
    },
    read: listNames,
    expected: companies,
  },
  {
    command: 'contacts update --where "last_name = Lee" --last-name Kim --yes',
    noun: 'contacts',
    read: async ({ readList }) => (await readList('contacts')).map(({ last_name }) => last_name),
    expected: count(0).map(() => 'Kim'),
  },
  {
    command: 'notes delete --where "body ~ Note" --yes',
    noun: 'notes',
    read: ({ readList }) => readList('notes'),
    expected: [],
  },
  {
    command: `contacts list --where 'first_name = "Person 3"' --count`,
    noun: 'contacts',
    read: (_, out) => out,
    expected: '2\n',
  },
  {
    command: 'entries list Funnel --sum one_time_value',
    noun: 'entries',
    read: (_, out) => out,
    expected: '14.00\n',
  },
  {
    command: 'lists report Funnel --json --jq .[].one_time_value_cents',
    noun: 'entries',
    read: (_, out) => out,
    expected: '1400\n',
  },
  {
    command: 'notes create --organization "Company 3" --body Called',
    noun: 'organizations',
    read: async (service) => (await listNotes(service))[0],
    expected: 'Called: Company 3',
  },
  {
    command: 'contacts duplicates --json --jq "map([.name, .other_name])"',
    noun: 'contacts',
    read: (_, out) => JSON.parse(out),
    expected: [['Person 3 Lee', 'Person 3 Lee']],
  },
  {
    command: 'workspace backup @archive',
    noun: 'notes',
    read: ({ folder }) =>
      Array.from(readRecords(join(folder, 'archive'), 'notes'), (line) => JSON.parse(line).body),
    expected: count(0).map((index) => `Note ${index}`),
  },
  {
    command: 'index update',
    noun: 'organizations',
    read: async ({ kith }) =>
      JSON.parse(
        (
          await kith(
            'search Company --max-age 1d --all --json --jq \'map(select(.kind == "organization").title)\'',
          )
        ).out,
      ).sort(),
    expected: companies.toSorted(),
  },
];

test.each(rows)('$noun: $command reads every one if someone deletes one between two pages', async (row) => {
  const { command, noun, prepare, changed = { read: 1, from: 1 }, read: readResult, expected } = row;
  const service = await createService();
  await prepare?.(service);
  service.deleteBetweenPages(noun, (read) => read === changed.read, changed.from);
  const { code, out, err } = await service.kith(command);
  expect({ code, found: await readResult(service, out) }, err).toEqual({ code: 0, found: expected });
});

test.each(rows)('$noun: $command exits with 75 if someone deletes one in every read', async (row) => {
  const service = await createService();
  await row.prepare?.(service);
  service.deleteBetweenPages(row.noun, () => true);
  service.takeRequests();
  const { code, out, err } = await service.kith(`${row.command} --json`);
  expect({ code, out, writes: service.takeWrites(), err }).toEqual({
    code: 75,
    out: '',
    writes: [],
    err: expect.stringContaining('Someone deleted records each of the 4 times kith read a list.'),
  });
});

test.each(['', '--where "last_name = Lee"', '--sort created_at'])(
  'list --all %s prints every record once, and says that the list changed',
  async (flags) => {
    const { kith, deleteBetweenPages } = await createService();
    deleteBetweenPages('contacts', (read) => read <= 3);
    const { code, out, err } = await kith(
      `contacts list --all ${flags} --fields first_name --format tsv --no-header`,
    );
    expect({ code, out, err }).toEqual({
      code: 0,
      out: count()
        .map((index) => `Person ${index === 8 ? 3 : index}\n`)
        .join(''),
      err: 'kith: Records were deleted while the list was read. kith read a part of it again, so that no record is missing.\n',
    });
  },
);
