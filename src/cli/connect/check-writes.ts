import { matchWrite, nouns } from '../../changes/nouns.ts';
import type { Route, WireRequest } from '../../contract/grammar.ts';
import { checkBodySize, validateBody } from '../../contract/validate.ts';
import { createPhoneCheck } from '../../values/phone.ts';
import { quote } from '../../values/text.ts';
import type { Session } from '../command/context.ts';
import { findRegion } from './connection.ts';

/**
 * Checks the bodies of writes as the service does, without a request. Fields that kith does not know may be those of a
 * later service. @throws {Failure} invalid, too_large
 */
export async function checkWrites(session: Session, requests: readonly WireRequest[]): Promise<void> {
  for (const request of requests) {
    checkBodySize(request);
    const write = matchWrite(request);
    const route: Route | undefined = write && nouns[write.noun][write.action];
    if (!write || !route?.body) continue;
    const { errors, input } = validateBody(route, write.body, true);
    const { phone_numbers: numbers } = input;
    if (write.noun === 'contact' && Array.isArray(numbers)) {
      const check = await createPhoneCheck(await findRegion(session));
      for (const [index, text] of numbers.entries())
        if (typeof text === 'string' && check(text) !== undefined)
          errors.add(['phone_numbers', index], 'value', `${quote(text)} is not a phone number.`);
    }
    errors.raise();
  }
}
