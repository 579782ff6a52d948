import { Failure } from '../../contract/errors.ts';
import { organizations as routes } from '../../contract/organizations.ts';
import { views } from '../../render/views.ts';
import { extractHost } from '../../values/domain.ts';
import { defineCommand, toBatches } from '../command.ts';
import { buildBody, buildUpdateBody, dataOption } from '../flags/body.ts';
import { fieldChangeOptions, resolveCustomFieldChanges } from '../flags/field-changes.ts';
import { fieldOption, parseCustomFields } from '../flags/field-values.ts';
import { repeated, text } from '../flags/options.ts';
import { exactlyOne } from '../flags/rules.ts';
import { defineRecordCommands, iterateRecords, readPaging } from '../records.ts';
import { writeRecord } from '../writing.ts';
import { organizationsImport } from './organizations-import.ts';

const { list, get, remove } = defineRecordCommands({
  what: 'organization',
  routes,
  idName: 'organization_id',
  view: views.organizations,
  importModel: 'organization',
  examples: {
    list: ['organizations list', 'orgs list --limit 5 --format csv'],
    get: ['organizations get rl16pk'],
    delete: ['organizations delete rl16pk', 'organizations delete rl16pk --yes'],
  },
  deletion: {
    summary: 'Delete organizations, their notes and their entries',
    getName: ({ name, domains }) => name ?? domains?.[0],
    suffix: ', with its notes and entries',
  },
});

const id = { summary: 'Organization ID' } as const;
const identityOptions = {
  name: text('Name', 'NAME'),
  domain: repeated(text('Domain name or URL', 'DOMAIN')),
};

export const organizations = [
  list,
  get,
  defineCommand({
    name: 'find',
    summary: 'Find an organization by domain or name',
    description:
      'Find an organization by one of its domains or by its exact name. The API has no lookup for ' +
      'this; kith scans the list until it finds a match. Exits with code 3 if nothing matches.',
    paging: 'search',
    options: { domain: text('Domain name or URL', 'DOMAIN'), name: text('Exact name', 'NAME') },
    rules: [exactlyOne('domain', 'name')],
    examples: ['organizations find --domain hanbit-cold.example', 'orgs find --name 한빛물류 --json'],
    async run(session, { domain, name }) {
      const wantedDomain = domain === undefined ? undefined : normalizeDomain(domain);
      const { size } = await readPaging(session);
      for await (const raw of iterateRecords(await session.client(), routes.list, {}, { size })) {
        const { name: ownName, domains } = raw.value;
        const isMatch =
          wantedDomain === undefined
            ? ownName === name
            : domains?.some((one) => normalizeDomain(one) === wantedDomain);
        if (!isMatch) continue;
        const batches = toBatches([raw]);
        return { kind: 'records', batches, view: views.organizations, importModel: 'organization' };
      }
      const field = domain === undefined ? 'name' : 'domain';
      throw new Failure('not_found', `No organization has the ${field} "${domain ?? name}".`);
    },
  }),
  defineCommand({
    name: 'create',
    summary: routes.create.summary,
    description: 'Create an organization. It requires a name or a domain.',
    isWrite: true,
    isCreateOnly: true,
    options: { ...identityOptions, field: fieldOption, data: dataOption },
    examples: ['organizations create --name "Analytical Engines" --domain analytical.example'],
    async run(session, { name, domain, field, data }) {
      const custom_fields = await parseCustomFields(session.client, 'organization', field);
      const body = await buildBody(session, data, { name, domains: domain, custom_fields });
      return writeRecord(session, routes.create, {}, body, views.organizations);
    },
  }),
  defineCommand({
    name: 'update',
    summary: routes.update.summary,
    isWrite: true,
    args: { id },
    description:
      'Update an organization. Only the given fields are sent. Domains are added to the existing ones (remove them ' +
      'with `kith organizations remove-domains`). --field replaces all values of a field; --add-field and ' +
      '--remove-field change one value of a field with several.',
    options: { ...identityOptions, ...fieldChangeOptions, data: dataOption },
    examples: [
      'organizations update rl16pk --domain hanbit.example',
      'organizations update rl16pk --add-field "Keeps cold=Vaccines" --dry-run',
    ],
    async run(session, { id, name, domain, data, ...flags }) {
      const custom_fields = await resolveCustomFieldChanges(session, flags, 'organization', (client) =>
        client.read(routes.get, { organization_id: id }),
      );
      const body = await buildUpdateBody(session, data, { name, domains: domain, custom_fields });
      return writeRecord(session, routes.update, { organization_id: id }, body, views.organizations);
    },
  }),
  defineCommand({
    name: 'remove-domains',
    summary: routes.removeDomains.summary,
    isWrite: true,
    args: { id, domain: { summary: 'Domain to remove', isRepeatable: true } },
    examples: ['organizations remove-domains rl16pk hanbit.example'],
    run: (session, { id, domain }) =>
      writeRecord(
        session,
        routes.removeDomains,
        { organization_id: id },
        { domains: domain },
        views.organizations,
      ),
  }),
  remove,
  organizationsImport,
];

/** Returns a domain as the service stores it: `acme.com` for `https://www.Acme.com/about`. */
const normalizeDomain = (text: string) => extractHost(text) ?? text.toLowerCase();
