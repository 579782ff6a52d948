import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTestWorkspace } from '../../service/service.ts';
import { createDemoMachine } from '../../support/kith.ts';
import { createImportMachine } from './import-machine.ts';

type Workspace = Awaited<ReturnType<typeof createImportMachine>>;
type Kith = Workspace['kith'];

async function exportCsv(kith: Kith, noun: string): Promise<string> {
  const { code, out, err } = await kith(`${noun} list --all --format csv`);
  expect([code, err]).toEqual([0, '']);
  return out;
}

/** The file without ids and times, which are the first column and the last two. */
function stripTimes(csv: string): string {
  return csv
    .replace(/^[a-z0-9]{6,}(?=,)/gm, 'ID')
    .replace(/(,\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)){2}\r$/gm, ',TIMES\r');
}

/** The definitions of the custom fields of contacts or organizations. */
async function readFields(kith: Kith, noun: string): Promise<unknown[]> {
  const { out } = await kith('custom-fields list --all --json');
  const allFields: Record<string, unknown>[] = JSON.parse(out);
  const ownFields = allFields.filter(({ model }) => noun === `${model}s`);
  return ownFields.map(({ name, data_type, accepts_multiple_values, options }) => [
    ...[name, data_type, accepts_multiple_values, options],
  ]);
}

/** Imports the exports of one workspace into an empty one, and compares the exports of both. */
async function expectInverse(kith: Kith, nouns: readonly string[], flags = '--create-fields') {
  const { kith: other, toPath } = await createImportMachine();
  for (const noun of nouns) {
    const csv = await exportCsv(kith, noun);
    const line = `${noun} import - --report ${toPath(`${noun}.csv`)} ${flags}${noun === 'contacts' ? ' --allow-unmatched' : ''}`;
    const { code, err } = await other(line, { stdin: csv });
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(stripTimes(await exportCsv(other, noun))).toBe(stripTimes(csv));
  }
  for (const noun of nouns) {
    expect(stripTimes(await exportCsv(other, noun))).toBe(stripTimes(await exportCsv(kith, noun)));
    expect(await readFields(other, noun)).toEqual(await readFields(kith, noun));
  }
  return other;
}

test('the sample workspace, exported and imported: contacts, then organizations', async () => {
  await expectInverse(createDemoMachine(), ['contacts', 'organizations']);
});

const edgeValues = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'\'"=+-@;,\\\t\r\n |1a.한\u00a0\ufeff'), minLength: 1, maxLength: 8 }),
  fc.constantFrom(
    '=1+1',
    "'=1",
    "'",
    '"',
    '\\',
    ';',
    '\\;',
    '007',
    '1e3',
    'true',
    'null',
    '{}',
    '[',
    '-',
    '+1',
    "''@x",
    'row 2',
    'auto',
  ),
);
/** A cell with only spaces is empty. */
const nonEmptyValues = edgeValues.filter((text) => text.trim() !== '');
const values = fc.array(nonEmptyValues, { minLength: 1, maxLength: 3 });
const fieldNames = [
  'email',
  'Emails',
  'id',
  'organization',
  ' spaced ',
  'a,b',
  'x;y',
  '"q"',
  '=f',
  "'a",
  'custom_fields.x',
  'row',
  'action',
  '__proto__',
  'line\nbreak',
  '한글',
];

const workspaces = fc.record({
  contacts: fc.array(
    fc.record({
      first_name: fc.option(nonEmptyValues),
      last_name: fc.option(nonEmptyValues),
      phone: fc.boolean(),
      emails: fc.nat(3),
      organization: fc.option(fc.nat(3)),
      texts: fc.array(fc.option(nonEmptyValues), {
        minLength: fieldNames.length,
        maxLength: fieldNames.length,
      }),
      several: fc.option(values),
      number: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    }),
    { minLength: 2, maxLength: 5 },
  ),
  organizations: fc.uniqueArray(
    nonEmptyValues.map((text) => `O${text}`.trim()),
    { minLength: 4, maxLength: 4 },
  ),
});

test('imports the export of a workspace with difficult values', async () => {
  await fc.assert(
    fc.asyncProperty(workspaces, async ({ contacts, organizations }) => {
      const { kith, database, json } = await createImportMachine();
      const { sendOk } = await openTestWorkspace(database);
      const createRecord = (noun: string, body: object) => sendOk<{ id: string }>(`POST /v1/${noun}`, body);
      for (const name of fieldNames)
        await createRecord('custom_fields', {
          model: 'contact',
          name,
          data_type: 'text',
          accepts_multiple_values: false,
        });
      await createRecord('custom_fields', {
        model: 'contact',
        name: 'Several',
        data_type: 'text',
        accepts_multiple_values: true,
      });
      await createRecord('custom_fields', {
        model: 'contact',
        name: 'Number',
        data_type: 'number',
        accepts_multiple_values: false,
      });
      const homes = [];
      for (const [index, name] of organizations.entries())
        homes.push(
          await createRecord('organizations', {
            name,
            domains: index % 2 ? [`o${index}.example`, `p${index}.example`] : [],
          }),
        );
      for (const [index, one] of contacts.entries()) {
        await createRecord('contacts', {
          first_name: one.first_name ?? (one.emails > 0 ? null : `F${index}`),
          last_name: one.last_name,
          emails: Array.from({ length: one.emails }, (_, n) => `+=c${index}.${n}@x.example`),
          phone_numbers: one.phone ? [`+8210555012${index}0`, `+4420794600${index}1`] : [],
          ...(one.organization !== null && { organization_id: homes[one.organization]?.id }),
          custom_fields: [
            ...fieldNames.map((name, n) => ({ name, value: one.texts[n] ?? null })),
            { name: 'Several', value: one.several ?? [] },
            { name: 'Number', value: one.number },
          ],
        });
      }
      expect(await json('contacts list --all')).toHaveLength(contacts.length);
      await expectInverse(kith, ['contacts']);
      await expectInverse(kith, ['organizations', 'contacts']);
    }),
    { numRuns: Number(process.env.KITH_RUNS ?? 2), endOnFailure: true },
  );
});

const definitions = [
  ['Plain', 'text', false],
  ['Zip', 'text', false],
  ['Many', 'text', true],
  ['a:b\\c:date', 'text', false],
  ['Empty', 'number', false],
  ['Note', 'textarea', false],
  ['Site', 'url', false],
  ['Day', 'date', true],
  ['Seen', 'datetime', false],
  ['One', 'select', false, ['multiple']],
  ['Level', 'select', false, ['a, b', 'c:d', '\\', ' e ', '=f', '"', 'multiple']],
  ['Tags', 'select', true, ['x', 'y;z ']],
  ['Owner', 'user', false],
  ['Owners', 'user', true],
  ['Mentor', 'contact', false],
  ['Friends', 'contact', true],
] as const;

test.each(['contacts', 'organizations'])(
  'custom fields of %s keep types, options and values',
  async (noun) => {
    const { kith, database } = await createImportMachine();
    const { sendOk } = await openTestWorkspace(database);
    const model = noun.slice(0, -1);
    for (const [name, data_type, accepts_multiple_values, options = []] of definitions) {
      const body = { model, name, data_type, accepts_multiple_values };
      await sendOk('POST /v1/custom_fields', data_type === 'select' ? { ...body, options } : body);
    }
    const findContact = async (email: string) =>
      (await sendOk<{ id: string }>('POST /v1/contacts', { emails: [email, `also-${email}`] })).id;
    const [ada, bob] = [await findContact('ada@x.example'), await findContact('bob@x.example')];
    const values = {
      Zip: '12345',
      Many: ['1', ' 2 '],
      'a:b\\c:date': '2026-05-01',
      Day: ['2026-05-01', '2026-05-02'],
      One: 'multiple',
      Level: ' e ',
      Tags: ['y;z ', 'x'],
      Owners: ['a@kith.example', 'b@kith.example'],
      // Ada precedes Bob, and each references the other.
      Mentor: bob,
      Friends: [bob, ada],
    };
    const custom_fields = Object.entries(values).map(([name, value]) => ({ name, value }));
    if (noun === 'contacts') {
      await sendOk(`PATCH /v1/contacts/${ada}`, { custom_fields });
      await sendOk(`PATCH /v1/contacts/${bob}`, { custom_fields: [{ name: 'Mentor', value: ada }] });
      await expectInverse(kith, ['contacts']);
    } else {
      await sendOk('POST /v1/organizations', { name: 'Analytical', custom_fields });
      await expectInverse(kith, ['contacts', 'organizations']);
    }
  },
);
