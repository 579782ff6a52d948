import { Failure } from '../../contract/errors.ts';
import { type FieldContainer, isFieldContainer } from '../../values/field-values.ts';
import { isObject } from '../../values/json-object.ts';
import { isExactInJson } from '../../values/numbers.ts';
import type { Session } from '../command/context.ts';
import { readTextArgument } from '../command/files.ts';
import { createTextOption } from '../command/options.ts';

export type Body = Readonly<Record<string, unknown>>;

export const dataOption = createTextOption('Request body as JSON; other flags override it', 'JSON', {
  valueSource: 'file',
  isObject: true,
});

/** Reads the value of --data, if any: a JSON object, `@FILE`, or `-` for stdin. @throws {Failure} usage */
export async function readData(session: Session, data: unknown): Promise<Body | undefined> {
  if (typeof data !== 'string') return undefined;
  const json = await readTextArgument(session, data);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Failure('usage', '--data: The value is not valid JSON.', {
      cause: error,
      hint: `Use --data '{"name": "Acme"}', --data @FILE, or --data - for stdin.`,
    });
  }
  if (!isObject(value)) throw new Failure('usage', '--data: The value is not a JSON object.');
  if (!hasExactNumbers(value)) {
    throw new Failure('usage', '--data: The value contains a number that would lose precision.', {
      hint: 'To send a body unchanged, use `kith api PATH --input FILE`.',
    });
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isFieldContainer(name) && isObject(member) ? listNamedValues(member) : member,
    ]),
  );
}

/** Lists field values from the form of compact rows: `{"Rooms": 5}`. */
const listNamedValues = (values: Body) => Object.entries(values).map(([name, value]) => ({ name, value }));

/** Returns the body of a write: the value of --data, and the fields of the flags, which override it. */
export function mergeBody(data: Body | undefined, flags: Body): Body {
  const fields = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  return {
    ...data,
    ...fields,
    ...mergeNamedValues(data ?? {}, fields, 'custom_fields'),
    ...mergeNamedValues(data ?? {}, fields, 'list_fields'),
  };
}

function hasExactNumbers(value: unknown): boolean {
  if (typeof value === 'number') return isExactInJson(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasExactNumbers);
}

/** Merges the named values of a field by their names: a flag overrides the body. */
function mergeNamedValues(body: Body, flags: Body, field: FieldContainer): Body {
  const [bodyValues, flagValues] = [body[field], flags[field]];
  if (!Array.isArray(bodyValues) || !Array.isArray(flagValues)) return {};
  const names = new Set(flagValues.map(({ name }) => name));
  return { [field]: [...bodyValues.filter((value) => !names.has(value?.name)), ...flagValues] };
}
