import type { CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { createNameLoader } from '../../cli/print/format-table.ts';
import { createValueReader } from '../../cli/references/field-input.ts';
import { isMultiple } from '../../contract/field-table.ts';
import { isSameFieldValue } from '../../records/compare.ts';
import { collectReferences, type GetName } from '../../render/collect-references.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { isEmpty } from '../../values/field-values.ts';
import { readObject } from '../../values/json-object.ts';
import { formatCents } from '../../values/money.ts';
import type { FieldChange } from '../edit/edit-document.ts';
import { type EditField, type EditTarget, listEditFields, readEditContext } from '../edit/edit-nouns.ts';
import { ChangeSender, labelTarget } from '../edit/edit-send.ts';
import { formatEditValue, readTyped } from '../edit/edit-values.ts';
import { createFieldQuestion } from './create-questions.ts';

/** Asks which fields of a record to change, asks for their values, and sends the changes after a confirmation. */
export async function updateFromForm(
  session: Session,
  readTarget: () => Promise<EditTarget>,
): Promise<CommandResult> {
  const target = await readTarget();
  const context = await readEditContext(session, target.noun, target.path);
  const { loadNames, getName } = createNameLoader(session);
  const sender = new ChangeSender(session, target, {
    names: { getName, load: loadNames },
    listFields: (record) => listEditFields(target.noun, readObject(record), context),
  });
  const fields = sender.listCurrentFields();
  const format = (getName: GetName) => fields.map(({ value, type }) => formatEditValue(value, type, getName));
  await loadNames(collectReferences(format));
  const values = format(getName);
  const choices = fields.map((field, index) => ({
    value: toPath(field),
    label: sanitizeLine(toLabel(field)),
    hint: sanitizeLine(values[index] ?? ''),
  }));
  const paths = await session.terminal.prompts.selectMany(
    `Which fields of ${labelTarget(target)} do you want to change?`,
    choices,
  );
  const changes: FieldChange[] = [];
  for (const field of fields.filter((field) => paths.includes(toPath(field)))) {
    const after = await askValue(session, field);
    if (!isSameFieldValue(field.value, after, field)) changes.push({ field, after });
  }
  const outcome = await sender.send(changes, { text: '', hasEditor: false });
  if ('result' in outcome) return outcome.result;
  throw outcome.failure;
}

/** A field of the list may have the name of another field of the entry. */
const toPath = ({ container, key }: EditField) => (container === undefined ? key : `${container}.${key}`);

/** Returns the name of a field in a question: its label without the explanation after it. */
const toLabel = ({ label, key }: EditField) => (label ?? key).replace(/[,;:].*$/, '');

/** Asks for the value of a field. An empty answer clears it, unless it can only be replaced. */
async function askValue(session: Session, field: EditField): Promise<unknown> {
  const label = toLabel(field);
  const question = createFieldQuestion(field, {
    label,
    getRequirement: () => (field.clear === undefined ? `${label} cannot be cleared.` : undefined),
  });
  const values = isEmpty(field.value) ? [] : [field.value].flat();
  const texts = values.map((value) => String(field.type === 'money' ? formatCents(value) : value));
  const answer = await question.ask(session, texts, new Map());
  const nodes = answer.map((value) => ({ line: 1, value }));
  const [first = { line: 1, value: null }] = nodes;
  const read = createValueReader(session);
  return readTyped(read, isMultiple(field) && nodes.length > 0 ? { line: 1, value: nodes } : first, field);
}
