import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestWorkspace } from '../service/service.ts';
import { createEnv, createKey, runKith, startKithServe } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { startLosingProxy } from './losing-proxy.ts';
import { readState } from './state.ts';

const losses = process.env.KITH_LONG === '1' ? 400 : 20;

/** A person takes at least three writes, and at least a third of them are lost: enough people for all losses. */
const persons = Math.ceil(losses * 1.2);

/** Loses responses at random, but one of any three. */
function randomLosses(): () => boolean {
  let passed = 0;
  return () => {
    const isLost = passed === 2 || Math.random() < 0.4;
    passed = isLost ? 0 : passed + 1;
    return isLost;
  };
}

/** Every person has a phone of their own, and each third one also an email and the number of a switchboard. */
function cellsOf(person: number, visit: number): string[] {
  const hasEmail = person % 3 === 0;
  const own = 40_000_000 + person;
  const phone = visit % 2 === 0 ? `+8210${own}` : `010-${String(own).slice(0, 4)}-${String(own).slice(4)}`;
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
function contactSheet(): string {
  const visits = [0, 1, 2].flatMap((visit) =>
    Array.from({ length: persons }, (_, person) => ({ person, visit, at: person + visit * (person % 7) })),
  );
  const rows = visits.sort((one, other) => one.at - other.at);
  const lines = rows.map(({ person, visit }) => cellsOf(person, visit).join(','));
  return `email,phone,first_name,organization\n${lines.join('\n')}\n`;
}

function createOrganizationColumns(): string {
  const firms = Math.ceil(persons / 2);
  const lines = Array.from({ length: persons }, (_, at) =>
    at % 3 === 0 ? `Firm ${at % firms},` : `Firm ${at % firms},f${at % firms}.example`,
  );
  return `name,domain\n${lines.join('\n')}\n`;
}

/** A served workspace with a process that takes duplicates, and what imports the sheets into it by way of a proxy. */
async function prepared(loses: () => boolean) {
  const folder = createTemporaryFolder();
  const database = join(folder, 'work.sqlite');
  const { sendOk } = openTestWorkspace(database);
  const statuses = [
    { name: 'Lead', type: 'active' },
    { name: 'Won', type: 'won' },
  ];
  const funnel = { name: 'Funnel', process: true, entry_type: 'Contact', identifier: 'FUN' };
  const KITH_API_KEY = await createKey(database);
  await sendOk('POST /v1/lists', { ...funnel, duplicates_allowed: true, statuses, fields: [] });
  const { url } = await startKithServe(database, createEnv(folder));
  const proxy = await startLosingProxy(url, loses);
  const env = createEnv(folder, { KITH_BASE_URL: proxy.url, KITH_API_KEY });
  const sheets = [
    ['contacts', 'people.csv', contactSheet(), '--list', 'Funnel', '--status', 'Lead'],
    ['organizations', 'firms.csv', createOrganizationColumns()],
  ] as const;
  /** Imports all files; returns the exit codes. */
  const importAll = async () => {
    const codes: number[] = [];
    for (const [noun, name, text, ...flags] of sheets) {
      const file = join(folder, name);
      writeFileSync(file, text);
      codes.push((await runKith([noun, 'import', file, '--concurrency', '8', ...flags], { env })).code);
    }
    return codes;
  };
  return { sendOk, importAll, proxy: proxy.state };
}

const duplicatesIn = (texts: readonly string[]) => texts.filter((text, at) => texts.indexOf(text) !== at);

/** What is there twice: people, organizations and entries by what they are about. */
async function duplicates(sendOk: Awaited<ReturnType<typeof prepared>>['sendOk']) {
  const { contacts, organizations, entries } = await readState(sendOk);
  const member = (name: string) => (text: string) => String(JSON.parse(text)[name]);
  return [
    ...duplicatesIn(contacts.map(member('first_name'))),
    ...duplicatesIn(organizations.map(member('name'))),
    ...duplicatesIn(entries.map(member('entryable_id'))),
  ];
}

test(`creates no duplicates when ${losses} responses are lost, and a second run completes the import`, async () => {
  const baseline = await prepared(() => false);
  expect(await baseline.importAll()).toEqual([0, 0]);
  const isLost = randomLosses();
  const wild = await prepared(() => wild.proxy.lost < losses && isLost());
  for (let run = 0; wild.proxy.lost < losses && run < 9; run += 1) {
    await wild.importAll();
    expect(await duplicates(wild.sendOk)).toEqual([]);
  }
  expect(wild.proxy.lost).toBe(losses);
  await wild.importAll();
  expect(await wild.importAll()).toEqual([0, 0]);
  expect(await readState(wild.sendOk)).toEqual(await readState(baseline.sendOk));
}, 600_000);
