const day = 86_400_000;

/** The day that was written last: the times of a page lie close together, and Date takes many times as long. */
let last = { day: Number.NaN, text: '' };

/** Numbers with a count of digits, each made once. */
function digits(length: number): (number: number) => string {
  const made: string[] = [];
  return (number) => {
    made[number] ??= String(number).padStart(length, '0');
    return made[number];
  };
}

const two = digits(2);
const three = digits(3);

/** ISO 8601 with milliseconds in UTC, from milliseconds since 1970. */
export function formatTimestamp(milliseconds: number): string {
  const number = Math.floor(milliseconds / day);
  if (number !== last.day) last = { day: number, text: new Date(milliseconds).toISOString().slice(0, -13) };
  const rest = milliseconds - number * day;
  const hours = two(Math.floor(rest / 3_600_000));
  const minutes = two(Math.floor(rest / 60_000) % 60);
  const seconds = two(Math.floor(rest / 1000) % 60);
  return `${last.text}${hours}:${minutes}:${seconds}.${three(rest % 1000)}Z`;
}

/** The same for a time that may be missing. */
export function formatTimestampOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : formatTimestamp(milliseconds);
}
