const digitsIn = (text: string) => text.replace(/\D/g, '');

/** What a phone number is, where a text is none by its looks; whether there is such a number only the service knows. */
export function unfitNumber(text: string): string | undefined {
  const count = digitsIn(text).length;
  const isNumber = /^[+\d\s().\-/]+((x|ext\.?|#)\s*\d+)?$/i.test(text) && count >= 4 && count <= 20;
  return isNumber ? undefined : 'a phone number';
}

/** Digits that two ways of writing a number have in common: country code and trunk prefix stand before them. */
const tailLength = 6;

/** What every way of writing a number has; undefined: it may be written in a way that has not. */
export function tailOf(number: string): string | undefined {
  const digits = digitsIn(number);
  return /[^+\d\s().\-/]/.test(number) || digits.length < tailLength ? undefined : digits.slice(-tailLength);
}

/** Whether a number as it is stored, E.164, is the one that somebody wrote in a common format. */
export function isSameNumber(stored: string, written: string): boolean {
  const digits = digitsIn(written);
  if (written.trim().startsWith('+')) return digitsIn(stored) === digits;
  const national = digits.replace(/^0+/, '');
  return national.length > tailLength && digitsIn(stored).endsWith(national);
}
