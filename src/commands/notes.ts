import type { Session } from '../cli/command/context.ts';
import { readTextArgument } from '../cli/command/files.ts';
import { createTextOption } from '../cli/command/options.ts';
import { atLeastOne, conflicts } from '../cli/command/rules.ts';
import type { Body } from '../cli/flags/body.ts';
import { createFieldOptions } from '../cli/flags/field-options.ts';
import { isEntryKey } from '../cli/flags/references.ts';
import { Failure } from '../contract/errors.ts';
import { notes as routes } from '../contract/notes.ts';
import { readRecordId } from '../values/domain.ts';
import { notesImport } from './import/import.ts';
import { defineRecordCommands } from './records/record-commands.ts';

const { list, get, create, update, edit, remove } = defineRecordCommands('notes', routes);

const body = createTextOption('Text of the note', 'TEXT', { valueSource: 'file' });
const bodyFile = createTextOption('Read the text from a file, or - for stdin', 'FILE|-', {
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

const hasText = ({ body, bodyFile, data }: Readonly<Record<string, unknown>>) =>
  [body, bodyFile, data].some((value) => value !== undefined);

/** Inserts the flags for the text after the organization. `--deal` also takes a URL or a key. */
function createOptions(action: 'create' | 'update') {
  const options = createFieldOptions('notes', action, {
    deal_id: { convert: readRecordId, completion: 'keys' },
  });
  const { organization, body: _, ...others } = options;
  return { ...(organization && { organization }), body, bodyFile, ...others };
}

/**
 * Replaces the key of a deal by its id in the fields of a note. Adds the deal's organization if the fields have none.
 * @throws {Failure} usage if the organization is missing and the deal has none
 */
async function resolveDeal(session: Session, fields: Body, needsOrganization: boolean): Promise<Body> {
  const { deal_id: deal } = fields;
  if (typeof deal !== 'string') return fields;
  if (isEntryKey(deal)) {
    const { findEntryByKey, readEntryOrganization } = await import('../cli/references/entry-keys.ts');
    const { entry } = await findEntryByKey(session, deal);
    const newFields = { ...fields, deal_id: entry.id };
    if (!needsOrganization) return newFields;
    return { ...newFields, organization_id: await readEntryOrganization(session, entry) };
  }
  if (!needsOrganization) return fields;
  throw new Failure(
    'usage',
    `--deal: "${deal}" is not a key such as DEAL-1. Only a key implies the organization.`,
    {
      hint: 'Add the organization: --organization ID|DOMAIN|NAME',
    },
  );
}

export const notes = [
  list({
    shortcuts: ['organization', 'contact', 'deal', 'createdAfter', 'updatedAfter', 'today'],
    summaries: { contact: 'Only notes about the organization of this contact' },
    examples: [
      'notes list',
      'notes list --all --format ndjson',
      'notes list --organization 한빛물류 --sort -created_at',
      'notes list --contact 김지우',
      "notes list --where 'body ~ fridge or body ~ alarm'",
    ],
  }),
  get(['notes get NOTE', 'notes get NOTE --jq .body']),
  create({
    description:
      'Create a note about an organization, or about a deal and its organization. If the text is omitted, an editor (VISUAL or EDITOR) opens ' +
      'in a terminal. Empty text creates no note. Without flags, also asks for the organization in a terminal.',
    describeInteraction: (input) => (hasText(input) ? undefined : 'opens an editor; pass --body'),
    args: {
      about: {
        summary: 'Organization: id, domain or name; or the key of a deal',
        completion: 'organizations',
        isOptional: true,
        flag: (word) => (isEntryKey(word) ? 'deal' : 'organization'),
      },
      text: { summary: 'Text of the note', isOptional: true, flag: () => 'body' },
    },
    options: createOptions('create'),
    rules: [atLeastOne('organization', 'deal', 'data'), isOneBody],
    examples: [
      'notes create hanbit-cold.example "Called back: wants a quote by Friday."',
      'notes create DEAL-1 "Wants a second sensor."',
      'notes create --organization 한빛물류 -F minutes.md',
    ],
    async body(session, flags, { fields }) {
      const isMissing = fields.organization_id === undefined && flags.data?.organization_id === undefined;
      const newFields = await resolveDeal(session, fields, isMissing);
      return {
        organization_id: newFields.organization_id,
        body: await readBody(session, flags),
        ...newFields,
      };
    },
    edit(session, input, write) {
      if (hasText(input)) return undefined;
      return import('./forms/create-note.ts').then(({ editNote }) =>
        editNote(session, '', (text) => write({ body: text })),
      );
    },
  }),
  update(
    {
      description:
        'Update the body or the deal of a note. Without flags, opens the body in an editor in a terminal. kith shows ' +
        'the saved changes and asks before sending them.',
      options: createOptions('update'),
      rules: [isOneBody],
      examples: ['notes update NOTE --body "Quote sent."', 'notes update NOTE'],
      body: async (session, flags, { fields }) => ({
        body: await readBody(session, flags),
        ...(await resolveDeal(session, fields, false)),
      }),
    },
    async (session, readTarget) => (await import('./edit/edit-record.ts')).editBody(session, readTarget),
  ),
  edit(['notes edit NOTE']),
  notesImport,
  remove({ summary: 'Delete notes', examples: ['notes delete NOTE --yes'] }),
];
