import { describeMismatch, type FieldType, parseValue } from '../../contract/field-types.ts';
import type { Route, WireRequest } from '../../contract/grammar.ts';
import { listFields } from '../../contract/list-fields.ts';
import { pluralNouns } from '../../contract/singular-nouns.ts';
import { checkBodySize, validateBody } from '../../contract/validate.ts';
import { createPhoneParser } from '../../values/phone.ts';
import { matchWrite, nouns } from '../../writes/nouns.ts';
import type { Session } from '../command/context.ts';
import { findRegion } from '../connect/connection.ts';

/**
 * Checks the bodies of writes, and the texts of their fields, as the service does, without a request. Accepts unknown
 * fields, which a newer service may have. @throws {Failure} invalid, too_large
 */
export async function checkWrites(session: Session, requests: readonly WireRequest[]): Promise<void> {
  for (const request of requests) {
    checkBodySize(request);
    const write = matchWrite(request);
    const route: Route | undefined = write && nouns[write.noun][write.action];
    if (!write || !route?.body) continue;
    const { errors, input } = validateBody(route, write.body, true);
    for (const { key, body = key, type } of listFields(pluralNouns[write.noun])) {
      const { [body]: value } = input;
      for (const [index, text] of [value].flat().entries()) {
        const place = Array.isArray(value) ? [body, index] : [body];
        const problem = typeof text === 'string' ? await describeInvalid(session, text, type) : undefined;
        if (problem !== undefined) errors.add(place, 'value', problem);
      }
    }
    errors.raise();
  }
}

/** Says why the service would refuse the text of a field; undefined if it would not. */
export async function describeInvalid(
  session: Session,
  text: string,
  type: FieldType,
): Promise<string | undefined> {
  const parsed = parseValue(text.trim(), { type });
  if ('expected' in parsed) return describeMismatch(text, parsed.expected);
  const isInvalid =
    type === 'phone' && (await createPhoneParser(await findRegion(session)))(text) === undefined;
  return isInvalid ? describeMismatch(text, 'a phone number') : undefined;
}
