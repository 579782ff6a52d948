import { Failure } from '../contract/errors.ts';

/** Bytes at the most of a text that is held whole: a pipe or a device may never end. */
const most = 256 * 1024 * 1024;

/**
 * The text of bytes as they come. Throws the `usage` failure that `refused` makes of what is wrong with them: no UTF-8,
 * or too many.
 */
export async function readAllText(
  bytes: AsyncIterable<Uint8Array>,
  refused: (what: string) => string,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) throw new Failure('usage', refused(`larger than ${most / 1024 / 1024} MB`));
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new Failure('usage', refused('not UTF-8'), { cause: error });
  }
}
