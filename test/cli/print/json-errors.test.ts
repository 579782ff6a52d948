import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../../support/kith.ts';

test('the JSON error of an ambiguous name has its candidates with their commands, and chooses none', async () => {
  const kith = createDemoMachine();
  const ids: string[] = [];
  for (const domain of ['acme.example', 'acme.test'])
    ids.push((await kith(`organizations create --name Acme --domain ${domain} --jq .id`)).out.trim());
  const { code, err } = await kith('organizations delete Acme --yes --json');
  const { error } = JSON.parse(err);
  const toCommand = (id: string | undefined) => `kith organizations delete ${id} --yes --json`;
  expect({ code, error }).toMatchObject({
    code: 2,
    error: {
      code: 'usage',
      candidates: [
        { id: ids[0], name: 'Acme', detail: 'acme.example', command: toCommand(ids[0]) },
        { id: ids[1], name: 'Acme', detail: 'acme.test', command: toCommand(ids[1]) },
      ],
    },
  });
  expect(error).not.toHaveProperty('command');
});

test('the JSON error of an unknown name has the closest names', async () => {
  const kith = createDemoMachine();
  const id = (await kith('organizations create --name Lighthouse --jq .id')).out.trim();
  const { code, err } = await kith('organizations get Lihgthouse --json');
  const { candidates, message } = JSON.parse(err).error;
  expect({ code, candidates }).toEqual({ code: 3, candidates: [{ id, name: 'Lighthouse' }] });
  expect(message).toContain(`Closest names: Lighthouse (${id}).`);
});

test('the JSON error of an incomplete id of an action item has the items', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('actions list --limit 1 --jq .[0]');
  const { id, text } = JSON.parse(out);
  const { code, err } = await kith(`actions done ${id.slice(0, -1)} --json`);
  expect({ code, error: JSON.parse(err).error }).toMatchObject({
    code: 2,
    error: { command: `kith actions done ${id} --json`, candidates: [{ id, name: text }] },
  });
});

test('the JSON error of a rate limit says when to retry', async () => {
  const { env } = await startTestService((_, response) => {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '90' }).end('{}');
  });
  const { code, err } = await createMachine()('lists list --json --retries 0', { env });
  expect({ code, error: JSON.parse(err).error }).toMatchObject({
    code: 75,
    error: { code: 'rate_limited', exit_code: 75, retryable: true, retry_after: 90, details: [] },
  });
});

/** Runs a line, with the path of a file of contacts for FILE. */
function runWithFile(line: string, content: string) {
  const folder = createTemporaryFolder();
  const file = join(folder, 'people.csv');
  writeFileSync(file, content);
  return createDemoMachine()(line.replace('FILE', file), { env: { KITH_STATE_DIR: folder } });
}

test.each([
  'contacts list --json',
  'contacts list --format json',
  'contacts list --json-envelope',
  'search tide --json',
  'contacts import FILE --json',
  'contacts import FILE --json --dry-run',
])('with JSON, a command that succeeds prints nothing on stderr: %s', async (line) => {
  expect(await runWithFile(line, 'Vorname,E-Mail\nAda,ada@x.example\n')).toMatchObject({ code: 0, err: '' });
});

test('with JSON, the error of a failed command contains its notes and warnings', async () => {
  const content = 'Vorname,E-Mail\nAda,ada@x.example\nAlan,alan\n';
  const { code, err } = await runWithFile('contacts import FILE --json --quiet', content);
  expect({ code, ...JSON.parse(err).error }).toMatchObject({
    code: 'partial',
    warnings: ["Guessed columns: --map 'Vorname=first_name' --map 'E-Mail=emails'"],
  });
});
