import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveLocation } from '../service/serve.ts';
import { openTestWorkspace } from '../service/service.ts';
import { createKey } from '../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { funnel } from './controlled-service.ts';
import { startLosingProxy } from './losing-proxy.ts';
import { readState } from './state.ts';

const losses = process.env.KITH_LONG === '1' ? 400 : 6;

/** A person takes at least three writes, and at least a third of them are lost: enough people for all losses. */
const persons = Math.ceil(losses * 1.2);

/** Loses responses at random, but one of any three. */
function createRandomLosses(): () => boolean {
  let passedCount = 0;
  return () => {
    const isLost = passedCount === 2 || Math.random() < 0.4;
    passedCount = isLost ? 0 : passedCount + 1;
    return isLost;
  };
}

/** Every person has a phone of their own, and each third one also an email and the number of a switchboard. */
function createCells(person: number, visit: number): string[] {
  const hasEmail = person % 3 === 0;
  const phoneNumber = 40_000_000 + person;
  const phone =
    visit % 2 === 0
      ? `+8210${phoneNumber}`
      : `010-${String(phoneNumber).slice(0, 4)}-${String(phoneNumber).slice(4)}`;
  const isNamed = hasEmail && visit !== 1;
  const phones = isNamed ? `${phone};+8225550${100 + (person % 5)}` : phone;
  return [
    isNamed ? `p${person}@x.example` : '',
    phones,
    `F${person}`,
    `Company ${person % Math.ceil(persons / 2)}`,
  ];
}

/** Returns rows with three for each person, close to each other and far apart. */
function createContactCsv(): string {
  const visits = [0, 1, 2].flatMap((visit) =>
    Array.from({ length: persons }, (_, person) => ({ person, visit, at: person + visit * (person % 7) })),
  );
  const rows = visits.sort((one, other) => one.at - other.at);
  const lines = rows.map(({ person, visit }) => createCells(person, visit).join(','));
  return `email,phone,first_name,organization\n${lines.join('\n')}\n`;
}

function createOrganizationColumns(): string {
  const firms = Math.ceil(persons / 2);
  const lines = Array.from({ length: persons }, (_, index) =>
    index % 3 === 0 ? `Firm ${index % firms},` : `Firm ${index % firms},f${index % firms}.example`,
  );
  return `name,domain\n${lines.join('\n')}\n`;
}

/** Creates a service with a process that allows duplicates, and a function that imports the CSV files through a proxy. */
async function createLosingImport(losesResponse: () => boolean) {
  const folder = createTemporaryFolder();
  const database = join(folder, 'work.sqlite');
  const { sendOk } = await openTestWorkspace(database);
  const KITH_API_KEY = await createKey(database);
  await sendOk('POST /v1/lists', funnel);
  const { url } = await serveLocation(database, KITH_API_KEY);
  const proxy = await startLosingProxy(url, losesResponse);
  const env = { KITH_BASE_URL: proxy.url, KITH_API_KEY };
  const kith = createMachine(folder);
  const sheets = [
    ['contacts', 'people.csv', createContactCsv(), '--list', 'Funnel', '--status', 'Lead'],
    ['organizations', 'firms.csv', createOrganizationColumns()],
  ] as const;
  /** Imports all files; returns the exit codes. */
  const importAll = async () => {
    const codes: number[] = [];
    for (const [noun, name, text, ...flags] of sheets) {
      const file = join(folder, name);
      writeFileSync(file, text);
      codes.push((await kith([noun, 'import', file, '--concurrency', '8', ...flags], { env })).code);
    }
    return codes;
  };
  return { sendOk, importAll, proxy: proxy.state };
}

const findDuplicates = (texts: readonly string[]) =>
  texts.filter((text, index) => texts.indexOf(text) !== index);

/** Returns the duplicate contacts, organizations and entries. */
async function readDuplicates(sendOk: Awaited<ReturnType<typeof createLosingImport>>['sendOk']) {
  const { contacts, organizations, entries } = await readState(sendOk);
  const createReader = (name: string) => (text: string) => String(JSON.parse(text)[name]);
  return [
    ...findDuplicates(contacts.map(createReader('first_name'))),
    ...findDuplicates(organizations.map(createReader('name'))),
    ...findDuplicates(entries.map(createReader('entryable_id'))),
  ];
}

test(`creates no duplicates when ${losses} responses are lost, and a second run completes the import`, async () => {
  const baseline = await createLosingImport(() => false);
  expect(await baseline.importAll()).toEqual([0, 0]);
  const isLost = createRandomLosses();
  const lossy = await createLosingImport(() => lossy.proxy.lost < losses && isLost());
  for (let run = 0; lossy.proxy.lost < losses && run < 9; run += 1) {
    await lossy.importAll();
    expect(await readDuplicates(lossy.sendOk)).toEqual([]);
  }
  expect(lossy.proxy.lost).toBe(losses);
  await lossy.importAll();
  expect(await lossy.importAll()).toEqual([0, 0]);
  expect(await readState(lossy.sendOk)).toEqual(await readState(baseline.sendOk));
}, 600_000);
