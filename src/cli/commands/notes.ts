import { notes as routes } from '../../contract/notes.ts';
import { views } from '../../render/views.ts';
import { defineCommand } from '../command.ts';
import { readTextArgument } from '../files.ts';
import { buildBody, buildUpdateBody, dataOption } from '../flags/body.ts';
import { clearable, text } from '../flags/options.ts';
import { atLeastOne } from '../flags/rules.ts';
import { editText } from '../interaction.ts';
import { defineRecordCommands } from '../records.ts';
import { writeRecord } from '../writing.ts';

const { list, get, remove } = defineRecordCommands({
  what: 'note',
  routes,
  idName: 'note_id',
  view: views.notes,
  examples: {
    list: ['notes list', 'notes list --all --format ndjson'],
    get: ['notes get NOTE', 'notes get NOTE --jq .body'],
    delete: ['notes delete NOTE --yes'],
  },
  deletion: { summary: 'Delete notes', getName: ({ body }) => body },
});

const body = text('Text of the note', 'TEXT', { valueSource: 'file' });
const deal = text('Deal of the note', 'ID');

export const notes = [
  list,
  get,
  defineCommand({
    name: 'create',
    summary: routes.create.summary,
    description:
      'Create a note about an organization. If --body is omitted, an editor (VISUAL or EDITOR) opens ' +
      'in a terminal. An empty text creates no note.',
    isWrite: true,
    isCreateOnly: true,
    describeInteraction: ({ body, data }) =>
      body === undefined && data === undefined ? 'opens an editor; pass --body' : undefined,
    options: {
      organization: text('Organization of the note', 'ID'),
      body,
      deal,
      data: dataOption,
    },
    rules: [atLeastOne('organization', 'data')],
    examples: [
      'notes create --organization rl16pk --body "Called back: wants a quote by Friday."',
      'notes create --organization rl16pk --body @minutes.md',
    ],
    async run(session, { organization, body, deal, data }) {
      const create = async (content: string | undefined) =>
        writeRecord(
          session,
          routes.create,
          {},
          await buildBody(session, data, { organization_id: organization, body: content, deal_id: deal }),
          views.notes,
        );
      if (body !== undefined) return create(await readTextArgument(session, body));
      if (data !== undefined) return create(undefined);
      return editText(session, create);
    },
  }),
  defineCommand({
    name: 'update',
    summary: routes.update.summary,
    isWrite: true,
    args: { id: 'Note ID' },
    options: {
      body,
      deal: clearable(deal),
      data: dataOption,
    },
    examples: ['notes update NOTE --body "Quote sent."'],
    async run(session, { id, body, deal, data }) {
      const change = await buildUpdateBody(session, data, {
        body: body === undefined ? undefined : await readTextArgument(session, body),
        deal_id: deal,
      });
      return writeRecord(session, routes.update, { note_id: id }, change, views.notes);
    },
  }),
  remove,
];
