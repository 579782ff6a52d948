import { appendFileSync, closeSync, constants, fstatSync, openSync } from 'node:fs';
import { accessFile } from '../../files/disk-errors.ts';
import { privatePermissions } from '../../files/permissions.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { truncate } from '../../render/text/width.ts';

/** The maximum number of bytes that one run adds. */
const maxRunSize = 4 * 1024 * 1024;

/** The maximum number of characters of the errors that are searched for the last one. */
const maxErrorSize = 16 * 1024;

/** The maximum width of an error in terminal columns. */
const maxErrorWidth = 300;

const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** The log of a schedule. The output of each run is limited. */
export class RunLog {
  readonly #path: string;
  readonly #file: number;
  #remaining = maxRunSize;

  constructor(path: string) {
    this.#path = path;
    this.#file = accessFile('write', path, () => openSync(path, flags, privatePermissions.file));
  }

  /** Adds a line about the run, at the start of a line. */
  note(time: Date, text: string): void {
    this.#append(`${this.#endsWithLine() ? '' : '\n'}${time.toISOString()} ${text}\n`);
  }

  /** Adds output of the job. Drops the rest of a very long output. */
  write(text: string): void {
    if (this.#remaining <= 0) return;
    this.#remaining -= Buffer.byteLength(text);
    this.#append(text);
    if (this.#remaining <= 0) this.#append('\nkith: the output is too long; this log is truncated here.\n');
  }

  /** Adds the job's output on stderr. */
  writeError(text: string): void {
    this.#errors = (this.#errors + text).slice(-maxErrorSize);
    this.write(text);
  }

  /**
   * Returns the last line on stderr that names an error: of kith, as text or as JSON, or of Node.js. Returns the last line
   * if there is none.
   */
  findError(): string | undefined {
    const lines = this.#errors.split('\n').filter((line) => line.trim() !== '');
    const line =
      lines.findLast((line) => /^(?:kith: | {4}"message": |\w*Error\b)/.test(line)) ?? lines.at(-1);
    const text = line
      ?.replace(/^kith: /, '')
      .replace(/^ {4}"message": "(.*)",?$/, (_, json: string) => json.replace(/\\(["\\])/g, '$1'));
    return text && truncate(sanitizeLine(text), maxErrorWidth);
  }

  close(): void {
    closeSync(this.#file);
  }

  #errors = '';
  #last = '\n';

  #endsWithLine(): boolean {
    return this.#last.endsWith('\n') || fstatSync(this.#file).size === 0;
  }

  #append(text: string): void {
    accessFile('write', this.#path, () => appendFileSync(this.#file, text));
    if (text !== '') this.#last = text;
  }
}
