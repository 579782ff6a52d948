import { Failure, type FieldError } from '../../contract/errors.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { formatCount } from '../../values/text.ts';

/** An error in a file of a working copy. */
export interface FileError {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Returns an error that concerns a whole file or folder. */
export const toFileError = (file: string, message: string): FileError => ({ file, line: 1, message });

/** Returns the failure that names all errors with their files and lines. `nothing`: what the command did not do. */
export function createFileFailure(errors: readonly FileError[], nothing = 'Nothing was sent'): Failure {
  const describe = ({ file, line, message }: FileError): FieldError => ({
    pointer: sanitizeLine(`${file}:${line}`),
    code: 'value',
    message: sanitizeLine(message),
  });
  const fieldErrors = errors.map(describe);
  const [only, ...others] = fieldErrors;
  if (only && others.length === 0)
    return new Failure('usage', `${only.pointer}: ${only.message} ${nothing}.`, { fieldErrors });
  const files = new Set(errors.map(({ file }) => file)).size;
  return new Failure(
    'usage',
    `${nothing}: there are ${formatCount(errors.length, 'error')} in ${formatCount(files, 'file')}.`,
    { fieldErrors },
  );
}
