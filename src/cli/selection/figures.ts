import { Failure } from '../../contract/errors.ts';
import type { Field } from '../../filter/filter.ts';
import { createFieldFinder } from '../../filter/noun-fields.ts';
import { repeatIfChanged, requireUnchanged } from '../../records/read-all.ts';
import { createPlainColumn } from '../../render/columns.ts';
import { createDecimalSum } from '../../values/decimal-sum.ts';
import { readObject } from '../../values/json-object.ts';
import { type CommandInput, type CommandResult, toRecordResult, toTextResult } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { addFlag, type SelectableList, selectRecords } from './select-records.ts';

/**
 * Counts the records that the flags select, and sums a field of them. A single figure is printed as a plain number, unless
 * a format is set.
 */
export async function readFigures(
  session: Session,
  list: SelectableList,
  input: CommandInput,
): Promise<CommandResult> {
  const { limit, format, json, jq, fields } = session.globals;
  const field = typeof input.sum === 'string' ? await findSummable(list, input.sum) : undefined;
  const { count, sum } = await repeatIfChanged(async () => {
    const sum = createDecimalSum();
    let count = 0;
    const batches = await selectRecords(session, { ...list, isUnlimited: true }, input);
    for await (const { records, total } of requireUnchanged(batches)) {
      if (total !== undefined && !field && isWholeList(list, input))
        return { count: Math.min(total, limit ?? total), sum };
      count += records.length;
      for (const { value } of field ? records : [])
        for (const number of field?.read(readObject(value)) ?? [])
          if (typeof number === 'number' || typeof number === 'string')
            sum.add(field?.type === 'money' ? `${number}e-2` : String(number)); // an amount is in cents
    }
    return { count, sum };
  });
  const text = sum.format(field?.type === 'money' ? 2 : 0);
  const figures = { ...(input.count === true && { count }), ...(field && { sum: toNumber(text) }) };
  const isFormatted = json || [format, jq, fields].some((flag) => flag !== undefined);
  if (!isFormatted && Object.keys(figures).length === 1)
    return toTextResult(`${field ? text : count}\n`, figures);
  const columns = Object.keys(figures).map((name) =>
    createPlainColumn(name, name === 'sum' ? { cell: () => text } : {}),
  );
  return toRecordResult(figures, () => columns);
}

/** Whether no flag selects among the records of a list, so that the service's total counts them all. */
const isWholeList = ({ isServiceFiltered, filters = [] }: SelectableList, input: CommandInput) =>
  !isServiceFiltered &&
  filters.length === 0 &&
  Object.keys(input).every((name) => ['count', 'sum', 'sort', 'tz'].includes(name) || !input[name]);

async function findSummable(list: SelectableList, name: string): Promise<Field> {
  try {
    const field = await createFieldFinder(list)(name);
    if (field.type === 'number' || field.type === 'money') return field;
    throw new Failure(
      'usage',
      `"${field.name}" is of type ${field.type}; only numbers and amounts have a sum.`,
    );
  } catch (error) {
    throw addFlag('sum', error);
  }
}

/** Returns a number, or the text if a double cannot hold it. */
const toNumber = (text: string): number | string => {
  const number = Number(text);
  const digits = text.replace(/\D/g, '').replace(/^0+/, '');
  return digits.length > 15 ? text : number;
};
