const keepDigits = (text: string) => text.replace(/\D/g, '');

/** An extension, which is no part of the number that a service stores. */
const extension = /\s*(x|ext\.?|#)\s*\d{1,6}\s*$/i;
const withoutExtension = (text: string) => text.replace(extension, '');

/** The digits that a text may mean: in most countries the zero of `+44 (0)20` is dialled within the country only. */
function readDigits(text: string): string[] {
  const number = withoutExtension(text);
  return [number.replace('(0)', ''), number].map(keepDigits);
}

/** What a phone number is, where a text is none by its looks; whether there is such a number only the service knows. */
export function checkNumber(text: string): string | undefined {
  const count = keepDigits(text).length;
  const isNumber = /^[+\d\s().\-/]+((x|ext\.?|#)\s*\d+)?$/i.test(text) && count >= 4 && count <= 20;
  return isNumber ? undefined : 'a phone number';
}

/** Digits that two ways of writing a number have in common: country code and trunk prefix stand before them. */
const tailLength = 6;

/** What every way of writing a number has; undefined: it may be written in a way that has not. */
export function readTail(number: string): string | undefined {
  const nationals = readDigits(number).map((digits) => digits.replace(/^0+/, ''));
  const [tail = '', ...others] = new Set(nationals.map((digits) => digits.slice(-tailLength)));
  const isCertain = others.length === 0 && tail.length === tailLength;
  return isCertain && !/[^+\d\s().\-/]/.test(withoutExtension(number)) ? tail : undefined;
}

/** Whether two numbers as somebody wrote them may be one: one of them may lack its country code. */
export function mayBeSameNumber(one: string, other: string): boolean {
  const nationals = (number: string) => readDigits(number).map((digits) => digits.replace(/^0+/, ''));
  return nationals(one).some((digits) =>
    nationals(other).some((others) => digits.endsWith(others) || others.endsWith(digits)),
  );
}

/** Whether a number as it is stored, E.164, is the one that somebody wrote in a common format. */
export function isSameNumber(stored: string, written: string): boolean {
  const isWhole = written.trim().startsWith('+');
  return readDigits(stored).some((held) =>
    readDigits(written).some((digits) => (isWhole ? held === digits : dials(held, digits))),
  );
}

/** Whether digits dial a number: within its country, or from abroad by `00`, `011` or `0011`. */
function dials(held: string, digits: string): boolean {
  const national = digits.replace(/^0+/, '');
  const isNational = national.length > tailLength && held.endsWith(national);
  return isNational || held === digits.replace(/^0+11/, '');
}
