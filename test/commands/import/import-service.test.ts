import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendJson } from '../../client/loopback.ts';
import { type RequestControl, restoreConnection } from '../../import/controlled-service.ts';
import { readState } from '../../import/state.ts';
import { createWatchedImport, findLastLog, formatReportRows, readLog } from './import-machine.ts';

const toImportTable = (count: number, from = 0) =>
  `email,first_name\r\n${Array.from({ length: count }, (_, index) => `p${from + index}@x.example,P${from + index}\r\n`).join('')}`;

async function createContacts(
  sendOk: Awaited<ReturnType<typeof createWatchedImport>>['sendOk'],
  count: number,
) {
  for (let index = 0; index < count; index += 1) {
    await sendOk('POST /v1/contacts', { first_name: `P${index}`, emails: [`p${index}@x.example`] });
  }
}

const findLookups = (requests: readonly string[]) =>
  requests.filter((line) => line.startsWith('GET /v1/contacts'));

test('looks up few rows one by one, and reads all pages for many', async () => {
  const { sendOk, importRows, takeRequests } = await createWatchedImport();
  await createContacts(sendOk, 250);
  expect((await importRows('contacts', toImportTable(1))).out).toContain('1 same');
  expect(findLookups(takeRequests())).toEqual(['GET /v1/contacts?email=p0@x.example']);
  expect((await importRows('contacts', toImportTable(2, 240))).out).toContain('2 same');
  expect(findLookups(takeRequests())).toEqual([
    'GET /v1/contacts?first=100&after=0',
    'GET /v1/contacts?email=p240@x.example',
    'GET /v1/contacts?email=p241@x.example',
  ]);
  expect((await importRows('contacts', toImportTable(200))).out).toContain('200 same');
  expect(findLookups(takeRequests()).sort()).toEqual(
    ['100&after=0', '100&after=198', '100&after=99'].map((page) => `GET /v1/contacts?first=${page}`),
  );
}, 60_000);

test.each([
  [
    'contacts',
    'contacts',
    { first_name: 'Theirs', emails: ['P0@x.example', 'more@x.example'] },
    'email,first_name\np0@x.example,P0\np1@x.example,P1\n',
    ['2 update', '3 create'],
    2,
    { first_name: 'P0', emails: ['P0@x.example', 'more@x.example'] },
  ],
  [
    'organizations',
    'organizations',
    { name: 'Theirs', domains: ['acme.example'] },
    'name,domain\nAcme,acme.example\nOther,other.example\n',
    ['2 update', '3 create'],
    2,
    { name: 'Acme', domains: ['acme.example'] },
  ],
  [
    'contacts',
    'organizations',
    { name: 'Theirs', domains: ['acme.example'] },
    'email,organization\na@x.example,acme.example\nb@x.example,acme.example\n',
    ['2 create', '3 create'],
    1,
    { name: 'Theirs', domains: ['acme.example'] },
  ],
])(
  'an import of %s uses one of the %s that someone else creates just before: %j',
  async (noun, created, body, csv, report, count, expected) => {
    const { sendOk, importRows, control, json, readReport } = await createWatchedImport();
    let isCreated = false;
    control.before = async ({ method, url }) => {
      if (method !== 'POST' || url !== `/v1/${created}` || isCreated) return false;
      isCreated = true;
      await sendOk(`POST /v1/${created}`, body);
      return false;
    };
    expect((await importRows(noun, csv)).code).toBe(0);
    expect(formatReportRows(readReport())).toEqual(report);
    const records = await json(`${created} list --all`);
    expect(records).toHaveLength(count);
    expect(records[0]).toMatchObject(expected);
  },
);

/** Lets a service execute a write and lose its response, and then stop: the run ends without knowing that it succeeded. */
function stopAfterWrite(control: RequestControl): void {
  let isStopped = false;
  const drop = (response: ServerResponse) => {
    response.destroy();
    return true;
  };
  control.before = (_, response) => isStopped && drop(response);
  control.after = ({ method }, response) => {
    isStopped ||= method !== 'GET';
    return isStopped && drop(response);
  };
}

test('a contact without email and phone is not created again by the run after an interrupted one', async () => {
  const { importRows, control, json, readReport } = await createWatchedImport();
  stopAfterWrite(control);
  const nameless = 'email,first_name\n,Ada\n';
  expect((await importRows('contacts', nameless, '--allow-unmatched --retries 0')).code).toBe(6);
  restoreConnection(control);
  expect((await importRows('contacts', nameless, '--allow-unmatched')).code).toBe(0);
  expect(formatReportRows(readReport())).toEqual(['2 create']);
  expect(await json('contacts list --all')).toHaveLength(1);
});

test('does not resume a run with another key, which may belong to another workspace', async () => {
  const { importRows, control, kith, toPath, url } = await createWatchedImport();
  stopAfterWrite(control);
  await importRows('contacts', toImportTable(2), '--retries 0');
  restoreConnection(control);
  const line = ['contacts', 'import', toPath('sheet.csv')];
  const other = await kith(line, { env: { KITH_BASE_URL: url, KITH_API_KEY: 'other-key-for-tests' } });
  expect([other.code, other.err]).toEqual([0, expect.not.stringContaining('Continuing')]);
});

test('rows that share emails, numbers and organizations have the same result with concurrency 1 and 16', async () => {
  const lines = Array.from({ length: 84 }, (_, index) => {
    const email =
      index % 3 === 0
        ? `p${index % 21}@x.example`
        : index % 3 === 1
          ? `p${index % 21}@x.example;q${index % 11}@x.example`
          : '';
    const phone = index % 2 === 0 ? `+8210555${10000 + (index % 17)}` : '';
    return `${email},${phone},F${index % 5},${index % 4 ? `Company ${index % 6}` : `c${index % 3}.example`}`;
  });
  const text = `email,phone,first_name,organization\n${lines.join('\n')}\n`;
  const [one, many] = [await createWatchedImport(), await createWatchedImport()];
  many.control.delay = 2;
  const results = [
    await one.importRows('contacts', text, '--concurrency 1'),
    await many.importRows('contacts', text, '--concurrency 16'),
  ];
  const counts = results.map(({ code, out }) => [code, out.replace(/^.*?: /, '').replace(/;.*/, '')]);
  expect(counts[1]).toEqual(counts[0]);
  expect(await readState(many.sendOk)).toEqual(await readState(one.sendOk));
  const reports = [one.readReport(), many.readReport()].map((lines) =>
    lines.map(({ row, action }) => `${row} ${action}`),
  );
  expect(reports[1]).toEqual(reports[0]);
  // The undo does not depend on the order of the writes.
  for (const { kith, toPath, sendOk } of [one, many]) {
    const undoResult = await kith(['contacts', 'import', '--undo', '--yes', toPath('sheet.report.csv')]);
    expect([undoResult.code, undoResult.err]).toEqual([0, '']);
    expect(await readState(sendOk)).toEqual({ contacts: [], organizations: [], entries: [], notes: [] });
  }
}, 60_000);

test('deletes an organization after the contacts of all rows, also if the report was not finished', async () => {
  const { sendOk, importRows, control, kith, folder, toPath, readReport } = await createWatchedImport();
  control.before = async ({ method, body }, response) => {
    if (method === 'POST' && body.includes('slow@')) await wait(150);
    if (!body.includes('no@')) return false;
    await wait(50);
    sendJson(response, 401, { message: 'No such key.' });
    return true;
  };
  const csv = 'email,organization\nslow@x.example,New\nb@x.example,New\nno@x.example,\n';
  expect((await importRows('contacts', csv, '--concurrency 3')).code).toBe(4);
  // The row that created the organization finished last.
  expect(readLog(findLastLog(folder)).flatMap(({ row, outcome }) => (outcome ? [row] : []))).toEqual([3, 2]);
  expect(formatReportRows(readReport())).toEqual(['2 create', '3 create', '4 pending']);
  control.before = () => false;
  expect(await kith(`contacts import --undo --yes ${toPath('sheet.report.csv')}`)).toMatchObject({
    code: 0,
    err: '',
  });
  expect(await readState(sendOk)).toEqual({ contacts: [], organizations: [], entries: [], notes: [] });
});
