import { expect, test } from 'vitest';
import { disturb } from '../../import/controlled-service.ts';
import { createWatchedImport, formatReportRows, hideRecords } from './import-machine.ts';

/** Starts a service that loses the response to the first create of a path. */
async function createLosingMachine(path: string) {
  const machine = await createWatchedImport();
  let isLost = false;
  machine.control.after = ({ method, url }, response) => {
    if (method !== 'POST' || url !== path || isLost) return false;
    isLost = true;
    response.destroy();
    return true;
  };
  return machine;
}

test.each([
  ['a phone number', 'contacts', 'phone,first_name\n+821055501234,Ada\n010-5550-1234,Ada\n', 'contacts'],
  ['an email address', 'contacts', 'email\na@x.example\nA@X.example\n', 'contacts'],
  [
    'an organization name',
    'contacts',
    'email,organization\na@x.example,Acme\nb@x.example,acme\n',
    'organizations',
  ],
  ['a domain', 'organizations', 'domain\nacme.example\nhttps://acme.example\n', 'organizations'],
  ['a name', 'organizations', 'name\nAcme\nacme\n', 'organizations'],
])(
  'finds a record by %s after a lost response and does not create it again',
  async (_, noun, csv, createdRecords) => {
    const { importRows, json, readReport } = await createLosingMachine(`/v1/${createdRecords}`);
    expect((await importRows(noun, csv, '--concurrency 4')).code).toBe(0);
    expect(await json(`${createdRecords} list --all`)).toHaveLength(1);
    expect(readReport()[0]).toMatchObject({ action: 'create' });
    expect((await importRows(noun, csv)).out).toContain('0 created, 0 updated, 2 same');
    expect(await json(`${createdRecords} list --all`)).toHaveLength(1);
  },
);

test('marks rows as unknown if a lost create of the same record is not visible', async () => {
  const { importRows, control, json, readReport } = await createLosingMachine('/v1/contacts');
  hideRecords(control, 'contacts');
  const csv = 'phone,first_name\n+821055501234,Ada\n010-5550-1234,Ada\n+821055509999,Bo\n';
  const { code, err } = await importRows('contacts', csv, '--json');
  expect({ code, ...JSON.parse(err).error }).toMatchObject({
    message: '2 rows with an unknown outcome:',
    hint: 'Run the same command again: it completes these rows.',
    details: [{ code: 'unknown' }, { code: 'unknown' }],
  });
  expect(formatReportRows(readReport())).toEqual([
    expect.stringContaining('2 unknown'),
    expect.stringContaining('3 unknown'),
    '4 create',
  ]);
  control.before = () => false;
  expect(await importRows('contacts', csv)).toMatchObject({
    code: 0,
    out: expect.stringContaining('2 created, 0 updated, 1 same'), // in both runs
  });
  expect(await json('contacts list --all')).toHaveLength(2);
});

test('does not create an organization again if its lost create is not visible', async () => {
  const { importRows, control, json, readReport } = await createLosingMachine('/v1/organizations');
  hideRecords(control, 'organizations');
  const csv = 'email,organization\na@x.example,Acme\nb@x.example,acme\n';
  expect((await importRows('contacts', csv)).code).toBe(6);
  expect(formatReportRows(readReport())).toEqual([
    expect.stringContaining('2 unknown'),
    expect.stringContaining('3 unknown Row 2 may have created this organization'),
  ]);
  control.before = () => false;
  expect((await importRows('contacts', csv)).code).toBe(0);
  expect(await json('organizations list --all')).toHaveLength(1);
});

test('conflicting rows whose write lost its response stay unknown, and the next run refuses them', async () => {
  const { importRows, control, json, readReport } = await createLosingMachine('/v1/contacts');
  hideRecords(control, 'contacts');
  const csv = 'email,first_name\na@x.example,Ada\na@x.example,Eva\n';
  const conflict = 'first_name: row 2 has "Ada" and row 3 has "Eva"';
  for (const action of ['unknown', 'refused']) {
    expect((await importRows('contacts', csv)).code).toBe(6);
    expect(formatReportRows(readReport())).toEqual([
      expect.stringContaining(`2 ${action} ${conflict}`),
      expect.stringContaining(`3 ${action} ${conflict}`),
    ]);
    control.before = () => false;
  }
  expect(await json('contacts list --all')).toMatchObject([{ emails: ['a@x.example'], first_name: null }]);
});

test('finds an update whose response was lost before the next row changes the contact', async () => {
  const { sendOk, importRows, control, json } = await createWatchedImport();
  await sendOk('POST /v1/contacts', { first_name: 'Ada', emails: ['a@x.example'] });
  let isLost = false;
  control.after = ({ method }, response) => {
    if (method !== 'PATCH' || isLost) return false;
    isLost = true;
    response.destroy();
    return true;
  };
  const csv = 'email,phone\na@x.example,+821055501111\na@x.example,+821055502222\n';
  expect((await importRows('contacts', csv)).code).toBe(0);
  expect(await json('contacts list')).toMatchObject([{ phone_numbers: ['+821055501111', '+821055502222'] }]);
});

test('completes a row in the next run if that run creates the contact that the row names', async () => {
  const { sendOk, importRows, control, json, readReport } = await createWatchedImport();
  const field = { model: 'contact', name: 'Mentor', data_type: 'contact', accepts_multiple_values: false };
  await sendOk('POST /v1/custom_fields', field);
  disturb(control, 'before', ({ method, body }) => method === 'POST' && body.includes('b@'));
  const csv = 'email,Mentor\na@x.example,b@x.example\nb@x.example,\n';
  expect((await importRows('contacts', csv, '--retries 0')).code).toBe(6);
  expect(formatReportRows(readReport())).toEqual([
    '2 unknown Mentor: contact "b@x.example" not found.',
    expect.stringContaining('3 unknown'),
  ]);
  control.before = () => false;
  expect((await importRows('contacts', csv)).code).toBe(0);
  const [a, b] = await json('contacts list --all --sort emails');
  expect(Object.values(a?.custom_fields as object)).toEqual([expect.objectContaining({ value: b?.id })]);
});
