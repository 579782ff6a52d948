/** The maximum length of the text of a result, so that it fits into the context of an agent. */
export interface ResultLimit {
  readonly max: number;
  /** Tokens are estimated: models differ. */
  readonly unit: 'characters' | 'tokens';
}

/** Returns the length of a UTF-16 code unit. A token is about four Latin characters, or one of another script. */
const weigh = (code: number, { unit }: ResultLimit) => (unit === 'characters' || code >= 0x250 ? 1 : 0.25);

/** Returns the length of a text in the unit of a limit. */
export function measure(text: string, limit: ResultLimit): number {
  let length = 0;
  for (let index = 0; index < text.length; index += 1) length += weigh(text.charCodeAt(index), limit);
  return length;
}

/** Returns the part of a text from an offset on that is within a limit. */
export function takePart(text: string, start: number, limit: ResultLimit): string {
  let end = start;
  for (let room = limit.max; end < text.length; end += 1) {
    room -= weigh(text.charCodeAt(end), limit);
    if (room < 0) break;
  }
  return text.slice(start, end);
}
