import { entries as routes } from '../../contract/entries.ts';
import { views } from '../../output/views.ts';
import { command } from '../command.ts';
import { readingOf } from '../listing.ts';
import { onList } from '../resolve.ts';
import { startedOn } from '../started.ts';

const list = 'The id or the exact name of a list or process';

export const entries = [
  command({
    name: 'list',
    summary: routes.list.summary,
    args: { list },
    examples: ['entries list "Sales pipeline"', 'entries list "Sales pipeline" --all --json | jq length'],
    async run(session, { list }) {
      const client = await session.client();
      const reading = readingOf(session.globals);
      const batches = await onList(client, list, (list_id) =>
        startedOn(client.pages(routes.list, { list_id }, reading)),
      );
      return { kind: 'records', batches, view: views.entries };
    },
  }),
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { list, id: 'The id of an entry of it' },
    examples: ['entries get "Sales pipeline" m7lwpy'],
    async run(session, { list, id }) {
      const client = await session.client();
      const record = await onList(client, list, (list_id) => client.entries.get({ list_id, id }));
      return { kind: 'record', record, view: views.entries };
    },
  }),
];
