import { getBuiltinModule } from 'node:process';
import { UnusableIndexError } from './index-file.ts';

/** Texts with fewer characters are stored as they are: starting deflate takes longer than indexing a contact. */
const minLength = 500;

/** Loads zlib on first use, because the short texts of contacts do not need it. */
const loadZlib = () => getBuiltinModule('node:zlib');

/** Compresses a text if it is long. */
export const compressText = (text: string): string | Uint8Array =>
  text.length < minLength ? text : loadZlib().deflateRawSync(text);

/** @throws {UnusableIndexError} if the text is damaged */
export function expandText(content: string | Uint8Array): string {
  if (typeof content === 'string') return content;
  try {
    return loadZlib().inflateRawSync(content).toString('utf8');
  } catch (error) {
    throw new UnusableIndexError('A text is damaged.', { cause: error });
  }
}
