/**
 * Row numbers as the opaque ids of the interface: six or more lower-case letters and digits, so that no two
 * ids differ only in case. Each resource has an alphabet order of its own.
 */
export interface Ids {
  encode(row: number): string;
  /** undefined: no id of this resource. */
  decode(id: string): number | undefined;
}

/** The least length of an id. */
const least = 6;

/** As hashids arranges the 36 letters and digits: some stand between numbers, some around a short id. */
const between = 'cfhistu';
const others = 'abdegjklmnopqrvwxyz0123456789';

/** The letters of `text` in the order that `salt` gives them. */
function shuffled(text: string, salt: string): string {
  const letters = [...text];
  let sum = 0;
  for (let end = letters.length - 1, step = 0; end > 0; end -= 1, step += 1) {
    const at = step % salt.length;
    const code = salt.charCodeAt(at);
    sum += code;
    const other = (code + at + sum) % end;
    [letters[end], letters[other]] = [letters[other] ?? '', letters[end] ?? ''];
  }
  return letters.join('');
}

/** How the ids that begin with one letter are written. */
interface Hand {
  readonly digits: string;
  /** What a very short id has before it and after it. */
  readonly before: string;
  readonly after: string;
}

/**
 * One number as the library hashids writes it, with what does not depend on the number made once: the library
 * shuffles the alphabet anew for each, which took a quarter of the time of a page.
 */
function hashids(salt: string): Ids {
  const moved = Math.ceil(others.length / 3.5) - between.length; // so many more stand between numbers
  const arranged = shuffled(others.slice(moved), salt);
  const around = Math.ceil(arranged.length / 12);
  const guards = arranged.slice(0, around);
  const alphabet = arranged.slice(around);
  const hands = new Map<string, Hand>();
  const handOf = (first: string): Hand => {
    const known = hands.get(first);
    if (known) return known;
    const digits = shuffled(alphabet, (first + salt + alphabet).slice(0, alphabet.length));
    const padding = shuffled(digits, digits);
    const hand = { digits, before: padding.slice(-1), after: padding.slice(0, 1) };
    hands.set(first, hand);
    return hand;
  };
  const guard = (seed: number, text: string, at: number) =>
    guards.charAt((seed + text.charCodeAt(at)) % guards.length);
  const encode = (row: number) => {
    const seed = row % 100;
    const first = alphabet.charAt(seed % alphabet.length);
    const { digits, before, after } = handOf(first);
    let text = '';
    for (let rest = row; text === '' || rest > 0; rest = Math.floor(rest / digits.length)) {
      text = digits.charAt(rest % digits.length) + text;
    }
    text = first + text;
    if (text.length < least) text = guard(seed, text, 0) + text;
    if (text.length < least) text += guard(seed, text, 2);
    if (text.length < least) text = before + text;
    if (text.length < least) text += after;
    return text;
  };
  const decode = (id: string) => {
    const parts = id.split(new RegExp(`[${guards}]`));
    const [first = '', ...letters] = parts[parts.length === 2 || parts.length === 3 ? 1 : 0] ?? '';
    const { digits } = handOf(first);
    const row = letters.reduce((sum, letter) => sum * digits.length + digits.indexOf(letter), 0);
    // Several texts can stand for one number; only the one that we give out is its id.
    return row >= 0 && row <= Number.MAX_SAFE_INTEGER && encode(row) === id ? row : undefined;
  };
  return { encode, decode };
}

function idsOf(resource: string): Ids {
  // Made on first use: a command needs one or two of them.
  let made: Ids | undefined;
  const ids = () => {
    made ??= hashids(resource);
    return made;
  };
  return {
    encode: (row) => ids().encode(row),
    decode: (id) => (/^[a-z0-9]{6,20}$/.test(id) ? ids().decode(id) : undefined),
  };
}

export const ids = {
  contact: idsOf('contact'),
  organization: idsOf('organization'),
  note: idsOf('note'),
  customField: idsOf('custom field'),
  list: idsOf('list'),
  listField: idsOf('list field'),
  entry: idsOf('entry'),
  calendarEvent: idsOf('calendar event'),
  recording: idsOf('recording'),
  apiKey: idsOf('api key'),
} as const;
