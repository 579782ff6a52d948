import type { SingularNoun } from '../contract/singular-nouns.ts';
import { readTexts } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import type { LoggedWrite } from '../writes/log.ts';

/** Describes the values of a deleted record that `kith undo` cannot restore, as sentences. `record`: its known fields. */
export function describeDeletionLosses(noun: SingularNoun, record: JsonObject = {}): string[] {
  const sentences: Readonly<Record<SingularNoun, readonly string[]>> = {
    contact: [
      'The contact and its entries get new ids and creation times; process entries also get new keys and closing times.',
    ],
    organization: [
      'The organization, its notes and its entries get new ids and creation times; process entries also get new keys and closing times.',
    ],
    note: ['The note gets a new id and creation time.'],
    custom_field: [
      'The custom field gets a new id and creation time.',
      ...(record.model === 'deal' ? ['The values of the custom field in deals are not restored.'] : []),
    ],
    list: [
      `The ${record.process === true ? 'process' : 'list'} and its entries get new ids and creation times${record.process === true ? '; the entries also get new keys and closing times' : ''}.`,
      ...(record.archived_at ? ['The list will no longer be archived.'] : []),
    ],
    entry: [
      `The entry gets a new ${typeof record.key === 'string' ? 'id, creation time and key' : 'id and creation time'}.`,
      ...(record.closed_at ? ['The entry gets a new closing time.'] : []),
    ],
  };
  return [...sentences[noun]];
}

/** Describes the values that the revert of an update cannot restore, as sentences. */
export function describeUpdateLosses(
  { noun, before = {}, after = {} }: LoggedWrite,
  unwritableFields: readonly string[],
): string[] {
  const reorderedFields = ['emails', 'domains'].filter((name) =>
    isReordered(readTexts(before[name]), readTexts(after[name])),
  );
  const isReopened = before.closed_at !== after.closed_at && typeof before.closed_at === 'string';
  return [
    ...unwritableFields.map((name) => `The API cannot restore the ${name}.`),
    ...reorderedFields.map((name) => `The restored ${name} come after the others.`),
    ...(isReopened ? ['The entry gets a new closing time.'] : []),
    ...(noun === 'list' && closesAgain(before.statuses, after.statuses)
      ? ['Entries that are closed again get new closing times.']
      : []),
  ];
}

/** Whether a status that closed entries is active after the change, so that a revert closes its entries again. */
function closesAgain(before: unknown, after: unknown): boolean {
  const listOfType = (statuses: unknown, isActive: boolean) =>
    (Array.isArray(statuses) ? statuses : [])
      .map(readObject)
      .filter(({ type }) => (type === 'active') === isActive)
      .map(({ name }) => name);
  const active = listOfType(after, true);
  return listOfType(before, false).some((name) => active.includes(name));
}

/** Whether removed texts came before others that still exist. */
function isReordered(before: readonly string[], after: readonly string[]): boolean {
  const restoredTexts = [
    ...after.filter((text) => before.includes(text)),
    ...before.filter((text) => !after.includes(text)),
  ];
  return restoredTexts.join('\n') !== before.join('\n');
}
