import { lists as routes } from '../../contract/lists.ts';
import { views } from '../../output/views.ts';
import { command } from '../command.ts';
import { listed } from '../listing.ts';
import { onList } from '../resolve.ts';

export const lists = [
  command({
    name: 'list',
    summary: routes.list.summary,
    examples: ['lists list'],
    run: (session) => listed(session, routes.list, {}, views.lists),
  }),
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { list: 'The id or the exact name of a list or process' },
    examples: ['lists get "Sales pipeline"'],
    async run(session, { list }) {
      const client = await session.client();
      const record = await onList(client, list, (list_id) => client.lists.get({ list_id }));
      return { kind: 'record', record, view: views.lists };
    },
  }),
];
