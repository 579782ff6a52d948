import { Failure } from '../contract/errors.ts';

/** What looks like an API key: a known prefix and random letters, or a long run of letters and digits. */
const keyShape = /\b(?:kith|sk|pk|key|api|token)[_-][\w-]{20,}|\b(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{32,}/gi;

const hideIn = (text: string) => text.replace(keyShape, '[key]');

/**
 * Returns a failure that repeats no key from the command line or the environment: one that was typed in the wrong
 * place would end up in logs. Other failures name records, whose ids may look alike.
 */
export function hideMistypedKeys(failure: Failure): Failure {
  const { code, message, detail } = failure;
  if (code !== 'usage' && code !== 'unauthorized') return failure;
  const faults = detail.faults?.map((fault) => ({ ...fault, message: hideIn(fault.message) }));
  const hint = detail.hint && hideIn(detail.hint);
  return new Failure(code, hideIn(message), { ...detail, faults, hint });
}
