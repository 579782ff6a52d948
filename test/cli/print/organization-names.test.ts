import { expect, test } from 'vitest';
import { nameOrganizations } from '../../../src/cli/print/organization-names.ts';
import { toRawJson } from '../../../src/values/raw-json.ts';

/** The names of organizations, each given as its id, its name and its domains. */
async function namesOf(...given: readonly (readonly [string, unknown, ...unknown[]])[]) {
  async function* sent() {
    for (const [id, name, ...domains] of given) yield toRawJson({ id, name, domains });
  }
  return Object.fromEntries(await nameOrganizations(sent()));
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
    'a domain, where another has the name',
    [
      ['o1', 'Acme', 'acme.example', 'acme.test'],
      ['o2', 'ACME ', 'bolt.example'],
    ],
    { o1: 'acme.example', o2: 'bolt.example' },
  ],
  ['a domain, where it has no name', [['o1', null, 'acme.example']], { o1: 'acme.example' }],
  [
    'its id, where it has nothing else',
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
    'no domain that another has too, as a hosted service may say',
    [
      ['o1', null, 'acme.example', 'a.example'],
      ['o2', null, 'acme.example'],
      ['o3', null, 'acme.example'],
    ],
    { o1: 'a.example', o2: 'o2', o3: 'o3' },
  ],
  ['no name with space around it', [['o1', ' Acme', 'acme.example']], { o1: 'acme.example' }],
  [
    'its id, where a service sends something else',
    [
      ['o1', 5, null, {}],
      ['o2', ['x']],
    ],
    { o1: 'o1', o2: 'o2' },
  ],
] as const)('an organization goes by %s', async (_, given, names) => {
  expect(await namesOf(...given)).toEqual(names);
});
