import { Failure } from '../../contract/errors.ts';
import { organizations as routes } from '../../contract/organizations.ts';
import { views } from '../../render/views.ts';
import { normalizeDomain } from '../../values/domain.ts';
import { foldName } from '../../values/names.ts';
import { defineCommand, toBatch } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { isInteractive } from '../command/interaction.ts';
import { organizationsDuplicates, organizationsMerge } from '../duplicates/commands.ts';
import { createFieldOptions } from '../flags/field-options.ts';
import { createTextOption } from '../flags/options.ts';
import { exactlyOne } from '../flags/rules.ts';
import { organizationsImport } from '../import/commands.ts';
import { kinds } from '../references/reference-kinds.ts';
import { organizationsShow } from '../show/commands.ts';
import { defineRecordCommands } from './record-commands.ts';

const { list, get, create, update, edit, write, remove } = defineRecordCommands('organizations', routes);

/** Maximum number of organizations whose names are compared with that of a new one: five pages. */
const maxCompared = 500;

export const organizations = [
  list({
    shortcuts: ['list', 'updatedAfter'],
    examples: [
      'organizations list',
      'orgs list --limit 5 --format csv',
      "organizations list --where '\"Cold rooms\" >= 5 and Country != Japan' --sort '-Cold rooms'",
    ],
  }),
  get(['organizations get 한빛물류', 'organizations get hanbit-cold.example --json']),
  organizationsShow,
  defineCommand({
    name: 'find',
    summary: 'Find an organization by domain or name',
    description:
      'Find an organization by one of its domains or by its exact name. The API has no lookup for ' +
      'this; kith scans the list until it finds a match. Exits with code 3 if nothing matches.',
    paging: 'search',
    options: {
      domain: createTextOption('Domain name or URL', 'DOMAIN'),
      name: createTextOption('Exact name', 'NAME'),
    },
    rules: [exactlyOne('domain', 'name')],
    examples: ['organizations find --domain hanbit-cold.example', 'orgs find --name 한빛물류 --json'],
    async run(session, { domain, name }) {
      const wantedDomain = domain === undefined ? undefined : normalizeDomain(domain);
      for await (const raw of (await session.client()).records(routes.list, {})) {
        const { name: ownName, domains } = raw.value;
        const isMatch =
          wantedDomain === undefined
            ? ownName === name
            : domains?.some((domain) => normalizeDomain(domain) === wantedDomain);
        if (!isMatch) continue;
        const batches = toBatch([raw]);
        return { kind: 'records', batches, view: views.organizations, importModel: 'organization' };
      }
      const field = domain === undefined ? 'name' : 'domain';
      throw new Failure('not_found', `No organization has the ${field} "${domain ?? name}".`);
    },
  }),
  create({
    description:
      'Create an organization. It requires a name or a domain. Without flags, asks in a terminal for the fields. In a ' +
      `terminal, a note says if one of the first ${maxCompared} organizations has the same name. A script sends one request.`,
    options: createFieldOptions('organizations', 'create'),
    async body(session, { data }, { fields }) {
      await noteSameName(session, fields.name ?? data?.name);
      return fields;
    },
    examples: ['organizations create --name "Analytical Engines" --domain analytical.example'],
  }),
  update({
    description:
      'Update an organization. Sends only the fields that you pass. Domains are added to the existing ones (remove them ' +
      'with `kith organizations remove-domains`). --field replaces all values of a field; --add-field and ' +
      '--remove-field change one value of a field with several.',
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

/** Notes an organization that has a name already, if a person is at the terminal: the list is the only lookup. */
async function noteSameName(session: Session, name: unknown): Promise<void> {
  if (typeof name !== 'string' || session.globals.quiet || !isInteractive(session)) return;
  try {
    const pages = kinds.organization.list(await session.client(), { limit: maxCompared });
    for await (const { candidates } of pages) {
      const match = candidates.find((candidate) => foldName(candidate.name) === foldName(name));
      if (match)
        return await session.note(`An organization named "${match.name}" already exists: ${match.id}`);
    }
  } catch (error) {
    session.signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error; // a service may refuse the list and accept the record
  }
}
