import { formatIsoTime } from '../../values/dates.ts';

/** The format of a number cell, as far as its text depends on it. */
export type NumberFormat =
  /** A serial date; `parts` are the visible ones. */
  | { readonly kind: 'date'; readonly parts: 'date' | 'time' | 'both' }
  /** A code with fixed digits, such as a postal code or a phone number. */
  | { readonly kind: 'digits'; readonly sections: readonly Section[] }
  | { readonly kind: 'plain' };

/** A section of a format, for numbers that meet its condition. */
interface Section {
  readonly condition?: readonly [operator: string, limit: number];
  /** `0`, `#`, or literal text. */
  readonly tokens: readonly { readonly digit: boolean; readonly text: string }[];
}

/** The calendar of a workbook, which its dates depend on. */
export interface Calendar {
  /** Whether days are counted from 1904, as on old Macs, instead of 1900. */
  readonly from1904: boolean;
  /** The offset of the time zone, in seconds east of UTC, at a time on its clocks. */
  readonly offsetAt: (time: Date) => number;
}

/** Date formats that have a number instead of a code (ECMA-376, 18.8.30), the East Asian ones included. */
function builtInParts(id: number): 'date' | 'time' | 'both' | undefined {
  if (id === 22) return 'both';
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47)) return 'time';
  const isDate = (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return isDate ? 'date' : undefined;
}

/** Parses the format with a number, and with a code unless it is built in. */
export function parseNumberFormat(id: number, code: string | undefined): NumberFormat {
  const parts = code === undefined ? builtInParts(id) : readDateParts(code);
  if (parts) return { kind: 'date', parts };
  const sections = code === undefined ? undefined : parseSections(code);
  return sections ? { kind: 'digits', sections } : { kind: 'plain' };
}

/** Returns the visible parts of a date format; undefined if it is not one. */
function readDateParts(code: string): 'date' | 'time' | 'both' | undefined {
  const elapsed = /\[(h+|m+|s+)\]/i.test(code);
  const letters = code
    .replace(/"[^"]*"|\\.|[_*]./g, '')
    .replace(/\[[^\]]*\]/g, '')
    .split(';', 1)[0];
  if (letters === undefined || /general/i.test(letters)) return undefined;
  const hasTime = elapsed || /[hs]/i.test(letters);
  const hasDate = /[yde]/i.test(letters.replace(/[0#?.]e[+-]/gi, '')) || (/m/i.test(letters) && !hasTime);
  if (hasDate) return hasTime ? 'both' : 'date';
  return hasTime ? 'time' : undefined;
}

/** Parses a code that has only digits and literal text; undefined for any other code. */
function parseSections(code: string): readonly Section[] | undefined {
  const sections = (code.match(/(?:"[^"]*"|\\.|[^;])+/g) ?? []).map(parseSection);
  const whole = sections.filter((section) => section !== undefined);
  const isFixed = whole.some(({ tokens }) => tokens.length > 1);
  return isFixed && whole.length === sections.length ? whole : undefined;
}

function parseSection(code: string): Section | undefined {
  const [, operator, limit = '', body = ''] = /^(?:\[([<>=]+)(\d+)\])?(.*)$/s.exec(code) ?? [];
  const tokens: { digit: boolean; text: string }[] = [];
  for (const token of body.match(/"[^"]*"|\\.|_.|./gs) ?? []) {
    if (/^[0#]$/.test(token)) tokens.push({ digit: true, text: token });
    else if (/^"/.test(token)) tokens.push({ digit: false, text: token.slice(1, -1) });
    else if (/^\\/.test(token)) tokens.push({ digit: false, text: token.slice(1) });
    else if (/^[-+() /:]$/.test(token)) tokens.push({ digit: false, text: token });
    else return undefined;
  }
  if (!tokens.some(({ digit }) => digit)) return undefined;
  return operator === undefined ? { tokens } : { condition: [operator, Number(limit)], tokens };
}

/** Returns the text of a number cell, formatted if its digits matter; undefined if it is not a number. */
export function formatNumber(written: string, format: NumberFormat, calendar: Calendar): string | undefined {
  const value = Number(written);
  if (written.trim() === '' || !Number.isFinite(value)) return undefined;
  if (format.kind === 'date' && value >= 0 && value < 2_958_466)
    return formatDate(value, format.parts, calendar);
  // A spreadsheet shows 15 digits; further digits come from binary arithmetic.
  const plain = String(Number(value.toPrecision(15)));
  const isCode = format.kind === 'digits' && /^\d+$/.test(plain);
  return isCode ? formatDigits(plain, format.sections) : plain;
}

function formatDigits(digits: string, sections: readonly Section[]): string {
  const value = Number(digits);
  const meets = ({ condition }: Section) => {
    if (!condition) return true;
    const [operator, limit] = condition;
    const comparison = value < limit ? '<' : value > limit ? '>' : '=';
    return operator.includes(comparison);
  };
  const section = sections.find(meets) ?? sections.at(-1);
  const tokens = section?.tokens ?? [];
  const places = tokens.filter(({ digit }) => digit).length;
  let rest = digits.padStart(places, ' ');
  // Extra digits belong to the first place.
  let take = rest.length - places + 1;
  return tokens
    .map(({ digit, text }) => {
      if (!digit) return text;
      const shown = rest.slice(0, take).replace(/ /g, text === '0' ? '0' : '');
      rest = rest.slice(take);
      take = 1;
      return shown;
    })
    .join('');
}

const day = 86_400;

/** A serial date: a day as `2026-05-01`, a point in time as ISO 8601 with an offset, or a time as `09:30`. */
function formatDate(serial: number, parts: 'date' | 'time' | 'both', calendar: Calendar): string {
  const seconds = Math.round(serial * day);
  if (parts === 'time') return formatTime(seconds);
  // Excel's calendar has a 29th of February 1900.
  const leap = !calendar.from1904 && seconds < 60 * day ? day : 0;
  const start = calendar.from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const wall = new Date(start + (seconds + leap) * 1000);
  if (parts === 'date') return wall.toISOString().slice(0, 10);
  const offset = calendar.offsetAt(wall);
  return formatIsoTime(wall.getTime() - offset * 1000, offset).replace('.000', '');
}

/** An ISO 8601 date of a cell in the format of `formatDate`: a day without a time, or a point in time with an offset. */
export function formatIsoDate(written: string, { offsetAt }: Calendar): string {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)(?:\.\d+)?Z?$/.exec(written) ?? [];
  if (date === undefined || time === undefined) return written;
  if (/^00:00(:00)?$/.test(time)) return date;
  const wall = new Date(`${date}T${time}Z`);
  if (Number.isNaN(wall.getTime())) return written;
  const offset = offsetAt(wall);
  return formatIsoTime(wall.getTime() - offset * 1000, offset).replace('.000', '');
}

function formatTime(seconds: number): string {
  const two = (part: number) => String(part).padStart(2, '0');
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}`;
  return seconds % 60 === 0 ? clock : `${clock}:${two(seconds % 60)}`;
}
