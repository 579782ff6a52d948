import { notes as routes } from '../../contract/notes.ts';
import { views } from '../../render/views.ts';
import { command } from '../command.ts';
import { editedText } from '../editor.ts';
import { givenText } from '../files.ts';
import { bodyOf, changeOf, dataOption } from '../flags/body.ts';
import { clearable, text } from '../flags/options.ts';
import { atLeastOne } from '../flags/rules.ts';
import { listed, shown } from '../listing.ts';
import { asksToDelete, deleted, namedRecord, written } from '../writing.ts';

const id = { summary: 'Note ID' } as const;
const deal = text('Deal of the note', 'ID');

export const notes = [
  command({
    name: 'list',
    summary: routes.list.summary,
    paged: true,
    examples: ['notes list', 'notes list --all --format ndjson'],
    run: (session) => listed(session, routes.list, {}, views.notes),
  }),
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { id },
    examples: ['notes get NOTE', 'notes get NOTE --jq .body'],
    run: (session, { id }) => shown(session, routes.get, { note_id: id }, views.notes),
  }),
  command({
    name: 'create',
    summary: routes.create.summary,
    description:
      'Create a note about an organization. If --body is omitted, an editor (VISUAL or EDITOR) opens ' +
      'in a terminal. An empty text creates no note.',
    writes: true,
    adds: true,
    attended: ({ body, data }) =>
      body === undefined && data === undefined ? 'opens an editor; pass --body' : undefined,
    options: {
      organization: text('Organization of the note', 'ID'),
      body: text('Text of the note', 'TEXT', { reads: 'file' }),
      deal,
      data: dataOption,
    },
    rules: [atLeastOne('organization', 'data')],
    examples: [
      'notes create --organization rl16pk --body "Called back: wants a quote by Friday."',
      'notes create --organization rl16pk --body @minutes.md',
    ],
    async run(session, { organization, body, deal, data }) {
      const create = async (typed: string | undefined) =>
        written(
          session,
          routes.create,
          {},
          await bodyOf(session, data, { organization_id: organization, body: typed, deal_id: deal }),
          views.notes,
        );
      if (body !== undefined) return create(await givenText(session, body));
      if (data !== undefined) return create(undefined);
      return editedText(session, create);
    },
  }),
  command({
    name: 'update',
    summary: routes.update.summary,
    writes: true,
    args: { id },
    options: {
      body: text('Text of the note', 'TEXT', { reads: 'file' }),
      deal: clearable(deal),
      data: dataOption,
    },
    examples: ['notes update NOTE --body "Quote sent."'],
    async run(session, { id, body, deal, data }) {
      const change = await changeOf(session, data, {
        body: body === undefined ? undefined : await givenText(session, body),
        deal_id: deal,
      });
      return written(session, routes.update, { note_id: id }, change, views.notes);
    },
  }),
  command({
    name: 'delete',
    summary: 'Delete notes',
    writes: true,
    attended: asksToDelete,
    args: { id: { ...id, several: true } },
    examples: ['notes delete NOTE --yes'],
    run: (session, { id }) =>
      deleted(session, {
        what: 'note',
        ids: id,
        route: routes.delete,
        params: (note_id) => ({ note_id }),
        named: async (note_id) => {
          const { body } = await (await session.client()).notes.get({ note_id });
          return namedRecord(note_id, body);
        },
      }),
  }),
];
