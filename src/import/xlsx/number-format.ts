import { formatIsoTime, type WallTime } from '../../values/dates.ts';

/** The format of a number cell; undefined if it does not affect the text. */
export type NumberFormat =
  /** A serial date, by its visible parts. */
  | 'date'
  | 'time'
  | 'both'
  /** A code with fixed digits, such as a postal code or a phone number. */
  | readonly Section[]
  | undefined;

/** A section of a format, for numbers that meet its condition. */
interface Section {
  readonly operator: string;
  readonly limit: number;
  /** Each token is `0`, `#`, a character, a quoted text, or an escaped character. */
  readonly tokens: readonly string[];
}

/** The calendar of a workbook's dates. */
export interface Calendar {
  /** Whether days are counted from 1904, as on old Macs, instead of 1900. */
  readonly from1904: boolean;
  /** Returns the offset of the time zone, in seconds east of UTC. */
  readonly offsetAt: (time: WallTime) => number;
}

/** Parses the format with a number, and with a code unless it is built in. */
export function parseNumberFormat(id: number, code: string | undefined): NumberFormat {
  return code === undefined ? findBuiltInFormat(id) : (parseDateFormat(code) ?? parseSections(code));
}

/** Date formats that have a number instead of a code (ECMA-376, 18.8.30), the East Asian ones included. */
function findBuiltInFormat(id: number): NumberFormat {
  if (id === 22) return 'both';
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47)) return 'time';
  const isDate = (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return isDate ? 'date' : undefined;
}

function parseDateFormat(code: string): NumberFormat {
  const unquoted = code.replace(/"[^"]*"|\\.|[_*]./g, '');
  const [letters = ''] = unquoted.replace(/\[[^\]]*\]/g, '').split(';', 1);
  if (/general/i.test(letters)) return undefined;
  const hasTime = /\[(h+|m+|s+)\]/i.test(code) || /[hs]/i.test(letters);
  const hasDate = /[yde]/i.test(letters.replace(/[0#?.]e[+-]/gi, '')) || (/m/i.test(letters) && !hasTime);
  if (hasDate) return hasTime ? 'both' : 'date';
  return hasTime ? 'time' : undefined;
}

const isPlace = (token: string) => token === '0' || token === '#';

/** The locale and the color of a section, the width of a character, and a character that fills the cell. */
const decoration =
  /("[^"]*"|\\.)|\[\$-[^\]]*\]|\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)\]|[_*]./gi;

/** Parses a code that has only digits and literal text; undefined for any other code. */
function parseSections(code: string): NumberFormat {
  const sections: Section[] = [];
  for (const section of code.replace(decoration, '$1').match(/(?:"[^"]*"|\\.|[^;])+/g) ?? []) {
    // A section for texts.
    if (sections.length > 0 && section.includes('@')) continue;
    const [, operator = '<=>', limit, body = ''] =
      /^(?:\[([<>=]+)(\d+)\])?((?:"[^"]*"|\\.|[-+() /:0#])*)$/s.exec(section) ?? [];
    const tokens = body.match(/"[^"]*"|\\.|./gs) ?? [];
    if (!tokens.some(isPlace)) return undefined;
    sections.push({ operator, limit: Number(limit ?? 0), tokens });
  }
  return sections.some(({ tokens }) => tokens.length > 1) ? sections : undefined;
}

/** Returns the text of a number cell, formatted if its digits matter; undefined if it is not a number. */
export function formatNumber(text: string, format: NumberFormat, calendar: Calendar): string | undefined {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return undefined;
  if (typeof format === 'string' && value >= 0 && value < 2_958_466) {
    return formatSerialDate(value, format, calendar);
  }
  // A spreadsheet shows 15 digits; further digits come from binary arithmetic.
  const plain = String(Number(value.toPrecision(15)));
  return typeof format === 'object' && /^\d+$/.test(plain) ? formatDigits(plain, format) : plain;
}

function formatDigits(digits: string, sections: readonly Section[]): string {
  const meetsCondition = ({ operator, limit }: Section) =>
    operator.includes('<=>'.charAt(Math.sign(Number(digits) - limit) + 1));
  const { tokens } = sections.find(meetsCondition) ?? sections.at(-1) ?? { tokens: [] };
  const firstPlace = tokens.findIndex(isPlace);
  let remainingDigits = digits;
  return tokens.reduceRight((text, token, index) => {
    if (!isPlace(token)) return (token.startsWith('\\') ? token.slice(1) : token.replaceAll('"', '')) + text;
    // Extra digits belong to the first place.
    const digit = index === firstPlace ? remainingDigits : remainingDigits.slice(-1);
    remainingDigits = remainingDigits.slice(0, -1);
    return (digit || token.replace('#', '')) + text;
  }, '');
}

const day = 86_400;

/** Formats a serial date as a day (`2026-05-01`), a point in time (ISO 8601 with offset) or a time (`09:30`). */
function formatSerialDate(serial: number, parts: 'date' | 'time' | 'both', calendar: Calendar): string {
  const seconds = Math.round(serial * day);
  if (parts === 'time') {
    const hours = String(Math.floor(seconds / 3600)).padStart(2, '0');
    return hours + new Date(seconds * 1000).toISOString().slice(13, 19).replace(/:00$/, '');
  }
  // Excel's calendar has a 29th of February 1900.
  const leap = !calendar.from1904 && seconds < 60 * day ? day : 0;
  const start = calendar.from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const wall = new Date(start + (seconds + leap) * 1000);
  return parts === 'date' ? wall.toISOString().slice(0, 10) : formatWallTime(wall, calendar);
}

/** Formats an ISO 8601 date of a cell as a day if it has no time, or else as a point in time with an offset. */
export function formatIsoDate(text: string, calendar: Calendar): string {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)(?:\.\d+)?Z?$/.exec(text) ?? [];
  if (date === undefined || time === undefined) return text;
  if (/^00:00(:00)?$/.test(time)) return date;
  const wall = new Date(`${date}T${time}Z`);
  return Number.isNaN(wall.getTime()) ? text : formatWallTime(wall, calendar);
}

/** Formats a local time, which is in the UTC fields of the date. */
function formatWallTime(wall: Date, { offsetAt }: Calendar): string {
  const parts = wall
    .toISOString()
    .split(/[-T:.]/)
    .map(Number);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
  const offset = offsetAt({ year, month, day, hour, minute, second });
  return formatIsoTime(wall.getTime() - offset * 1000, offset).replace('.000', '');
}
