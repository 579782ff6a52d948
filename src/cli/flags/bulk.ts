import { createTextOption, type Options } from '../command/options.ts';
import { timeZoneOption } from './moment.ts';

/** The word that stands for the ids or records on stdin. */
export const stdinWord = '-';

/** The flags that select the records of an update or a deletion instead of ids. */
export const bulkOptions: Options = {
  where: {
    ...createTextOption(
      'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first',
      'EXPR',
      { completion: 'sort' },
    ),
    isForMany: true,
  },
  tz: { ...timeZoneOption, isForMany: true },
};

/** Whether the input of a command names many records: by --where, or by `-` as the value of one of `names`. */
export const isBulk = (input: Readonly<Record<string, unknown>>, ...names: readonly string[]): boolean =>
  input.where !== undefined || names.some((name) => [input[name]].flat().includes(stdinWord));
