import { notes as routes } from '../../contract/notes.ts';
import { defineCommand } from '../command.ts';
import type { Session } from '../context.ts';
import { readTextArgument } from '../files.ts';
import { type Body, dataOption, mergeBody, readData } from '../flags/body.ts';
import { clearable, hasFlags, setsField, text } from '../flags/options.ts';
import { idOption, referenceOption } from '../flags/references.ts';
import { atLeastOne, conflicts } from '../flags/rules.ts';
import { isInteractive } from '../interaction.ts';
import { defineRecordCommands } from '../record-commands.ts';
import { writeRecord } from '../writing.ts';

const { list, get, update, edit, remove } = defineRecordCommands('notes', routes);

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

const createOptions = {
  organization: referenceOption('organization', 'Organization of the note'),
  body,
  bodyFile,
  deal,
  data: dataOption,
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
      'in a terminal. Empty text creates no note. Without flags, also asks for the organization in a terminal.',
    isWrite: true,
    isCreateOnly: true,
    hasForm: true,
    describeInteraction: ({ body, bodyFile, data }) =>
      [body, bodyFile, data].every((value) => value === undefined)
        ? 'opens an editor; pass --body'
        : undefined,
    options: createOptions,
    rules: [atLeastOne('organization', 'data'), isOneBody],
    examples: [
      'notes create --organization rl16pk --body "Called back: wants a quote by Friday."',
      'notes create --organization 한빛물류 -F minutes.md',
    ],
    async run(session, input) {
      const buildBody = async ({ organization, deal, data }: typeof input, text: string | undefined) => {
        const flags = { organization_id: organization, body: text, deal_id: deal };
        return mergeBody(data === undefined ? undefined : await readData(session, data), flags);
      };
      const write = (body: Body) => writeRecord(session, 'notes', routes.create, {}, body);
      if (!hasFlags(createOptions, input) && isInteractive(session)) {
        const { createFromForm } = await import('../ask/create-form.ts');
        return createFromForm(session, {
          noun: 'notes',
          command: ['notes', 'create'],
          passedArguments: [],
          path: {},
          options: createOptions,
          buildBody: async (parsed) => {
            const values = parsed as typeof input; // the same flags
            return buildBody(values, await readBody(session, values));
          },
          write,
        });
      }
      const text = await readBody(session, input);
      if (text !== undefined || input.data !== undefined) return write(await buildBody(input, text));
      const { editNote } = await import('../ask/create-note.ts');
      return editNote(session, '', async (text) => write(await buildBody(input, text)));
    },
  }),
  update(
    {
      description:
        'Update the body or the deal of a note. Without flags, opens the body in an editor in a terminal. kith shows ' +
        'the saved changes and asks before sending them.',
      options: { body, bodyFile, deal: clearable(deal) },
      rules: [isOneBody],
      examples: ['notes update NOTE --body "Quote sent."', 'notes update NOTE'],
      body: async (session, flags, { fields }) => ({ body: await readBody(session, flags), ...fields }),
    },
    async (session, readTarget) => (await import('../ask/edit-record.ts')).editBody(session, readTarget),
  ),
  edit(['notes edit NOTE']),
  remove({ summary: 'Delete notes', examples: ['notes delete NOTE --yes'] }),
];
