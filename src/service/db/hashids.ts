/** The characters of one number: of the 36 letters and digits hashids keeps nine to stand between numbers. */
const characters = 'degjklmnopqrvwxyz0123456789';

/** So many of them stand beside the digits of a short id. */
const guardCount = 3;
const shortest = 6;

/** Row numbers of a resource as the opaque ids of the interface. */
export interface Ids {
  encode(row: number): string;
  /** undefined: no id of this resource. */
  decode(id: string): number | undefined;
}

/** What an id is written with: it depends on its first character alone. */
interface Order {
  readonly first: string;
  readonly digits: string;
  /** What a very short id has before it and after it. */
  readonly before: string;
  readonly after: string;
}

/**
 * Ids as the library hashids makes them of one number and `salt`, six lower-case letters and digits or more. It shuffles
 * its characters anew for each number, though they come in 24 orders only: here each of these is made once. Its ids
 * were a third of a page, and remembered for the first rows they made a page further on dearer.
 */
export function hashids(salt: string): Ids {
  const all = shuffled(characters, salt);
  const guards = all.slice(0, guardCount);
  const letters = all.slice(guardCount);
  const base = letters.length;
  const atGuards = new RegExp(`[${guards}]`);
  const orders: Order[] = [];
  const orderOf = (index: number) => {
    orders[index] ??= order(letters, index, salt);
    return orders[index];
  };
  const encode = (row: number) => {
    // SQLite has such rows where another program made them.
    if (row < 0) return '';
    const seed = row % 100;
    const { first, digits, before, after } = orderOf(seed % base);
    let text = '';
    let rest = row;
    do {
      text = digits.charAt(rest % base) + text;
      rest = Math.floor(rest / base);
    } while (rest > 0);
    text = first + text;
    const guard = (at: number) => guards.charAt((seed + text.charCodeAt(at)) % guardCount);
    if (text.length < shortest) text = guard(0) + text;
    if (text.length < shortest) text += guard(2);
    if (text.length < shortest) text = before + text;
    if (text.length < shortest) text += after;
    return text;
  };
  const decode = (id: string) => {
    const [whole = '', guarded = whole] = id.split(atGuards);
    const [first = '', ...rest] = guarded;
    const index = letters.indexOf(first);
    if (index < 0) return undefined;
    const { digits } = orderOf(index);
    const row = rest.reduce((sum, digit) => sum * base + digits.indexOf(digit), 0);
    // Several texts can be read as one row; only the one that we give out is its id.
    return Number.isSafeInteger(row) && encode(row) === id ? row : undefined;
  };
  return { encode, decode };
}

function order(letters: string, index: number, salt: string): Order {
  const first = letters.charAt(index);
  const digits = shuffled(letters, first + salt + letters);
  const padding = shuffled(digits, digits);
  return { first, digits, before: padding.slice(-1), after: padding.slice(0, 1) };
}

/** The characters of `text` in the order that `salt` gives them. */
function shuffled(text: string, salt: string): string {
  const shuffling = [...text];
  let sum = 0;
  for (let last = shuffling.length - 1, step = 0; last > 0; last -= 1, step += 1) {
    const at = step % salt.length;
    const code = salt.charCodeAt(at);
    sum += code;
    const other = (code + at + sum) % last;
    [shuffling[last], shuffling[other]] = [shuffling[other] ?? '', shuffling[last] ?? ''];
  }
  return shuffling.join('');
}
