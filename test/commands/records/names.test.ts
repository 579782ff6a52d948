import { expect, test } from 'vitest';
import { startSmallService } from '../../cli/references/small-service.ts';

test.each([
  ['contacts create "Jane Doe"', 'contacts {"first_name":"Jane","last_name":"Doe"}'],
  ['contacts create --name "Kim, Jiwoo"', '"first_name":"Jiwoo","last_name":"Kim"}'],
  ['contacts create 김지우', 'contacts {"first_name":"지우","last_name":"김"}'],
  ['contacts upsert --name "Jane Doe"', 'contacts {"first_name":"Jane","last_name":"Doe"}'],
  ['contacts update ADA --name Plato', '{"first_name":"Plato","last_name":null}'],
  ['organizations create Navy', 'organizations {"name":"Navy"}'],
  ['notes create acme.example Called', 'notes {"organization_id":"ACME","body":"Called"}'],
  ['notes create acme.example --body Called', 'notes {"organization_id":"ACME","body":"Called"}'],
])('%s sends %s', async (line, request) => {
  const { kith, ada, acme, takeWrites } = await startSmallService();
  const words = Array.from(line.matchAll(/"([^"]+)"|(\S+)/g), ([, quoted, word]) => quoted ?? word ?? '');
  expect((await kith(words.map((word) => word.replace('ADA', ada)))).code).toBe(0);
  expect(takeWrites().at(-1)?.endsWith(request.replace('ACME', acme))).toBe(true);
});

test.each([
  ['contacts create Jane --name Jane', '--name: The argument "Jane" sets the same value.'],
  ['contacts create Jane --last-name Doe', '--name and --last-name cannot be used together.'],
  ['notes create acme.example --organization acme.example x', '--organization: The argument "acme.example"'],
  ['notes create acme.example x -F -', '--body and --body-file cannot be used together.'],
])('%s exits with 2', async (line, message) => {
  const { kith, takeWrites } = await startSmallService();
  const { code, err } = await kith(line.split(' '));
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`kith: ${message}`) });
  expect(takeWrites()).toEqual([]);
});

test('a note about the key of a deal gets the organization of the deal', async () => {
  const { kith, create, acme, takeWrites } = await startSmallService();
  const deals = await create('lists', {
    ...{ name: 'Deals', process: true, identifier: 'DEAL', entry_type: 'Organization' },
    duplicates_allowed: true,
  });
  const deal = await create(`lists/${deals}/entries`, {
    ...{ entryable_id: acme, entryable_type: 'Organization' },
  });
  takeWrites();
  expect((await kith(['notes', 'create', 'DEAL-1', 'Called'])).code).toBe(0);
  expect(takeWrites()).toEqual([
    `POST /v1/notes ${JSON.stringify({ organization_id: acme, body: 'Called', deal_id: deal })}`,
  ]);
});
