import fc from 'fast-check';
import { getCountries } from 'libphonenumber-js/min';
import { expect, test } from 'vitest';
import {
  createPhoneParser,
  isPhoneMatch,
  isSameNumber,
  parsePhone,
  readTail,
} from '../../src/values/phone.ts';
import { countRuns } from '../support/rounds.ts';

test.each([
  // Both have a country code: the whole number counts.
  ['+821055501234', '+82 10-5550-1234', true],
  ['+821055501234', '+82 010-5550-1234', true],
  ['+442079460958', '+44 (0)20 7946 0958', true],
  ['+821055501234', '+81 10-5550-1234', false],
  ['+821055501234', '+82 10-5550-1235', false],
  // One country has no calling code.
  ['+821055501234', '010-5550-1234', true],
  ['+821055501234', '82 10 5550 1234', true],
  ['010-5550-1234', '+82 10-5550-1234', true],
  ['+14155550100', '(415) 555-0100 x12', true],
  ['+442079460958', '011 44 20 7946 0958', true],
  ['+14155550100', '٤١٥٥٥٥٠١٠٠', true],
  // Australia's numbers may begin with the zero that is dialled before others.
  ['+610010000', '00100---00', true],
  ['+5491123456789', '011 15-2345-6789', true],
  ['+821055501234', '5550-1234', false],
  ['+14155550100', '415-555-0101', false],
  // Neither number has a country code.
  ['(415) 555-0100', '1-415-555-0100', true],
  ['415-555-0100', '415-555-0101', false],
  // Too short for any country: only the same digits match.
  ['12-34', '1234', true],
  ['+821055501234', '1234', false],
  ['', '', false],
  ['no record', '010-5550-1234', false],
])('a lookup of "%s" matches "%s": %s', async (stored, written, isMatch) => {
  expect(await isPhoneMatch(stored, written)).toBe(isMatch);
});

test('matches a number in each written form, in any country', async () => {
  const formats = fc.tuple(
    fc.constantFrom('', '+', '0', '00', '011 ', '1-', '(0)'),
    fc.stringMatching(/^[1-9][0-9 -]{5,12}[0-9]$/),
    fc.constantFrom('', ' x12', ' ext. 5'),
  );
  await fc.assert(
    fc.asyncProperty(formats, fc.constantFrom(...getCountries()), async (parts, country) => {
      const text = parts.join('');
      const stored = await parsePhone(text, country);
      if (stored)
        expect({ text, country, isMatch: await isPhoneMatch(stored.number, text) }).toEqual({
          text,
          country,
          isMatch: true,
        });
    }),
    { numRuns: countRuns(150) },
  );
});

test.each([
  ['US', '(415) 555-2671', true],
  ['US', '555-0100', false],
  ['US', '02-123-4567', false],
  ['KR', '02-123-4567', true],
  ['KR', '+1 415 555 2671', true],
  [undefined, '02-123-4567', true],
  [undefined, '+1 415 555 2671', true],
  [undefined, '+1 555', false],
  [undefined, '12345678901234567890', false],
  [undefined, 'call me', false],
])('in the region %s, %s as a phone number: %s', async (region, text, isValid) => {
  const parse = await createPhoneParser(region);
  expect(parse(text) !== undefined).toBe(isValid);
  if (region !== undefined) expect((await parsePhone(text, region)) !== undefined).toBe(isValid);
});

test.each([
  ['+1 (415) 555\u20112671', '+14155552671'],
  ['+1\u00a0415\u2007555\u202f2671', '+14155552671'],
  ['\u202a+1 415 555 2671\u202c', '+14155552671'],
  ['＋１ ４１５ ５５５ ２６７１', '+14155552671'],
  ['+१ ४१५ ५५५ २६७१', '+14155552671'],
  ['٤١٥٥٥٥٢٦٧١', '+14155552671'],
  ['415•555•2671', '+14155552671'],
  ['tel:+1-415-555-2671;ext=12', '+14155552671'],
  ['Tel.: +1 415 555 2671', '+14155552671'],
  ['p:+14155552671', '+14155552671'],
  ['电话：+14155552671', '+14155552671'],
  ['+1 415 555 2671 (mobile)', '+14155552671'],
  ['(415) 555-2671 x12 (work)', '+14155552671'],
  ['415-555-2671 extension 12', '+14155552671'],
  ['00 44 (0)20 7946 0958', '+442079460958'],
  ['011 44 20 7946 0958', '+442079460958'],
  ['0011 44 20 7946 0958', '+442079460958'],
  ['(+44) 20 7946 0958', '+442079460958'],
  ['442079460958', '+442079460958'],
  ['442079460958.0', '+442079460958'],
  ['14155552671.00', '+14155552671'],
  ['="(415) 555-2671"', '+14155552671'],
  ["'+442079460958", '+442079460958'],
])('reads %s in the US as %s, and finds it again', async (text, number) => {
  expect((await parsePhone(text, 'US'))?.number).toBe(number);
  expect(isSameNumber(number, text)).toBe(true);
  expect(await isPhoneMatch(number, text)).toBe(true);
  expect([number.slice(-6), undefined]).toContain(readTail(text));
});

test.each([
  '4.4207946e+11',
  '44 2079 460958', // with blanks, no spreadsheet has dropped the plus sign
  '+1 415 555 2671 or +1 415 555 2672',
  '+1 415 555 2671\n+1 415 555 2672',
  '+1 415 555 2671; +1 415 555 2672',
  'call +1 415 555 2671',
  '030/901820 / 030/901821',
])('reads no number in %j', async (text) => {
  expect(await parsePhone(text, 'US')).toBeUndefined();
});

test('takes no number of another country for one of the region', async () => {
  expect(await parsePhone('030 1234567', 'US')).toBeUndefined();
  expect(await parsePhone('030 1234567', 'DE')).toEqual({ number: '+49301234567', national: '301234567' });
});
