import type { CountryCode, PhoneNumber } from 'libphonenumber-js/min';
import { cleanToken, isAscii } from './clean-text.ts';

/** A phone number as it is stored: in E.164, and without its country code. */
export interface ParsedPhone {
  readonly number: string;
  readonly national: string;
}

const loadLibrary = () => import('libphonenumber-js/min');

/** Whether a text is an ISO 3166 country code whose phone numbers are known. */
export async function isRegion(text: string): Promise<boolean> {
  const { isSupportedCountry } = await loadLibrary();
  return isSupportedCountry(text);
}

/** Parses a phone number for a region (ISO 3166, two letters); undefined if the text is not a phone number. */
export async function parsePhone(text: string, region: string): Promise<ParsedPhone | undefined> {
  return (await createPhoneParser(region))(text);
}

/**
 * Returns the function that parses phone numbers for a region, as `parsePhone` does. If the region is unknown, a number
 * without a country code is parsed for the first country in which it is possible.
 */
export async function createPhoneParser(
  region: string | undefined,
): Promise<(text: string) => ParsedPhone | undefined> {
  const { getCountries, parsePhoneNumberFromString } = await loadLibrary();
  const toParsed = (phone: PhoneNumber) => ({ number: phone.number, national: phone.nationalNumber });
  return (text) => {
    if (!isNumber(text)) return undefined;
    const number = readNumber(text);
    const isWhole = number.startsWith('+');
    // A number of another country may have a possible length: `030 1234567` is no number of the United States.
    const isNational = region !== undefined && !isWhole;
    const regions = region === undefined && !isWhole ? getCountries() : [(region ?? 'US') as CountryCode];
    for (const country of regions) {
      const phone = parsePhoneNumberFromString(number, country);
      if (phone && (isNational ? phone.isValid() : phone.isPossible())) return toParsed(phone);
    }
    const phone = isWhole ? undefined : parsePhoneNumberFromString(addPlus(number));
    return phone?.isValid() ? toParsed(phone) : undefined;
  };
}

/** A word before a number: `tel:`, `Mobile.`, `p:` */
const label = /^\p{L}[\p{L} .-]{0,20}[:.]\s*(?=[+(\d])/u;

/** A comment in brackets after a number: `(mobile)`. */
const comment = /\s*[([]\s*\p{L}[^()[\]\d]*[)\]]$/u;

/** An extension. The service does not store it. */
const extension = /\s*[;,]?\s*(x|ext(n|ension)?\.?|#)[\s.:=]*\d{1,6}$/i;

/** Returns the ASCII digit of a decimal digit in any script. Unicode has the ten digits of a script in order. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}

/**
 * Returns a phone number in plain characters, without the text that people and spreadsheets add: labels, comments,
 * the quotes of `="020…"`, and the decimals of `14155552673.0`.
 */
export function cleanPhone(text: string): string {
  if (/^\+?\d+$/.test(text)) return text;
  const token = cleanToken(text)
    .replace(/[\s.,;]+$/, '')
    .trimStart();
  const plainText = isAscii(token) ? token : token.replace(/\p{Nd}/gu, toAsciiDigit).replace(/[ー•·]/g, '-');
  return plainText
    .replace(/^="(.*)"$/, '$1')
    .replace(/^'+/, '')
    .replace(label, '')
    .replace(comment, '')
    .replace(/^(\+?\d{5,})\.0+$/, '$1');
}

/** The longest text of one number, including labels and comments. */
const maxNumberText = 250;

/** Returns a clean number without extension; empty for a long text. Its plus sign is the first character. */
function readNumber(text: string): string {
  if (text.length > maxNumberText) return '';
  const number = cleanPhone(text).replace(extension, '');
  return number.replace(/^\(\+(\d+)\)/, '+$1 ').trim();
}

/** International call prefixes of most countries, Australia and the United States. */
const exitCode = /^(0011|011|00)(?=\D*[1-9])/;

/** Returns a number with the plus sign in place of an exit code, or with one that a spreadsheet may have dropped. */
const addPlus = (number: string): string =>
  exitCode.test(number) || /^\d+$/.test(number) ? `+${number.replace(exitCode, '')}` : '';

/** Whether a text has the form of one phone number. Only a service that knows the region can tell whether it is valid. */
export function isNumber(text: string): boolean {
  const number = readNumber(text);
  const count = keepDigits(number).length;
  return /^[+\d \t().\-/[\]~]+$/.test(number) && count >= 4 && count <= 20;
}

/** The numbers that a lookup tries if the number is not found in the workspace's own region. */
export interface PhoneGuesses {
  /** The number in E.164 if the text begins with a country code without its plus sign. */
  readonly numbers: string[];
  /** National numbers, according to the rules of any country. */
  readonly nationals: string[];
}

/** Returns the other possible numbers of a text without a country code; empty if it has a country code. */
export async function guessPhones(text: string): Promise<PhoneGuesses> {
  const { getCountries, parsePhoneNumberFromString } = await loadLibrary();
  const plainNumber = readNumber(text);
  if (plainNumber.startsWith('+')) return { numbers: [], nationals: [] };
  const read = (text: string, country?: CountryCode) => {
    const phone = parsePhoneNumberFromString(text, country);
    return phone?.isPossible() ? [phone] : [];
  };
  const numbers = [plainNumber, plainNumber.replace(exitCode, '')].flatMap((digits) => read(`+${digits}`));
  const nationals = getCountries().flatMap((country) => read(plainNumber, country));
  return {
    numbers: [...new Set(numbers.map(({ number }) => String(number)))],
    nationals: [...new Set(nationals.map(({ nationalNumber }) => String(nationalNumber)))],
  };
}

/** Whether two numbers are equal: with country codes in E.164, otherwise as national numbers. */
export async function isPhoneMatch(storedNumber: string, text: string): Promise<boolean> {
  const areWhole = [storedNumber, text].every(hasCountryCode);
  if (haveSameDigits(storedNumber, text, areWhole)) return true;
  const [storedGuesses, writtenGuesses] = await Promise.all([parseNumbers(storedNumber), parseNumbers(text)]);
  if (storedGuesses.numbers.some((number) => writtenGuesses.numbers.includes(number))) return true;
  return (
    !areWhole &&
    (haveSameNational(storedGuesses, writtenGuesses) || haveSameNational(writtenGuesses, storedGuesses))
  );
}

const hasCountryCode = (text: string) => readNumber(text).startsWith('+');

/** The digits of the longest country code, and of the shortest number that is compared without its country code. */
const [countryCode, subscriber] = [3, 7];

const keepDigits = (text: string) => text.replace(/\D/g, '');
const stripZeros = (digits: string) => digits.replace(/^0+/, '');

/** Whether two texts have the same digits, apart from a country code before one of them. */
function haveSameDigits(left: string, right: string, areWhole: boolean): boolean {
  const digits = [left, right].map((text) => stripZeros(keepDigits(readNumber(text))));
  const [short = '', long = ''] = digits.sort((a, b) => a.length - b.length);
  if (areWhole || short.length < subscriber) return short !== '' && short === long;
  return long.endsWith(short) && long.length - short.length <= countryCode;
}

/** Whether a national number on the left is a national number on the right, or follows its country code. */
function haveSameNational(left: PhoneGuesses, right: PhoneGuesses): boolean {
  return left.nationals.some(
    (national) =>
      right.nationals.includes(national) ||
      right.numbers.some((number) => {
        const code = number.endsWith(national) ? number.length - national.length - '+'.length : 0;
        return code > 0 && code <= countryCode;
      }),
  );
}

async function parseNumbers(text: string): Promise<PhoneGuesses> {
  if (!hasCountryCode(text)) return guessPhones(text);
  // A stored number is already E.164; parsing it again may change it.
  const isStored = /^\+\d+$/.test(text);
  const phone = await parsePhone(text, 'US'); // any region: the text has its country code
  return {
    numbers: [...(isStored ? [text] : []), ...(phone ? [phone.number] : [])],
    nationals: phone ? [phone.national] : [],
  };
}

// The functions below compare only digits, because an import compares very many numbers.

/**
 * Returns the possible digits of a number. In most countries, the zero of `+44 (0)20` is dialed only within the
 * country.
 */
function readDigits(text: string): string[] {
  const number = readNumber(text);
  return [number.replace('(0)', ''), number].map(keepDigits);
}

const readNationals = (text: string) => readDigits(text).map(stripZeros);

/** The number of last digits that all spellings of a number share. */
const tailLength = 6;

/** Returns the last digits that all spellings of a number share; undefined if there may be another spelling. */
export function readTail(number: string): string | undefined {
  const nationals = readNationals(number);
  const [tail = '', ...others] = new Set(nationals.map((digits) => digits.slice(-tailLength)));
  const isCertain = others.length === 0 && tail.length === tailLength;
  return isCertain && isNumber(number) ? tail : undefined;
}

/** Whether two spellings may be the same number. One spelling may lack the country code. */
export function mayBeSameNumber(left: string, right: string): boolean {
  return readNationals(left).some((digits) =>
    readNationals(right).some((others) => digits.endsWith(others) || others.endsWith(digits)),
  );
}

/** Whether a stored number (E.164) equals a number in a common format. */
export function isSameNumber(storedNumber: string, text: string): boolean {
  const isWhole = hasCountryCode(text);
  return readDigits(storedNumber).some((storedDigits) =>
    readDigits(text).some((digits) =>
      isWhole ? storedDigits === digits : isDialableAs(storedDigits, digits),
    ),
  );
}

/** Whether the digits dial a number, within its country or from abroad with `00`, `011` or `0011`. */
function isDialableAs(stored: string, digits: string): boolean {
  const national = stripZeros(digits);
  const isNational = national.length > tailLength && stored.endsWith(national);
  return isNational || stored === digits.replace(/^0+11/, '');
}
