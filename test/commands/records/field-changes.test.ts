import { expect, test } from 'vitest';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { startRecordingService } from '../recording-service.ts';

/** A way to write and read one field with several values, on the sample workspace. */
interface FieldOwner {
  readonly update: string;
  readonly create: string;
  readonly get: string;
  readonly map: 'custom_fields' | 'list_fields';
}

const fieldOwners: Readonly<Record<string, FieldOwner>> = {
  contact: {
    create:
      'custom-fields create Tags --model contact --type select --multiple --option a --option b --option c',
    update: 'contacts update 0rlnky',
    get: 'contacts get 0rlnky',
    map: 'custom_fields',
  },
  organization: {
    create:
      'custom-fields create Tags --model organization --type select --multiple --option a --option b --option c',
    update: 'organizations update rl16pk',
    get: 'organizations get rl16pk',
    map: 'custom_fields',
  },
  entry: {
    create: 'lists update "Sales pipeline" --field Tags:select:multiple:a,b,c',
    update: 'entries update "Sales pipeline" m7lwpy',
    get: 'entries get "Sales pipeline" m7lwpy',
    map: 'list_fields',
  },
};

/** The sample workspace with the field `Tags` of a record. */
async function createTaggedRecord(noun: keyof typeof fieldOwners) {
  const owner = fieldOwners[noun] as FieldOwner;
  const kith = createDemoMachine();
  await kith(owner.create);
  return {
    ...owner,
    kith,
    tags: async () =>
      JSON.parse(
        (await kith(`${owner.get} -q --jq '[.${owner.map}[]|select(.name=="Tags").value][0]|tojson'`)).out,
      ),
  };
}

test.each(Object.keys(fieldOwners))(
  '--add-field and --remove-field change one value of a field of a %s',
  async (noun) => {
    const { kith, update, tags } = await createTaggedRecord(noun);
    const readTagsAfter = async (flags: string) => {
      const { code, err } = await kith(`${update} ${flags} -q`);
      expect({ flags, code, err }).toEqual({ flags, code: 0, err: '' });
      return tags();
    };
    expect(await readTagsAfter('--add-field Tags=a')).toEqual(['a']);
    expect(await readTagsAfter('--add-field Tags=c --add-field Tags=b')).toEqual(['a', 'c', 'b']);
    expect(await readTagsAfter('--add-field Tags=c')).toEqual(['a', 'c', 'b']);
    expect(await readTagsAfter('--remove-field Tags=a --remove-field Tags=z')).toEqual(['c', 'b']);
    expect(await readTagsAfter('--remove-field Tags=c --add-field Tags=a')).toEqual(['b', 'a']);
    expect(await readTagsAfter('--field Tags=c')).toEqual(['c']);
    expect(await readTagsAfter('--remove-field Tags=c')).toBe(null);
  },
);

test.each(Object.keys(fieldOwners))('--dry-run shows the values of a %s before and after', async (noun) => {
  const { kith, update, tags, map } = await createTaggedRecord(noun);
  await kith(`${update} --field Tags=a --field Tags=b`);
  const rows = [
    ['--add-field Tags=c', '["a","b"] -> ["a","b","c"]', ['a', 'b', 'c']],
    ['--remove-field Tags=a', '["a","b"] -> ["b"]', ['b']],
    ['--field Tags=c', '["a","b"] -> ["c"]', ['c']],
    ['--add-field Tags=b', '["a","b"] (unchanged)', ['a', 'b']],
    ['--field Tags=', '["a","b"] -> (none)', null],
  ] as const;
  for (const [flags, change, value] of rows) {
    const { code, out, err } = await kith(`${update} ${flags} --dry-run --jq .`);
    expect({ code, err, body: JSON.parse(out).body }).toEqual({
      code: 0,
      err: `kith: Tags: ${change}\n`,
      body: { [map]: [{ name: 'Tags', value }] },
    });
  }
  expect(await tags()).toEqual(['a', 'b']);
});

test('sends other fields together with the changed values', async () => {
  const { kith, update } = await createTaggedRecord('contact');
  await kith(`${update} --field Tags=a`);
  const { out } = await kith(
    `${update} --field Role=Boss --add-field Tags=b --first-name J --dry-run -q --json`,
  );
  expect(JSON.parse(out).body).toEqual({
    first_name: 'J',
    custom_fields: [
      { name: 'Role', value: 'Boss' },
      { name: 'Tags', value: ['a', 'b'] },
    ],
  });
});

test('compares values by the data type of the field, and can remove a deleted option', async () => {
  const kith = createDemoMachine();
  const list = (definition: string) => kith(['lists', 'update', 'Sales pipeline', '--field', definition]);
  await list('Sizes:number:multiple');
  await list('Who:user:multiple');
  await list('When:datetime:multiple');
  await list('Old:select:multiple:x,y');
  const entry = 'entries update "Sales pipeline" m7lwpy';
  const first =
    '--field Sizes=1.50 --field Who=Ada@x.example --field When=2026-05-04T09:00:00Z --field Old=x';
  const responses =
    '--add-field Sizes=1.5 --add-field Who=ada@x.example --add-field When=2026-05-04T11:00:00+02:00';
  expect((await kith(`${entry} ${first}`)).code).toBe(0);
  const readTagsAfter = async (flags: string) => {
    const { out } = await kith(`${entry} ${flags} -q --jq '[.list_fields[].value]|.[-4:]|tojson'`);
    return JSON.parse(out);
  };
  expect(await readTagsAfter(responses)).toEqual([[1.5], ['Ada@x.example'], ['2026-05-04T09:00:00Z'], ['x']]);
  await list('Old:select:multiple:y');
  expect(await readTagsAfter(`${responses.replaceAll('add', 'remove')} --remove-field Old=x`)).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

const fieldNames = 'hint: Available fields: Code, Rooms, Since, Visit, Tier, Topics, Sizes, Bare.\n';

test.each([
  ['--add-field Topic=x', `--add-field: unknown field "Topic".\n${fieldNames}`],
  ['--remove-field Topic=x', `--remove-field: unknown field "Topic".\n${fieldNames}`],
  ['--add-field Topics', '--add-field: "Topics" is not NAME=VALUE.\n'],
  [
    '--remove-field Topics=',
    '--remove-field: "Topics=" has no value.\nhint: To clear the field: --field "Topics="\n',
  ],
  [
    '--add-field Tier=Gold',
    '--add-field "Tier": Only one value is allowed.\nhint: To set it: --field "Tier=VALUE"\n',
  ],
  [
    '--remove-field Tier=Gold',
    '--remove-field "Tier": Only one value is allowed.\nhint: To clear it: --field "Tier="\n',
  ],
  [
    '--add-field Bare=x',
    '--add-field "Bare": Only one value is allowed.\nhint: To set it: --field "Bare=VALUE"\n',
  ],
  ['--add-field Topics=x', '--add-field "Topics": "x" is not one of Probes, Loggers.\n'],
  ['--remove-field Sizes=x', '--remove-field "Sizes": "x" is not a number.\n'],
  ['--add-field Topics=Probes --remove-field Topics=Probes', '"Topics=Probes" is both added and removed.\n'],
  [
    '--field Topics=Probes --add-field Topics=Loggers',
    '--field and --add-field both change "Topics".\nhint: --field replaces all values. Omit it, or pass every value with it.\n',
  ],
])('rejects %s and sends nothing', async (flags, reason) => {
  const { env, requests } = await startRecordingService({
    '/v1/contacts/c1': { id: 'c1', custom_fields: { f9: { name: 'Bare', data_type: 'text', value: 'one' } } },
  });
  expect(await createMachine()(`contacts update c1 ${flags}`, { env })).toEqual({
    code: 2,
    out: '',
    err: `kith: ${reason}`,
  });
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test.each([
  ['a map by id', { f1: { name: 'Topics', value: ['Probes'] } }],
  ['a map by name', { Topics: ['Probes'] }],
  ['an array', [{ name: 'Topics', value: ['Probes'] }]],
  ['one value', { f1: { name: 'Topics', value: 'Probes' } }],
])('reads the values of a record from %s', async (_, custom_fields) => {
  const { env, requests } = await startRecordingService({ '/v1/contacts/c1': { id: 'c1', custom_fields } });
  expect((await createMachine()('contacts update c1 --add-field Topics=Loggers', { env })).code).toBe(0);
  expect(requests.at(-1)?.body).toBe('{"custom_fields":[{"name":"Topics","value":["Probes","Loggers"]}]}');
});

test.each(['--add-field Topics=Loggers', '--remove-field Topics=Probes'])(
  'rejects %s if the service returns objects as values',
  async (flags) => {
    const custom_fields = { f1: { name: 'Topics', value: [{ id: 1, name: 'Probes' }] } };
    const { env, requests } = await startRecordingService({ '/v1/contacts/c1': { id: 'c1', custom_fields } });
    const [flag] = flags.split(' ');
    expect(await createMachine()(`contacts update c1 ${flags}`, { env })).toEqual({
      code: 1,
      out: '',
      err: `kith: ${flag}: the service shows values of "Topics" as objects, which kith cannot compare.\nhint: Pass all values of the field: --field "Topics=VALUE"\n`,
    });
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);

test('--remove-field reports a value that the field does not have', async () => {
  const custom_fields = { f1: { name: 'Topics', value: ['Probes'] } };
  const { env } = await startRecordingService({ '/v1/contacts/c1': { id: 'c1', custom_fields } });
  const update = 'contacts update c1 --remove-field Topics=Loggers';
  expect(await createMachine()(update, { env })).toMatchObject({
    code: 0,
    err: 'kith: "Topics" does not have the value "Loggers".\n',
  });
  expect(await createMachine()(`${update} --quiet`, { env })).toMatchObject({ code: 0, err: '' });
});

test('refuses to change a value if the service does not return the values of the record', async () => {
  const { env, requests } = await startRecordingService({
    '/v1/contacts/c1': { id: 'c1', first_name: 'Ada' },
  });
  expect(await createMachine()('contacts update c1 --add-field Topics=Loggers', { env })).toEqual({
    code: 1,
    out: '',
    err: 'kith: --add-field: the service does not return the current values of the record.\nhint: Pass all values of the field: --field "Topics=VALUE"\n',
  });
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test.each(['--field', '--add-field'])('names %s and the field if no contact has a name', async (flag) => {
  const kith = createDemoMachine();
  await kith('custom-fields create Referrers --model contact --type contact --multiple');
  expect(await kith(`contacts update 0rlnky ${flag} Referrers=Zzyzx`)).toEqual({
    code: 3,
    out: '',
    err: `kith: ${flag} "Referrers": No contact has the id or name "Zzyzx".\nhint: kith contacts list\n`,
  });
});
