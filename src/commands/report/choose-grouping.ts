import type { Session } from '../../cli/command/context.ts';
import { listDueFields } from '../../cli/selection/flag-expressions.ts';
import { addFlag } from '../../cli/selection/select-records.ts';
import { Failure } from '../../contract/errors.ts';
import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { createFieldFinder, type FieldSource } from '../../filter/noun-fields.ts';
import { foldName } from '../../values/names.ts';
import { joinNames, quoteShellWord } from '../../values/text.ts';
import { groupByField } from './field-grouping.ts';
import { type Grouping, groupByStatus } from './grouping.ts';

/** Returns the grouping that `--by` names. @throws {Failure} usage if the list has no such field */
export async function chooseGrouping(
  session: Session,
  list: Received<List>,
  fields: FieldSource,
  by: string,
  zone: string | undefined,
): Promise<Grouping> {
  try {
    const name = foldName(by) === 'month' ? findDateField(list) : by;
    const field = await createFieldFinder(fields)(name);
    return field.name === 'status' ? groupByStatus(list) : groupByField(session, field, zone);
  } catch (error) {
    throw addFlag('by', error);
  }
}

/** Returns the name of a list's only date field. @throws {Failure} usage if the list has no date field, or several */
function findDateField(list: Received<List>): string {
  const names = listDueFields(list).map(({ key }) => key);
  const [name, ...others] = names;
  if (name !== undefined && others.length === 0) return `list_fields.${name}`;
  const suggest = (field: string) =>
    `kith lists report ${quoteShellWord(list.name)} --by ${quoteShellWord(field)}`;
  if (name === undefined)
    throw new Failure('usage', `"${list.name}" has no field of type date or datetime.`, {
      hint: suggest('created_at'),
    });
  throw new Failure('usage', `"${list.name}" has several date fields: ${joinNames(names)}.`, {
    hint: 'Use --by with one of these fields.',
    commands: names.map(suggest),
  });
}
