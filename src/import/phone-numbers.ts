const keepDigits = (text: string) => text.replace(/\D/g, '');

/** An extension. The service does not store it. */
const extension = /\s*(x|ext\.?|#)\s*\d{1,6}\s*$/i;
const withoutExtension = (text: string) => text.replace(extension, '');

/** Returns the possible digits of a number: in most countries the zero of `+44 (0)20` is dialed only within the country. */
function readDigits(text: string): string[] {
  const number = withoutExtension(text);
  return [number.replace('(0)', ''), number].map(keepDigits);
}

/** Returns what is expected if a text does not look like a phone number. Only the service knows whether it is valid. */
export function checkNumber(text: string): string | undefined {
  const count = keepDigits(text).length;
  const isNumber = /^[+\d\s().\-/]+((x|ext\.?|#)\s*\d+)?$/i.test(text) && count >= 4 && count <= 20;
  return isNumber ? undefined : 'a phone number';
}

/** The number of last digits that all spellings of a number share. */
const tailLength = 6;

/** Returns the last digits that all spellings of a number share; undefined if there may be another spelling. */
export function readTail(number: string): string | undefined {
  const nationals = readDigits(number).map((digits) => digits.replace(/^0+/, ''));
  const [tail = '', ...others] = new Set(nationals.map((digits) => digits.slice(-tailLength)));
  const isCertain = others.length === 0 && tail.length === tailLength;
  return isCertain && !/[^+\d\s().\-/]/.test(withoutExtension(number)) ? tail : undefined;
}

/** Whether two spellings may be one number: one of them may lack its country code. */
export function mayBeSameNumber(one: string, other: string): boolean {
  const nationals = (number: string) => readDigits(number).map((digits) => digits.replace(/^0+/, ''));
  return nationals(one).some((digits) =>
    nationals(other).some((others) => digits.endsWith(others) || others.endsWith(digits)),
  );
}

/** Whether a stored number (E.164) equals one written in a common format. */
export function isSameNumber(stored: string, written: string): boolean {
  const isWhole = written.trim().startsWith('+');
  return readDigits(stored).some((held) =>
    readDigits(written).some((digits) => (isWhole ? held === digits : dials(held, digits))),
  );
}

/** Whether the digits dial a number, within its country or from abroad with `00`, `011` or `0011`. */
function dials(held: string, digits: string): boolean {
  const national = digits.replace(/^0+/, '');
  const isNational = national.length > tailLength && held.endsWith(national);
  return isNational || held === digits.replace(/^0+11/, '');
}
