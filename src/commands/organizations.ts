import { defineCommand, toBatch } from '../cli/command/command.ts';
import { createTextOption } from '../cli/command/options.ts';
import { exactlyOne, requiresChange } from '../cli/command/rules.ts';
import { createFieldOptions } from '../cli/flags/field-options.ts';
import { Failure } from '../contract/errors.ts';
import { organizations as routes } from '../contract/organizations.ts';
import type { RouteRecord } from '../contract/received.ts';
import { listMatchKeys, toMatchKey } from '../records/match.ts';
import { views } from '../render/views.ts';
import type { RawJson } from '../values/raw-json.ts';
import { showsMany } from './bulk/show-many.ts';
import { organizationsDuplicates, organizationsMerge } from './duplicates/duplicates.ts';
import { organizationsImport } from './import/import.ts';
import { createIfAbsentOption, createMatchOption } from './records/match-fields.ts';
import { defineRecordCommands } from './records/record-commands.ts';
import { organizationsShow } from './show/show.ts';

const { list, get, create, upsert, update, edit, write, remove } = defineRecordCommands(
  'organizations',
  routes,
);

export const organizations = [
  list({
    shortcuts: ['list', 'createdAfter', 'updatedAfter'],
    examples: [
      'organizations list',
      'orgs list --limit 5 --format csv',
      "organizations list --where '\"Cold rooms\" >= 5 and Country != Japan' --sort '-Cold rooms'",
    ],
  }),
  get(['organizations get 한빛물류', 'organizations get hanbit-cold.example --json']),
  showsMany('organizations', organizationsShow),
  defineCommand({
    name: 'find',
    output: { records: ['organizations[]'] },
    summary: 'Find an organization by domain or name',
    description:
      'Find an organization by one of its domains or by its full name. If several organizations have the name, ' +
      'one with the same spelling is printed, or else all of them. kith reads the whole list. Exits with code 3 ' +
      'if nothing matches.',
    paging: 'search',
    options: {
      domain: createTextOption('Domain name or URL', 'DOMAIN'),
      name: createTextOption('Full name; case and spacing do not matter', 'NAME'),
    },
    rules: [exactlyOne('domain', 'name')],
    examples: ['organizations find --domain hanbit-cold.example', 'orgs find --name 한빛물류 --json'],
    async run(session, { domain, name }) {
      const field = domain === undefined ? 'name' : 'domain';
      const text = domain ?? name ?? '';
      const key = toMatchKey(field, text);
      const matches: RawJson<RouteRecord<typeof routes.list>>[] = [];
      for await (const raw of (await session.client()).records(routes.list, {})) {
        if (!listMatchKeys('organizations', field, raw.value).includes(key)) continue;
        // Another organization may have exactly this name.
        const isCertain = field === 'domain' || raw.value.name === text;
        if (isCertain) matches.length = 0;
        matches.push(raw);
        if (isCertain) break;
      }
      if (matches.length > 0)
        return {
          kind: 'records',
          batches: toBatch(matches),
          view: views.organizations,
          importModel: 'organization',
        };
      throw new Failure('not_found', `No organization has the ${field} "${text}".`, { isEmptyResult: true });
    },
  }),
  create({
    description:
      'Create an organization. It requires a name or a domain. If an organization has the same ' +
      'name, kith warns, or asks in a terminal. --if-absent domain makes the command safe to re-run. Without flags, asks in a terminal for the ' +
      'fields.',
    args: { name: { summary: 'Name', isOptional: true, flag: () => 'name' } },
    options: { ...createFieldOptions('organizations', 'create'), ...createIfAbsentOption('organizations') },
    async body(session, { data, ifAbsent }, { fields }) {
      if (ifAbsent !== 'name') {
        const { checkSameName } = await import('./records/same-name.ts');
        await checkSameName(session, fields.name ?? data?.name);
      }
      return fields;
    },
    examples: [
      'organizations create "Analytical Engines" --domain analytical.example',
      'organizations create --domain analytical.example --if-absent domain --json --jq .created',
    ],
  }),
  upsert('organizations', {
    summary: 'Update the organization with a domain or name, or create one',
    description:
      'Update the organization that has one of the domains or the name, or create one. Domains are added to the existing ' +
      'ones. Sends only values that differ. The JSON record has a key "created". The API has ' +
      'no lookup for domains and names, so kith reads all organizations.',
    options: { ...createFieldOptions('organizations', 'create'), ...createMatchOption('organizations') },
    rules: [requiresChange],
    examples: [
      'organizations upsert --domain analytical.example --name "Analytical Engines"',
      'organizations upsert --by name --name 한빛물류 --domain hanbit.example --dry-run',
    ],
  }),
  update({
    description:
      'Update an organization. Sends only the fields that you pass. Domains are added to the existing ones; see ' +
      '`kith organizations remove-domains`. --field replaces all values of a field; --add-field and ' +
      '--remove-field change one of them.',
    options: createFieldOptions('organizations', 'update'),
    examples: [
      'organizations update rl16pk --domain hanbit.example',
      'organizations update rl16pk --add-field "Keeps cold=Vaccines" --dry-run',
    ],
  }),
  edit(['organizations edit 한빛물류'], { removal: routes.removeDomains }),
  write('remove-domains', routes.removeDomains, {
    args: { domain: { summary: 'Domain to remove', isRepeatable: true, record: 'domains' } },
    examples: ['organizations remove-domains rl16pk hanbit.example'],
    body: (_, { domain }) => ({ domains: domain }),
  }),
  remove({
    summary: 'Delete organizations, their notes and their entries',
    examples: ['organizations delete rl16pk', 'organizations delete rl16pk --yes'],
  }),
  organizationsImport,
  organizationsDuplicates,
  organizationsMerge,
];
