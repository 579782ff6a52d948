import { notes as routes } from '../../contract/notes.ts';
import { views } from '../../render/views.ts';
import { defineCommand } from '../command.ts';
import type { Session } from '../context.ts';
import { readTextArgument } from '../files.ts';
import { dataOption, mergeBody, readData } from '../flags/body.ts';
import { clearable, setsField, text } from '../flags/options.ts';
import { idOption, referenceOption } from '../flags/references.ts';
import { atLeastOne, conflicts } from '../flags/rules.ts';
import { defineRecordCommands } from '../record-commands.ts';
import { writeRecord } from '../writing.ts';

const { list, get, update, edit, remove } = defineRecordCommands({
  noun: 'notes',
  what: 'note',
  routes,
  view: views.notes,
});

const body = text('Text of the note', 'TEXT', { valueSource: 'file' });
const bodyFile = text('Read the text from a file, or - for stdin', 'FILE|-', {
  completion: 'files',
  short: '-F',
});
const isOneBody = conflicts('body', 'bodyFile');

/** Returns the text of the flags; undefined if there is none. */
async function readBody(
  session: Session,
  { body, bodyFile }: { readonly body: string | undefined; readonly bodyFile: string | undefined },
): Promise<string | undefined> {
  const argument = bodyFile === undefined || bodyFile === '-' ? (bodyFile ?? body) : `@${bodyFile}`;
  return argument && readTextArgument(session, argument);
}
const deal = setsField('deal_id', idOption('Deal of the note'));

/** The file in which an editor opens a new note. */
const emptyNote = {
  name: 'note.md',
  text: '',
  alternative: '--body TEXT',
  describeUse: (file: string) => `Use it with --body @${file}`,
};

export const notes = [
  list({
    shortcuts: ['organization', 'updatedAfter', 'today'],
    examples: [
      'notes list',
      'notes list --all --format ndjson',
      'notes list --organization 한빛물류 --sort -created_at',
      "notes list --where 'body ~ fridge or body ~ alarm'",
    ],
  }),
  get(['notes get NOTE', 'notes get NOTE --jq .body']),
  defineCommand({
    name: 'create',
    summary: routes.create.summary,
    description:
      'Create a note about an organization. If --body is omitted, an editor (VISUAL or EDITOR) opens ' +
      'in a terminal. An empty text creates no note.',
    isWrite: true,
    isCreateOnly: true,
    describeInteraction: ({ body, bodyFile, data }) =>
      [body, bodyFile, data].every((value) => value === undefined)
        ? 'opens an editor; pass --body'
        : undefined,
    options: {
      organization: referenceOption('organization', 'Organization of the note'),
      body,
      bodyFile,
      deal,
      data: dataOption,
    },
    rules: [atLeastOne('organization', 'data'), isOneBody],
    examples: [
      'notes create --organization rl16pk --body "Called back: wants a quote by Friday."',
      'notes create --organization 한빛물류 -F minutes.md',
    ],
    async run(session, { organization, body, bodyFile, deal, data }) {
      const create = async (content: string | undefined) => {
        const flags = { organization_id: organization, body: content, deal_id: deal };
        const fields = mergeBody(data === undefined ? undefined : await readData(session, data), flags);
        return writeRecord(session, 'notes', routes.create, {}, fields);
      };
      const text = await readBody(session, { body, bodyFile });
      if (text !== undefined) return create(text);
      if (data !== undefined) return create(undefined);
      const { editText } = await import('../ask/edit-text.ts');
      return editText(session, emptyNote, async (text) => ({ result: await create(text.trim()) }));
    },
  }),
  update({
    options: { body, bodyFile, deal: clearable(deal) },
    rules: [isOneBody],
    examples: ['notes update NOTE --body "Quote sent."'],
    body: async (session, flags, { fields }) => ({ body: await readBody(session, flags), ...fields }),
  }),
  edit(['notes edit NOTE']),
  remove({ summary: 'Delete notes', examples: ['notes delete NOTE --yes'] }),
];
