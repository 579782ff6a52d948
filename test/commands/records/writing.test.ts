import { expect, test } from 'vitest';
import { createSignedInHome, runKith } from '../../support/binary.ts';
import { createDemoMachine } from '../../support/kith.ts';

/** Creates a machine on the sample workspace. `json` runs a command that must succeed and parses its output. */
async function createSampleMachine() {
  const kith = createDemoMachine();
  return {
    kith,
    json: async (line: string | readonly string[], more = '') => {
      const words = typeof line === 'string' ? `${line} --json ${more}` : [...line, '--json'];
      const { code, out, err } = await kith(words);
      expect({ line, code, err }).toEqual({ line, code: 0, err: '' });
      return JSON.parse(out);
    },
  };
}

test('an assignee may be the first part of an address, and an update says if it changes nothing', async () => {
  const { kith, json } = await createSampleMachine();
  const terminal = { terminal: 80, env: { NO_COLOR: '1' } };
  const list = 'entries list "Sales pipeline" --fields assignee --jq unique[].assignee.email --assignee';
  expect((await kith(`${list} RUI`)).out).toBe('rui@tidewater.example\n');
  expect(await json('entries update DEAL-29 --assignee rui')).toMatchObject({
    assignee: { email: 'rui@tidewater.example' },
  });
  expect((await kith('entries update DEAL-29 --assignee nobody')).err).toContain('"nobody" is not an email');
  expect((await kith('entries update DEAL-29 --assignee rui', terminal)).err).toBe(
    'kith: Nothing changed: entry DEAL-29 (gj3v8y) already had these values.\n',
  );
  expect((await kith('entries update DEAL-29 --assignee mina', terminal)).err).toContain('Updated entry');
  await json('entries update DEAL-1 --assignee rui@other.example');
  const several = 'Several addresses begin with "rui@": rui@other.example, rui@tidewater.example.';
  expect(await kith(`${list} rui`)).toMatchObject({ code: 2, err: `kith: --assignee: ${several}\n` });
  expect(await kith('entries update DEAL-29 --assignee rui')).toMatchObject({
    ...{ code: 2, err: `kith: ${several}\n` },
  });
});

test('a contact is created, found, updated and deleted', async () => {
  const { kith, json } = await createSampleMachine();
  const created = await json(
    'contacts create --first-name 새봄 --last-name 한 --email Bom@Hanbit-Cold.example --phone "+82 10-5550-7777" --organization auto ' +
      '--field Role=Driver --field Language=Korean --field "Met by=mina@tidewater.example" --field "Met by=jun@tidewater.example"',
  );
  expect(created).toMatchObject({
    first_name: '새봄',
    last_name: '한',
    phone_numbers: ['+821055507777'],
    organization_id: 'rl16pk',
  });
  const get = (fields: string) => json(`contacts get ${created.id} --fields ${fields}`);
  expect(await get('custom_fields.Role,custom_fields.Birthday')).toEqual({
    custom_fields: { Role: 'Driver', Birthday: null },
  });
  expect(await json(['contacts', 'get', created.id, '--fields', 'custom_fields.Met by'])).toEqual({
    custom_fields: { 'Met by': ['mina@tidewater.example', 'jun@tidewater.example'] },
  });
  const match = await json('contacts find --phone "+82 10 5550 7777"');
  expect(match).toEqual([await json(`contacts get ${created.id}`)]);

  await json(
    `contacts update ${created.id} --last-name '' --email bom@other.example --organization '' --field Role= --field Birthday=2000-02-29`,
  );
  expect(await get('first_name,last_name,organization_id,custom_fields.Role,custom_fields.Birthday')).toEqual(
    {
      first_name: '새봄',
      last_name: null,
      organization_id: null,
      custom_fields: { Role: null, Birthday: '2000-02-29' },
    },
  );
  expect((await get('emails')).emails).toHaveLength(2);
  await json(`contacts remove-emails ${created.id} bom@other.example`);
  expect((await get('emails')).emails).toHaveLength(1);
  await json(`contacts delete ${created.id} --yes`);
  expect((await kith(`contacts get ${created.id}`)).code).toBe(3);
});

test.each([
  ['contacts create --last-name Only', 5],
  ['notes create --organization nope --body x', 3],
  ['entries add "Sales pipeline" --contact 0rlnky', 5],
  ['contacts update nope --first-name A', 3],
])('%s is rejected by the service with exit code %i', async (line, code) => {
  const { kith } = await createSampleMachine();
  const result = await kith(line);
  expect({ code: result.code, out: result.out, isError: /^kith: \S/.test(result.err) }).toEqual({
    code,
    out: '',
    isError: true,
  });
});

test('reads --data from stdin once, also if a list is given by its name', async () => {
  const data = { entryable_id: 'v49o47', entryable_type: 'Contact' };
  const { code, out } = await runKith(['entries', 'add', 'Newsletter', '--data', '-', '--json'], {
    env: createSignedInHome().env,
    stdin: JSON.stringify(data),
  });
  expect([code, JSON.parse(out)]).toMatchObject([0, data]);
});

test('create and update show the id and the fields that were sent in a terminal', async () => {
  const kith = createDemoMachine();
  const create =
    'contacts create --first-name Ada --email ada@x.example --organization auto --field Role=CEO -q';
  const screen = { terminal: 80, env: { NO_COLOR: '1' } };
  const { out } = await kith(create, screen);
  expect(out.replace(/^ID +\w+\n/, '')).toBe(
    'Name          Ada\nEmails        ada@x.example\nOrganization  x.example\nRole          CEO\n',
  );
  const update = 'entries update DEAL-74 --status Won --assignee mina@tidewater.example --field Rooms=3 -q';
  expect((await kith(update, screen)).out).toBe(
    'ID        mjdwvy\nKey       DEAL-74\nRooms     3\nStatus    Won\nAssignee  mina@tidewater.example\n',
  );
});

test('--assignee me assigns an entry to the user', async () => {
  const kith = createDemoMachine();
  const update = 'entries update DEAL-73 --dry-run -q';
  expect(await kith(`${update} --assignee me`)).toMatchObject({
    code: 2,
    err: expect.stringContaining('kith config set user'),
  });
  await kith('config set user mina@tidewater.example');
  expect((await kith(`${update} --assignee Me --json --jq .body`)).out).toBe(
    '{"assignee_email":"mina@tidewater.example"}\n',
  );
});

test.each([
  ['contacts update 0rlnky --last-name Lee', 'ID    0rlnky\nName  지우 Lee\n'],
  ['entries update DEAL-74 --one-time-value 12.50', 'ID        mjdwvy\nKey       DEAL-74\nOne-time  12.50\n'],
  [
    'entries update DEAL-74 --recurring-period annual',
    'ID         mjdwvy\nKey        DEAL-74\nRecurring  27.00/yr\n',
  ],
])('%s shows the field as a table does, in a terminal', async (line, expected) => {
  const { out } = await createDemoMachine()(`${line} -q`, { terminal: 80, env: { NO_COLOR: '1' } });
  expect(out).toBe(expected);
});
