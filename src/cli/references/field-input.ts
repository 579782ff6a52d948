import { Failure } from '../../contract/errors.ts';
import {
  describeExpected,
  type FieldType,
  requireValue,
  type TypedField,
} from '../../contract/field-types.ts';
import { addArticle } from '../../values/text.ts';
import type { Session } from '../command/context.ts';
import { describeForms, isReference } from '../flags/references.ts';
import { resolveReference } from './resolve-reference.ts';

/** Parses a typed value of a field, or resolves it to the id of the record that it names. @throws {Failure} usage, not_found */
export type ValueReader = (text: string, field: TypedField) => Promise<unknown>;

export const createValueReader =
  (session: Session): ValueReader =>
  async (text, field) =>
    isReference(field.type) ? resolveReference(session, field.type, text) : requireValue(text, field);

/** Whether another text would avoid the error of a `ValueReader`. */
export const isCorrectable = (error: unknown): error is Failure =>
  error instanceof Failure && (error.code === 'usage' || error.code === 'not_found');

/** Describes why a text is not a valid value, and how to correct it. @throws any error that is not correctable */
export function describeProblem(error: unknown): string {
  if (!isCorrectable(error)) throw error;
  const { hint = '' } = error.detail;
  const advice = hint.startsWith('kith ') ? `See \`${hint}\`.` : hint;
  return `${error.message} ${advice}`.trim();
}

/** The types of fields that are named after their values. */
const obviousTypes: readonly FieldType[] = ['email', 'phone', 'domain'];

/** Describes a valid value of a field; undefined if any text is valid, or if the field's name describes it. */
export function describeValue(field: TypedField): string | undefined {
  const { type } = field;
  if (isReference(type)) return `${addArticle(type)}: ${describeForms(type)}`;
  return obviousTypes.includes(type) ? undefined : describeExpected(field, (options) => options.join(', '));
}
