import { Failure } from '../../contract/errors.ts';
import { isDistinctive } from '../../settings/database-location.ts';
import { redactionMark } from '../../settings/redaction.ts';
import { findDatabasePassword, formatDatabase } from '../../values/database-url.ts';

/** Matches likely API keys: a known prefix and random characters, or a long run of letters and digits. */
const keyPattern = /\b(?:kith|sk|pk|key|api|token)[_-][\w-]{20,}|\b(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{32,}/gi;

/** Matches a PostgreSQL URL with a user or a password, and the text after it. */
const databasePattern = /\bpostgres(?:ql)?:\/\S*?(?:@|password=)\S*/gi;

/** Redacts likely API keys and the passwords of PostgreSQL URLs. */
export const redactKeys = (text: string) =>
  text.replace(databasePattern, formatDatabase).replace(keyPattern, redactionMark);

/** Whether a URL certainly contains a key: a known prefix and a character that host names do not have. */
export const containsKey = (url: string) => /\b(?:kith|sk|pk|key|api|token)_[\w-]{20,}/i.test(url);

/** Returns the failure for a base URL with a key in it. A host name is printed and sent to public name servers. */
export const createKeyInUrlFailure = () =>
  new Failure('usage', 'The base URL contains an API key.', {
    hint: 'Use a URL without the key, such as https://crm.example.com',
  });

/** Returns the passwords to redact in PostgreSQL URLs on a command line: `--database=URL` or a word of its own. */
export function findPasswords(argv: readonly string[]): string[] {
  return argv
    .flatMap((word) => findDatabasePassword(word.replace(/^--[\w-]+=/, '')) ?? [])
    .filter(isDistinctive);
}

/** Matches API keys of kith, which no id looks like. */
const ownKeyPattern = /\bkith_[\w-]{20,}/gi;

/**
 * Redacts keys and passwords that were typed in the wrong place, before they reach logs. Other errors may contain ids
 * that look like keys.
 */
export function redactMistypedKeys({ code, message, detail }: Failure): Failure {
  const isAboutWords = code === 'usage' || code === 'unauthorized';
  const redact = isAboutWords ? redactKeys : (text: string) => text.replace(ownKeyPattern, redactionMark);
  const { fieldErrors, hint, commands, path } = detail;
  return new Failure(code, redact(message), {
    ...detail,
    fieldErrors: fieldErrors?.map((fault) => ({ ...fault, message: redact(fault.message) })),
    hint: hint && redact(hint),
    commands: commands?.map(redact),
    path: path && redact(path),
  });
}
