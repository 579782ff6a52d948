import { extname } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { createReadFailure } from '../files/disk-errors.ts';
import type { Session } from './context.ts';

/** The text of a file. Throws `usage` for one that cannot be read, is too large, or is not UTF-8. */
export async function readTextFile(file: string): Promise<string> {
  const [{ createReadStream }, { readAllText }] = await Promise.all([
    import('node:fs'),
    import('../files/read-file.ts'),
  ]);
  try {
    return await readAllText(createReadStream(file), (what) => `Cannot read ${file}: it is ${what}.`);
  } catch (error) {
    throw error instanceof Failure ? error : createReadFailure(file, error);
  }
}

/** A text that is given as itself, as `@FILE`, or as `-` for stdin. */
export async function readTextArgument({ stdin }: Session, given: string): Promise<string> {
  if (given === '-') return stdin.text();
  return given.startsWith('@') ? readTextFile(given.slice(1)) : given;
}

/** What the end of a file's name stands for, such as `.vtt`. Throws `usage` where it stands for nothing. */
export function findFormat<F>(file: string, formats: Readonly<Record<string, F>>): F {
  const end = extname(file).toLowerCase();
  const format = Object.hasOwn(formats, end) ? formats[end] : undefined;
  if (format === undefined) {
    throw new Failure('usage', `${file} does not end with ${Object.keys(formats).join(' or ')}.`);
  }
  return format;
}
