import type { CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { readTextArgument } from '../../cli/command/files.ts';
import { createNameLoader } from '../../cli/print/format-table.ts';
import { createValueReader } from '../../cli/references/field-input.ts';
import { singularNouns } from '../../contract/singular-nouns.ts';
import { formatCell } from '../../render/cells.ts';
import { collectReferences, type GetName } from '../../render/collect-references.ts';
import { readYaml } from '../../render/edit/read-yaml.ts';
import { readObject } from '../../values/json-object.ts';
import { normalizeLineEnds, quoteShellWord } from '../../values/text.ts';
import { readFieldChanges, writeFields } from './edit-document.ts';
import { type EditTarget, listEditFields, listReadOnlyFields, readEditContext } from './edit-nouns.ts';
import { ChangeSender, labelTarget } from './edit-send.ts';
import {
  createCorrection,
  type EditedText,
  type EditOutcome,
  editText,
  removeProblems,
  requireEditor,
} from './edit-text.ts';
import { restoreLineEnds } from './edit-values.ts';

/** Opens a record as YAML in the editor, or reads the YAML from a file, and sends the changes. */
export async function editRecord(
  session: Session,
  file: string | undefined,
  readTarget: () => Promise<EditTarget>,
): Promise<CommandResult> {
  if (file === undefined) await requireEditor(session, alternatives.record);
  const target = await readTarget();
  const { initialText, apply } = await startEdit(session, target);
  if (file !== undefined) {
    const text = await readTextArgument(session, file === '-' ? '-' : `@${file}`);
    const outcome = await apply({ text, hasEditor: false });
    if ('result' in outcome) return outcome.result;
    throw outcome.failure;
  }
  const name = `${singularNouns[target.noun].replaceAll(' ', '-')}.yaml`;
  const describeUse = (path: string) => describeRetry([...target.words, '--file', path]);
  const editable = { name, text: initialText, alternative: alternatives.record, describeUse };
  return editText(session, editable, (text) => apply({ text, hasEditor: true }));
}

/** The flags to pass if there is no editor. */
const alternatives = { record: '--file FILE', body: '--body TEXT' };

const describeRetry = (words: readonly string[]) => `To use it: ${words.map(quoteShellWord).join(' ')}`;

/** Opens the body of a note as Markdown in the editor, and sends it if it changed. */
export async function editBody(
  session: Session,
  readTarget: () => Promise<EditTarget>,
): Promise<CommandResult> {
  await requireEditor(session, alternatives.body);
  const target = await readTarget();
  const listBody = (record: unknown) =>
    listEditFields('notes', readObject(record), { defined: [] }).filter(({ key }) => key === 'body');
  const sender = new ChangeSender(session, target, {
    names: { getName: (_, id) => id, load: async () => {} },
    listFields: listBody,
  });
  const format = (body: unknown) => normalizeLineEnds(formatCell(body, ', ')).trimEnd();
  const [original] = sender.listCurrentFields();
  const editable = {
    name: 'note.md',
    text: `${format(original?.value)}\n`,
    alternative: alternatives.body,
    clean: removeProblems,
    describeUse: (path: string) => describeRetry([...target.words, '--body-file', path]),
  };
  return editText(session, editable, async (text) => {
    const body = format(removeProblems(text));
    const changes = sender
      .listCurrentFields()
      .filter(({ value }) => body !== format(original?.value) && body !== format(value))
      .map((field) => ({ field, after: restoreLineEnds(body, field.value) }));
    return sender.send(changes, { text, hasEditor: true });
  });
}

/** Returns a record as YAML, and a function that sends the changes in an edited text. */
async function startEdit(session: Session, target: EditTarget) {
  const { noun, path, record } = target;
  const context = await readEditContext(session, noun, path);
  const { loadNames, getName } = createNameLoader(session);
  const write = (getName: GetName) => {
    const value = readObject(record.value);
    const facts = listReadOnlyFields(noun, value, getName).map(([name, fact]) => `${name}: ${fact}`);
    return writeFields(
      [labelTarget(target), '', ...instructions, '', ...facts],
      listEditFields(noun, value, context),
      getName,
    );
  };
  await loadNames(collectReferences(write));
  const initialText = write(getName);
  const original = readYaml(initialText).mapping;
  const sender = new ChangeSender(session, target, {
    names: { getName, load: loadNames },
    listFields: (value) => listEditFields(noun, readObject(value), context),
  });
  const read = createValueReader(session);
  const apply = async (edited: EditedText): Promise<EditOutcome<CommandResult>> => {
    const own = removeProblems(edited.text);
    const { changes, errors } = await readFieldChanges(read, own, original, sender.listCurrentFields());
    if (errors.length > 0)
      return createCorrection(edited, 'Nothing was sent. Correct the following and save:', errors);
    return sender.send(changes, edited);
  };
  return { initialText, apply };
}

const instructions = [
  'Change the values, save, and close the editor. kith shows the changes and asks before',
  'sending them. If the file is unchanged or empty, nothing is sent.',
  'An empty value clears the field. Deleting a line changes nothing.',
  'Quote values that contain ": " or " #". For several lines of text: NAME: |, then indented lines.',
];
