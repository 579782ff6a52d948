import type { CountryCode } from 'libphonenumber-js/min';

/** A phone number as it is stored: E.164, and the same without its country code. */
export interface StoredNumber {
  readonly number: string;
  readonly national: string;
}

const library = () => import('libphonenumber-js/min');

/** Whether a text is a country code of ISO 3166 that phone numbers are known for. */
export async function isRegion(text: string): Promise<boolean> {
  const { isSupportedCountry } = await library();
  return isSupportedCountry(text);
}

/** The number that a text means in a region (ISO 3166, two letters); undefined: no phone number. */
export async function storedNumber(text: string, region: string): Promise<StoredNumber | undefined> {
  const { parsePhoneNumberFromString } = await library();
  const parsed = parsePhoneNumberFromString(text, region as CountryCode); // only such regions are stored
  if (!parsed?.isPossible()) return undefined;
  return { number: parsed.number, national: parsed.nationalNumber };
}

/** What a look-up tries when the number is not found in the workspace's own region. */
export interface OtherReadings {
  /** E.164: the text with a country code that lacks its plus sign. */
  readonly numbers: string[];
  /** Without country code, by the rules of any country. */
  readonly nationals: string[];
}

/** The other numbers that a text without a country code may mean; nothing for one that has it. */
export async function otherReadings(text: string): Promise<OtherReadings> {
  const { getCountries, parsePhoneNumberFromString } = await library();
  const trimmed = text.trim();
  if (trimmed.startsWith('+')) return { numbers: [], nationals: [] };
  const numbers = [trimmed, trimmed.replace(/^00/, '')].map((digits) =>
    parsePhoneNumberFromString(`+${digits}`),
  );
  const nationals = getCountries().map((country) => parsePhoneNumberFromString(trimmed, country));
  return {
    numbers: [...new Set<string>(numbers.flatMap((found) => (found?.isPossible() ? [found.number] : [])))],
    nationals: [
      ...new Set<string>(nationals.flatMap((found) => (found?.isPossible() ? [found.nationalNumber] : []))),
    ],
  };
}
