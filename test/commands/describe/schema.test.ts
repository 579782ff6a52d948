import { expect, test } from 'vitest';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { createSchemaCheck } from './json-schema.ts';

test('schema lists the schemas, and prints each as it is published', async () => {
  const kith = createMachine();
  const { out } = await kith('schema --json');
  const names: string[] = JSON.parse(out).map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['contacts', 'recordings', 'commands', 'error', 'envelope']));
  for (const name of names) {
    const printed = await kith(`schema ${name}`);
    expect({ ...printed, out: JSON.parse(printed.out) }).toMatchObject({
      code: 0,
      out: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `urn:kith:schema:${name}`,
        title: expect.any(String),
      },
    });
  }
  expect(JSON.parse((await kith('schema notes', { terminal: 80 })).out).title).toBe('Note');
});

test('an unknown schema is an error that lists the schemas', async () => {
  const { code, err } = await createMachine()('schema deals');
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining('NAME: "deals" is not one of contacts, organizations, notes'),
  });
});

test('every record of the sample workspace matches the schema of its noun', async () => {
  const kith = createDemoMachine();
  const read = async (line: string): Promise<{ id: string }[]> => JSON.parse((await kith(line)).out);
  const check = async (noun: string, records: readonly unknown[]) => {
    const listDifferences = createSchemaCheck(noun);
    expect(records.length).toBeGreaterThan(0);
    expect(records.flatMap(listDifferences)).toEqual([]);
  };
  for (const noun of ['contacts', 'organizations', 'notes', 'custom-fields', 'lists', 'events', 'actions'])
    await check(noun, await read(`${noun} list --all --json`));
  for (const { id } of await read('lists list --all --json'))
    await check('entries', await read(`entries list ${id} --all --json`));
  const recordings = await read('events list --all --json --jq [.[].recordings[]]');
  const some = recordings.filter((_, index) => index % 20 === 0);
  for (const { id } of some)
    await check('recordings', [JSON.parse((await kith(`recordings get ${id} --json`)).out)]);
});

test('a record with a wrong type does not match its schema', () => {
  expect(createSchemaCheck('contacts')({ id: 1 })).toContain('/id must be string');
});

test.each(['contacts get nobody', 'contacts list --profile nobody', 'contacts find', 'contacts lst'])(
  'the JSON error of %s matches its schema',
  async (line) => {
    const { err } = await createDemoMachine()(`${line} --json`);
    expect(createSchemaCheck('error')(JSON.parse(err))).toEqual([]);
  },
);
