import { nouns } from '../changes/nouns.ts';
import { type FieldError, requireFailure } from '../contract/errors.ts';
import { checkBodySize, validateBody } from '../contract/validate.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import type { NamedValue } from './mapping.ts';
import type { RecordKind } from './outcome.ts';

/** The body of a request that a row may need, to check it before anything is sent. */
export interface RowBody {
  readonly noun: RecordKind;
  readonly body: JsonObject;
  /** The own field of the row that has all its values, if it has another name than theirs. */
  readonly field?: string;
}

/** Returns the values of custom fields or list fields as a body has them. */
export const toNamedValues = (values: readonly NamedValue[]) =>
  values.map(({ name, value }) => ({ name, value }));

/** A validation error of a body. */
interface BodyError {
  /** If omitted, the error is about the whole body. */
  readonly field?: string;
  readonly message: string;
}

/** Returns the errors that the service would find in the form of a body. */
export function findBodyErrors({ noun, body, field }: RowBody): BodyError[] {
  try {
    checkBodySize({ body });
    // A row has all that only a create requires.
    validateBody(nouns[noun].update, body).errors.raise();
    return [];
  } catch (error) {
    const { message, detail } = requireFailure(error);
    return (detail.fieldErrors ?? [{ pointer: '', message }]).map((error) => toBodyError(error, body, field));
  }
}

/** Returns an error with its own field, custom field or list field in place of a pointer: `#/custom_fields/3/value`. */
function toBodyError(
  { pointer, message }: Pick<FieldError, 'pointer' | 'message'>,
  body: JsonObject,
  onlyField: string | undefined,
): BodyError {
  const [key = '', index = ''] = pointer.slice('#/'.length).split('/');
  if (key === '') return { message };
  const { name = key } = readObject(readObject(body[key])[index]);
  return { field: onlyField ?? String(name), message: message.replace(/^\S+/, 'The value') };
}
