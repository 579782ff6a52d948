import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, keyFor, serving, signedIn } from '../support/binary.ts';
import { machine, words } from '../support/kith.ts';

const lines = [
  'contacts list --all --json',
  'contacts list --all --page-size 7 --json',
  'organizations list --all --format csv',
  'custom-fields list --all',
  'lists list --all --format ndjson',
  'lists report "Sales pipeline" --json',
  'entries list "Sales pipeline" --all --page-size 9 --json',
  'events list --all --page-size 5 --format ndjson',
  'notes list --all',
  'api /v1/contacts --paginate',
];

test('ten simultaneous commands on a served workspace print the same as one alone', async () => {
  const { env, home, database } = signedIn();
  const { url } = await serving(database, env);
  const remote = { ...env, KITH_BASE_URL: url, KITH_API_KEY: await keyFor(database) };
  const atOnce = await Promise.all(lines.map((line) => binary(words(line), { env: remote })));
  expect(atOnce.map(({ code, out, err }) => ({ code, isThere: out.length > 40, err }))).toEqual(
    lines.map(() => ({ code: 0, isThere: true, err: '' })),
  );
  const kith = machine(join(home, '.config/kith'));
  for (const [index, line] of lines.entries()) expect(await kith(line)).toEqual(atOnce[index]);
});
