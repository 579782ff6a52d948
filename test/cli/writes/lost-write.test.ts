import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine, splitWords } from '../../support/kith.ts';

/** Runs a command on a service that loses the response of every write. */
async function runLost(line: string | readonly string[]) {
  const { env } = await startTestService(({ method, url }, response) => {
    if (method !== 'GET') sendJson(response, 502);
    else
      sendJson(
        response,
        200,
        url.split('/').length > 3 ? { id: url.split('/').at(-1), fields: [] } : { data: [] },
      );
  });
  return createMachine()(line, { env });
}

test.each([
  [
    'contacts create --first-name Ada --email "ada+crm@analytical.example" --phone 555',
    "contacts find --email 'ada+crm@analytical.example'",
  ],
  ['contacts create --first-name Ada --phone "010-5550 1234"', "contacts find --phone '010-5550 1234'"],
  [
    'contacts create --first-name "Ada D\'Arcy" --last-name King',
    `contacts list --where 'name = "Ada D'\\''Arcy King"' --sort -created_at --limit 5`,
  ],
  [
    ['contacts', 'create', '--first-name', 'Ada "A\\"'],
    `contacts list --where 'name = "Ada \\"A\\\\\\""' --sort -created_at --limit 5`,
  ],
  [
    'contacts create --first-name 지우 --last-name 김',
    `contacts list --where 'name = "김지우"' --sort -created_at --limit 5`,
  ],
  ['contacts update c1 --first-name Ada', 'contacts get c1'],
  ['contacts remove-emails c1 a@x.example', 'contacts get c1'],
  ['contacts delete c1 --yes', 'contacts get c1'],
  ['organizations create --name Acme --domain acme.example', 'organizations find --domain acme.example'],
  ['organizations create --name "Acme Corp"', "organizations find --name 'Acme Corp'"],
  [
    'lists create News --entry-type Contact',
    `lists list --where 'name = "News"' --sort -created_at --limit 5`,
  ],
  [
    'custom-fields create Region --model contact',
    `custom-fields list --where 'name = "Region"' --sort -created_at --limit 5`,
  ],
  [
    'notes create --organization o1 --body Hello',
    'notes list --organization o1 --sort -created_at --limit 5',
  ],
  ['entries delete l1 e1 --yes', 'entries get l1 e1'],
  ['api /v1/contacts -f "emails[]=ada@x.example"', "contacts find --email 'ada@x.example'"],
])('a lost response to %j names the command that shows the record', async (line, command) => {
  const result = await runLost(line);
  expect(result).toMatchObject({ code: 7, out: '' });
  expect(result.err.endsWith(` may have been processed.\nhint: kith ${command}\n`)).toBe(true);
});

test('the JSON of a lost response has the command', async () => {
  const { code, err } = await runLost('contacts update c1 --first-name Ada --json');
  expect([code, JSON.parse(err).error]).toMatchObject([
    7,
    {
      code: 'unknown',
      command: 'kith contacts get c1',
      hint: 'Check whether the change was made before you run the command again: kith contacts get c1',
    },
  ]);
});

test('a lost request that the API does not know has no command', async () => {
  expect((await runLost('api /v1/unknown -f a=b')).err).toContain(
    'hint: Check whether the change was made before you run the command again.\n',
  );
});

test('the commands of a lost response find the record if it arrived', async () => {
  const kith = createDemoMachine();
  for (const line of [
    'contacts create --first-name Ada --last-name King',
    'organizations create --name "Acme Corp"',
    'lists create News --entry-type Contact',
    'custom-fields create Area --model contact',
    'notes create --organization rl16pk --body Hello',
  ]) {
    const created = await kith(`${line} --json`);
    const { id } = JSON.parse(created.out);
    const { err } = await runLost(line);
    const [, command = ''] = /^hint: kith (.*)$/m.exec(err) ?? [];
    expect([line, (await kith([...splitWords(command), '--json'])).out]).toEqual([
      line,
      expect.stringContaining(id),
    ]);
  }
});
