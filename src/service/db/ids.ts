/** The ids of a resource: row numbers as opaque texts. */
export type Ids = ReturnType<typeof createIds>;

const minLength = 6;

/** The letters and digits of ids. Hashids reserves `cfhistuab` as separators, which an id of one number never has. */
const alphabet = 'degjklmnopqrvwxyz0123456789';

/** The number of letters that only fill up short ids. */
const guardCount = 3;

/** Shuffles letters by a salt, as hashids does. */
function shuffle(letters: string, salt: string): string {
  const shuffled = [...letters];
  let sum = 0;
  for (let last = letters.length - 1, index = 0; last > 0; last -= 1, index = (index + 1) % salt.length) {
    const code = salt.charCodeAt(index);
    sum += code;
    const other = (code + index + sum) % last;
    [shuffled[last], shuffled[other]] = [shuffled[other] ?? '', shuffled[last] ?? ''];
  }
  return shuffled.join('');
}

/** Creates the encoder and decoder of hashids (https://hashids.org) for one number, which shuffle letters only once. */
function createCodec(salt: string) {
  const shuffled = shuffle(alphabet, salt);
  const guards = shuffled.slice(0, guardCount);
  const letters = shuffled.slice(guardCount);
  const base = letters.length;
  /** The digits of an id by its first letter. */
  const digitsOf = new Map(
    Array.from(letters, (first) => [first, shuffle(letters, (first + salt + letters).slice(0, base))]),
  );
  const encode = (row: number): string => {
    const seed = row % 100;
    const first = letters.charAt(seed % base);
    const digits = digitsOf.get(first);
    if (digits === undefined) return ''; // a negative number
    const getGuard = (code: number) => guards.charAt((seed + code) % guardCount);
    let number = digits.charAt(row % base);
    for (let rest = Math.floor(row / base); rest > 0; rest = Math.floor(rest / base))
      number = digits.charAt(rest % base) + number;
    let id = first + number;
    if (id.length < minLength) id = getGuard(first.charCodeAt(0)) + id;
    if (id.length < minLength) id += getGuard(number.charCodeAt(0));
    if (id.length >= minLength) return id;
    const padding = shuffle(digits, digits);
    const start = Math.floor((base + id.length - minLength) / 2);
    return (padding.slice(base / 2) + id + padding.slice(0, base / 2)).slice(start, start + minLength);
  };
  const guardPattern = new RegExp(`[${guards}]`);
  const decode = (id: string): number | undefined => {
    const parts = id.split(guardPattern);
    const [first = '', ...number] = (parts.length === 2 || parts.length === 3 ? parts[1] : parts[0]) ?? '';
    const digits = digitsOf.get(first) ?? '';
    const row = number.reduce((sum, digit) => sum * base + digits.indexOf(digit), 0);
    return Number.isSafeInteger(row) && encode(row) === id ? row : undefined;
  };
  return { encode, decode };
}

/** Creates ids of at least six lower-case letters and digits. No two differ only in case. */
function createIds(resource: string) {
  // Created on first use, because a command needs those of one or two resources.
  let codec: ReturnType<typeof createCodec> | undefined;
  const load = () => {
    codec ??= createCodec(resource);
    return codec;
  };
  return {
    encode: (row: number): string => load().encode(row),
    /** Returns undefined for a text that is not an id of this resource. */
    decode: (id: string): number | undefined => (/^[a-z0-9]{6,20}$/.test(id) ? load().decode(id) : undefined),
  };
}

/** The ids of each resource. */
export const ids = {
  contact: createIds('contact'),
  organization: createIds('organization'),
  note: createIds('note'),
  customField: createIds('custom field'),
  list: createIds('list'),
  listField: createIds('list field'),
  entry: createIds('entry'),
  calendarEvent: createIds('calendar event'),
  recording: createIds('recording'),
  apiKey: createIds('api key'),
};
