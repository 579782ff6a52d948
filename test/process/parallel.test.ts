import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveLocation } from '../service/serve.ts';
import { createKey, createSignedInHome, runKith } from '../support/binary.ts';
import { createMachine, splitWords } from '../support/kith.ts';

const lines = [
  'contacts list --all --page-size 7 --json',
  'custom-fields list --all',
  'lists report "Sales pipeline" --json',
  'entries list "Sales pipeline" --all --page-size 9 --json',
  'events list --all --page-size 5 --format ndjson',
  'api /v1/contacts --paginate',
];

test('six simultaneous commands on a served workspace print the same as one alone', async () => {
  const { env, home, database } = createSignedInHome();
  const key = await createKey(database);
  const { url } = await serveLocation(database, key);
  const remote = { ...env, KITH_BASE_URL: url, KITH_API_KEY: key };
  const parallelResults = await Promise.all(lines.map((line) => runKith(splitWords(line), { env: remote })));
  expect(parallelResults.map(({ code, out, err }) => ({ code, isThere: out.length > 40, err }))).toEqual(
    lines.map(() => ({ code: 0, isThere: true, err: '' })),
  );
  const kith = createMachine(join(home, '.config/kith'));
  for (const [index, line] of lines.entries()) expect(await kith(line)).toEqual(parallelResults[index]);
});
