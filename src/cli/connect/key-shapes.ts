import { Failure } from '../../contract/errors.ts';

/** Matches what looks like an API key: a known prefix and random characters, or a long run of letters and digits. */
const keyPattern = /\b(?:kith|sk|pk|key|api|token)[_-][\w-]{20,}|\b(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{32,}/gi;

const redactKeys = (text: string) => text.replace(keyPattern, '[key]');

/**
 * Redacts keys in an error about the command line or the environment: a key typed in the wrong place would end up in
 * logs. Other errors name records, whose ids may look like keys.
 */
export function redactMistypedKeys(failure: Failure): Failure {
  const { code, message, detail } = failure;
  if (code !== 'usage' && code !== 'unauthorized') return failure;
  const faults = detail.fieldErrors?.map((fault) => ({ ...fault, message: redactKeys(fault.message) }));
  const hint = detail.hint && redactKeys(detail.hint);
  return new Failure(code, redactKeys(message), { ...detail, fieldErrors: faults, hint });
}
