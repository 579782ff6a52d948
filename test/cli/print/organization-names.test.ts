import { expect, test } from 'vitest';
import { nameOrganizations } from '../../../src/cli/print/import-table.ts';
import { organizations } from '../../../src/contract/organizations.ts';
import { createRecordNormalizer } from '../../../src/contract/received.ts';
import { toRawJson } from '../../../src/values/raw-json.ts';

const normalize = createRecordNormalizer(organizations.get);

/** Names organizations, each listed as its id, name and domains. */
async function listNames(...organizations: readonly (readonly [string, unknown, ...unknown[]])[]) {
  async function* toRecords() {
    for (const [id, name, ...domains] of organizations) yield toRawJson(normalize({ id, name, domains }));
  }
  return Object.fromEntries(await nameOrganizations(toRecords()));
}

test.each([
  [
    'its name',
    [
      ['o1', 'Acme', 'acme.example'],
      ['o2', 'Bolt'],
    ],
    { o1: 'Acme', o2: 'Bolt' },
  ],
  [
    'a domain if another has the name',
    [
      ['o1', 'Acme', 'acme.example', 'acme.test'],
      ['o2', 'ACME ', 'bolt.example'],
    ],
    { o1: 'acme.example', o2: 'bolt.example' },
  ],
  [
    'a domain if another has the name with other spacing and character width',
    [
      ['o1', 'Acme GmbH', 'acme.example'],
      ['o2', 'Ａcme  GmbH'],
    ],
    { o1: 'acme.example', o2: 'o2' },
  ],
  ['a domain if it has no name', [['o1', null, 'acme.example']], { o1: 'acme.example' }],
  [
    'its id if it has nothing else',
    [
      ['o1', 'Acme'],
      ['o2', 'Acme'],
      ['o3', ''],
    ],
    { o1: 'o1', o2: 'o2', o3: 'o3' },
  ],
  ['a name that is its own domain', [['o1', 'acme.example', 'acme.example']], { o1: 'acme.example' }],
  [
    'nothing that is the domain of another',
    [
      ['o1', 'https://www.Acme.example/about', 'bolt.example'],
      ['o2', null, 'acme.example'],
    ],
    { o1: 'bolt.example', o2: 'acme.example' },
  ],
  [
    'no domain that is the name of another',
    [
      ['o1', null, 'acme.example', 'acme.test'],
      ['o2', 'ACME.example'],
    ],
    { o1: 'acme.test', o2: 'o2' },
  ],
  [
    'nothing that is the id of another',
    [
      ['o1', 'O2', 'acme.example'],
      ['o2', 'Bolt'],
    ],
    { o1: 'acme.example', o2: 'Bolt' },
  ],
  [
    'no domain that another has too, which a hosted service allows',
    [
      ['o1', null, 'acme.example', 'a.example'],
      ['o2', null, 'acme.example'],
      ['o3', null, 'acme.example'],
    ],
    { o1: 'a.example', o2: 'o2', o3: 'o3' },
  ],
  ['no name with space around it', [['o1', ' Acme', 'acme.example']], { o1: 'acme.example' }],
  [
    'the text of a name of another type',
    [
      ['o1', 5, null, {}],
      ['o2', ['x']],
    ],
    { o1: '5', o2: '["x"]' },
  ],
] as const)('identifies an organization by %s', async (_, organizations, names) => {
  expect(await listNames(...organizations)).toEqual(names);
});
