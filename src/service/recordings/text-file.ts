import { Failure } from '../../contract/errors.ts';
import type { TextFile } from '../../contract/workspace.ts';

/** A text without its byte order mark, line ends as line feeds. */
export function normalizeText({ text }: TextFile): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

/** The complaint about a file, with the line (from 1) where it is known. */
export function fileFailure({ name }: TextFile, what: string, line?: number, cause?: unknown): Failure {
  const place = line === undefined ? name : `${name}, line ${line}`;
  return new Failure('usage', `${place}: ${what}`, { cause });
}

/** As much of a text as a complaint can hold. */
export function truncate(text: string): string {
  const line = text.trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
