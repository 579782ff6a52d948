import { requireFailure } from '../contract/errors.ts';
import type { SingularNoun } from '../contract/singular-nouns.ts';
import { checkBodySize, validateBody } from '../contract/validate.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { nouns } from '../writes/nouns.ts';
import type { NamedValue } from './mapping.ts';

/** A request body that a row may need. It is checked before anything is sent. */
export interface RowBody {
  readonly noun: SingularNoun;
  readonly body: JsonObject;
  /** The own field of the row that contains the whole body, if the names differ. */
  readonly field?: string;
}

/** Returns the values of custom fields or list fields as a body has them. */
export const toNamedValues = (values: readonly NamedValue[]) =>
  values.map(({ name, value }) => ({ name, value }));

/**
 * Returns the validation errors of a body, as the service would report them. `field`: the own field, custom field or
 * list field; undefined if the error is about the whole body.
 */
export function findBodyErrors({
  noun,
  body,
  field,
}: RowBody): { readonly field?: string; readonly message: string }[] {
  try {
    checkBodySize({ body });
    // The rules of an update suffice: every row has the values that only a create requires.
    validateBody(nouns[noun].update, body).errors.raise();
    return [];
  } catch (error) {
    const { message, detail } = requireFailure(error);
    return (detail.fieldErrors ?? [{ pointer: '', message }]).map(({ pointer, message }) => {
      // A pointer may lead into a list: `#/custom_fields/3/value`.
      const [key = '', index = ''] = pointer.slice('#/'.length).split('/');
      if (key === '') return { message };
      const { name = key } = readObject(readObject(body[key])[index]);
      return { field: field ?? String(name), message: message.replace(/^\S+/, 'The value') };
    });
  }
}
