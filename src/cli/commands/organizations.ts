import { organizations as routes } from '../../contract/organizations.ts';
import { views } from '../../output/views.ts';
import { command } from '../command.ts';
import { listed } from '../listing.ts';

export const organizations = [
  command({
    name: 'list',
    summary: routes.list.summary,
    examples: ['organizations list', 'orgs list --limit 5 --format csv'],
    run: (session) => listed(session, routes.list, {}, views.organizations),
  }),
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { id: 'The id of an organization' },
    examples: ['organizations get rl16pk'],
    async run({ client }, { id }) {
      const record = await (await client()).organizations.get({ organization_id: id });
      return { kind: 'record', record, view: views.organizations };
    },
  }),
];
