import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendJson } from '../../client/loopback.ts';
import { type RequestControl, startControlledService } from '../../import/controlled-service.ts';
import { readState } from '../../import/state.ts';
import { createImportMachine, findLastLog, formatReportRows, readLog } from './import-machine.ts';

/** A machine and a service whose requests a test may intercept. */
async function createControlledMachine() {
  const service = await startControlledService();
  return { ...service, ...(await createImportMachine({ env: service.env })) };
}

const toImportTable = (count: number, from = 0) =>
  `email,first_name\r\n${Array.from({ length: count }, (_, index) => `p${from + index}@x.example,P${from + index}\r\n`).join('')}`;

async function createContacts(
  sendOk: Awaited<ReturnType<typeof createControlledMachine>>['sendOk'],
  count: number,
) {
  for (let index = 0; index < count; index += 1) {
    await sendOk('POST /v1/contacts', { first_name: `P${index}`, emails: [`p${index}@x.example`] });
  }
}

const findLookups = (requests: readonly string[]) =>
  requests.filter((line) => line.startsWith('GET /v1/contacts'));

test('looks up few rows one by one, and reads all pages for many', async () => {
  const { sendOk, importRows, takeRequests } = await createControlledMachine();
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

test('sends only what differs, in one write per row', async () => {
  const { sendOk, importRows, takeWrites } = await createControlledMachine();
  await sendOk('POST /v1/contacts', {
    first_name: 'Ada',
    last_name: 'L',
    emails: ['a@x.example'],
    phone_numbers: ['+821055501234'],
  });
  takeWrites();
  await importRows(
    'contacts',
    'email,phone,first_name,last_name\nA@X.example;b@x.example,010-5550-1234,Ada,M\n',
  );
  expect(takeWrites()).toEqual([
    expect.stringMatching(/^PATCH \/v1\/contacts\/\w+ \{"last_name":"M","emails":\["b@x.example"\]\}$/),
  ]);
});

test('updates a contact that someone else creates just before', async () => {
  const { sendOk, importRows, control, json, readReport } = await createControlledMachine();
  let other = true;
  control.before = async ({ method, url }) => {
    if (method === 'POST' && url === '/v1/contacts' && other) {
      other = false;
      await sendOk('POST /v1/contacts', { first_name: 'Theirs', emails: ['P0@x.example', 'more@x.example'] });
    }
    return false;
  };
  expect(await importRows('contacts', toImportTable(3))).toMatchObject({
    code: 0,
    out: expect.stringContaining('2 created, 1 updated'),
  });
  expect(formatReportRows(readReport())).toEqual(['2 update', '3 create', '4 create']);
  expect((await json('contacts list --all')).map(({ first_name, emails }) => [first_name, emails])).toEqual([
    ['P0', ['P0@x.example', 'more@x.example']],
    ['P1', ['p1@x.example']],
    ['P2', ['p2@x.example']],
  ]);
});

/** Creates a machine. Someone else creates the organization of acme.example just before its first organization. */
async function createRacedMachine() {
  const machine = await createControlledMachine();
  let other = true;
  machine.control.before = async ({ method, url }) => {
    if (method === 'POST' && url === '/v1/organizations' && other) {
      other = false;
      await machine.sendOk('POST /v1/organizations', { name: 'Theirs', domains: ['acme.example'] });
    }
    return false;
  };
  return machine;
}

test('updates an organization whose domain is taken concurrently', async () => {
  const { importRows, readReport } = await createRacedMachine();
  await importRows('organizations', 'name,domain\nAcme,acme.example\nOther,other.example\n');
  expect(formatReportRows(readReport())).toEqual(['2 update', '3 create']);
});

test('uses the organization of a contact that someone else creates just before', async () => {
  const { importRows, json, readReport } = await createRacedMachine();
  await importRows('contacts', 'email,organization\na@x.example,acme.example\nb@x.example,acme.example\n');
  expect(formatReportRows(readReport())).toEqual(['2 create', '3 create']);
  expect(await json('organizations list --all')).toHaveLength(1);
});

test('after a 429, all rows wait together and are imported', async () => {
  const { importRows, control, takeRequests } = await createControlledMachine();
  const times: number[] = [];
  let requestCount = 0;
  control.before = ({ method }, response) => {
    if (method !== 'POST') return false;
    requestCount += 1;
    times.push(performance.now());
    if (requestCount !== 5) return false;
    sendJson(response, 429, { message: 'Slower.' }, { 'retry-after': '1' });
    return true;
  };
  const { code, out } = await importRows('contacts', toImportTable(24), '--concurrency 4');
  expect([code, out]).toEqual([0, expect.stringContaining('24 created')]);
  expect(takeRequests().filter((line) => line.startsWith('POST'))).toHaveLength(25);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.max(...gaps)).toBeGreaterThan(900);
  // Only the requests in flight arrived during the pause.
  expect(gaps.findIndex((gap) => gap > 900)).toBeLessThan(5 + 4);
});

test('finds the record of a row whose response was lost, and the next run writes nothing', async () => {
  const { importRows, control, readReport, json, takeWrites } = await createControlledMachine();
  control.after = ({ method, body }, response) => {
    if (method !== 'POST' || !body.includes('p1@')) return false;
    response.destroy();
    return true;
  };
  const first = await importRows('contacts', toImportTable(3));
  expect(first).toMatchObject({
    code: 0,
    out: expect.stringContaining('3 created, 0 updated, 0 same, 0 refused'),
  });
  expect(readReport().map(({ row, action }) => `${row} ${action}`)).toEqual([
    '2 create',
    '3 create',
    '4 create',
  ]);
  control.after = () => false;
  takeWrites();
  expect(await importRows('contacts', toImportTable(3))).toMatchObject({
    code: 0,
    out: expect.stringContaining('0 created, 0 updated, 3 same'),
  });
  expect(takeWrites()).toEqual([]);
  expect(await json('contacts list --all')).toHaveLength(3);
});

test('a 401 ends the run, and the next run resumes', async () => {
  const { importRows, control, readReport, json, takeWrites } = await createControlledMachine();
  let remaining = 5;
  control.before = ({ method }, response) => {
    if (method === 'GET') return false;
    remaining -= 1;
    if (remaining >= 0) return false;
    sendJson(response, 401, { message: 'No such key.' });
    return true;
  };
  const first = await importRows('contacts', toImportTable(10), '--concurrency 1');
  expect([first.code, first.out]).toEqual([4, '']);
  expect(formatReportRows(readReport()).filter((line) => line.endsWith('create'))).toHaveLength(5);
  control.before = () => false;
  takeWrites();
  const second = await importRows('contacts', toImportTable(10), '--concurrency 1');
  expect([second.code, second.out]).toEqual([0, expect.stringContaining('10 created')]);
  expect(second.err).toContain('Continuing the interrupted `kith contacts import`: 5 rows done before.');
  expect(takeWrites()).toHaveLength(5);
  expect(formatReportRows(readReport())).toEqual(
    Array.from({ length: 10 }, (_, index) => `${index + 2} create`),
  );
  expect(await json('contacts list --all')).toHaveLength(10);
});

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

const resume = (control: RequestControl) =>
  Object.assign(control, { before: () => false, after: () => false });

test('recovers an update of the interrupted run whose response was lost, and undoes it', async () => {
  const { sendOk, importRows, control, kith, toPath, readReport } = await createControlledMachine();
  await sendOk('POST /v1/contacts', { first_name: 'Old', emails: ['p0@x.example'] });
  const before = await readState(sendOk);
  stopAfterWrite(control);
  expect((await importRows('contacts', toImportTable(1), '--retries 0')).code).toBe(75);
  expect(await readState(sendOk)).not.toEqual(before);
  resume(control);
  expect((await importRows('contacts', toImportTable(1))).code).toBe(0);
  expect(formatReportRows(readReport())).toEqual(['2 update']);
  expect((await kith(['contacts', 'import', '--undo', '--yes', toPath('sheet.report.csv')])).code).toBe(0);
  expect(await readState(sendOk)).toEqual(before);
});

test('a contact without email and phone is not created again by the run after an interrupted one', async () => {
  const { importRows, control, json, readReport } = await createControlledMachine();
  stopAfterWrite(control);
  const nameless = 'email,first_name\n,Ada\n';
  expect((await importRows('contacts', nameless, '--allow-unmatched --retries 0')).code).toBe(6);
  resume(control);
  expect((await importRows('contacts', nameless, '--allow-unmatched')).code).toBe(0);
  expect(formatReportRows(readReport())).toEqual(['2 create']);
  expect(await json('contacts list --all')).toHaveLength(1);
});

test('does not resume a run with another key, which may belong to another workspace', async () => {
  const { importRows, control, kith, toPath, url } = await createControlledMachine();
  stopAfterWrite(control);
  await importRows('contacts', toImportTable(2), '--retries 0');
  resume(control);
  const line = ['contacts', 'import', toPath('sheet.csv')];
  const other = await kith(line, { env: { KITH_BASE_URL: url, KITH_API_KEY: 'other-key-for-tests' } });
  expect([other.code, other.err]).toEqual([0, expect.not.stringContaining('Resuming')]);
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
  const [one, many] = [await createControlledMachine(), await createControlledMachine()];
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
  const { sendOk, importRows, control, kith, folder, toPath, readReport } = await createControlledMachine();
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
