import type { CountryCode } from 'libphonenumber-js/min';

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

/** Returns the function that parses phone numbers for a region, as `parsePhone` does. */
export async function createPhoneParser(region: string): Promise<(text: string) => ParsedPhone | undefined> {
  const library = await loadLibrary();
  return (text) => readPhone(library, text, region as CountryCode); // only such regions are stored
}

function readPhone(
  { parsePhoneNumberFromString }: Awaited<ReturnType<typeof loadLibrary>>,
  text: string,
  region: CountryCode,
): ParsedPhone | undefined {
  const parsed = parsePhoneNumberFromString(text, region);
  return parsed?.isPossible() ? { number: parsed.number, national: parsed.nationalNumber } : undefined;
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
  const trimmed = text.trim();
  if (trimmed.startsWith('+')) return { numbers: [], nationals: [] };
  const read = (text: string, country?: CountryCode) => {
    const phone = parsePhoneNumberFromString(text, country);
    return phone?.isPossible() ? [phone] : [];
  };
  const numbers = [trimmed, trimmed.replace(/^00/, '')].flatMap((digits) => read(`+${digits}`));
  const nationals = getCountries().flatMap((country) => read(trimmed, country));
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

const hasCountryCode = (text: string) => text.trim().startsWith('+');

/** The digits of the longest country code, and of the shortest number that is compared without its country code. */
const [countryCode, subscriber] = [3, 7];

const keepDigits = (text: string) => text.replace(/\D/g, '');
const stripZeros = (digits: string) => digits.replace(/^0+/, '');

/** Whether two texts have the same digits, apart from a country code before one of them. */
function haveSameDigits(left: string, right: string, areWhole: boolean): boolean {
  const digits = [left, right].map((text) => stripZeros(keepDigits(text)));
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

/** An extension. The service does not store it. */
const extension = /\s*(x|ext\.?|#)\s*\d{1,6}\s*$/i;
const removeExtension = (text: string) => text.replace(extension, '');

/**
 * Returns the possible digits of a number. In most countries, the zero of `+44 (0)20` is dialed only within the
 * country.
 */
function readDigits(text: string): string[] {
  const number = removeExtension(text);
  return [number.replace('(0)', ''), number].map(keepDigits);
}

const readNationals = (text: string) => readDigits(text).map(stripZeros);

/** Describes a phone number if a text does not look like a phone number. Only the service knows whether it is valid. */
export function checkNumber(text: string): string | undefined {
  const count = keepDigits(text).length;
  const isNumber = /^[+\d\s().\-/]+((x|ext\.?|#)\s*\d+)?$/i.test(text) && count >= 4 && count <= 20;
  return isNumber ? undefined : 'a phone number';
}

/**
 * Returns a function that describes a phone number if a service would refuse a text. If the region is unknown, a number
 * without a country code may be from any region.
 */
export async function createPhoneCheck(region: string | undefined) {
  const phoneLibrary = await loadLibrary();
  const defaultRegions = [(region ?? 'US') as CountryCode]; // any region if the text has its country code
  const isValid = (text: string) => {
    const regions =
      region === undefined && !hasCountryCode(text) ? phoneLibrary.getCountries() : defaultRegions;
    return regions.some((country) => readPhone(phoneLibrary, text, country) !== undefined);
  };
  return (text: string) => checkNumber(text) ?? (isValid(text) ? undefined : 'a phone number');
}

/** The number of last digits that all spellings of a number share. */
const tailLength = 6;

/** Returns the last digits that all spellings of a number share; undefined if there may be another spelling. */
export function readTail(number: string): string | undefined {
  const nationals = readNationals(number);
  const [tail = '', ...others] = new Set(nationals.map((digits) => digits.slice(-tailLength)));
  const isCertain = others.length === 0 && tail.length === tailLength;
  return isCertain && !/[^+\d\s().\-/]/.test(removeExtension(number)) ? tail : undefined;
}

/** Whether two spellings may be the same number. One spelling may lack the country code. */
export function mayBeSameNumber(left: string, right: string): boolean {
  return readNationals(left).some((digits) =>
    readNationals(right).some((others) => digits.endsWith(others) || others.endsWith(digits)),
  );
}

/** Whether a stored number (E.164) equals a number in a common format. */
export function isSameNumber(storedNumber: string, text: string): boolean {
  const isWhole = text.trim().startsWith('+');
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
