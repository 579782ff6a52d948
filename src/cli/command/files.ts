import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import { createReadFailure } from '../../files/disk-errors.ts';
import type { Session } from './context.ts';

/** Reads a text file, by default in UTF-8. @throws {Failure} usage if it cannot be read or decoded, or is too large */
export async function readTextFile(file: string, decode?: (bytes: Buffer) => string): Promise<string> {
  const { readAllText } = await import('../../files/read-file.ts');
  const formatProblem = (problem: string) => `Cannot read ${file}: it is ${problem}.`;
  try {
    return await readAllText(createReadStream(file), formatProblem, decode);
  } catch (error) {
    throw error instanceof Failure ? error : createReadFailure(file, error);
  }
}

/** Reads the text of an argument: the text itself, `@FILE`, or `-` for stdin. */
export async function readTextArgument({ streams: { stdin } }: Session, argument: string): Promise<string> {
  if (argument === '-') return stdin.text();
  return argument.startsWith('@') ? readTextFile(argument.slice(1)) : argument;
}

/** Finds the format of a file by its extension, such as `.vtt`. @throws {Failure} usage if it is unknown */
export function findFormat<F>(file: string, formats: Readonly<Record<string, F>>): F {
  const extension = extname(file).toLowerCase();
  const format = Object.hasOwn(formats, extension) ? formats[extension] : undefined;
  if (format === undefined) {
    throw new Failure('usage', `Unsupported file type: ${file}. Use ${Object.keys(formats).join(' or ')}.`);
  }
  return format;
}
