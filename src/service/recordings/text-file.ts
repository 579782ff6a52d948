import { Failure } from '../../contract/errors.ts';
import type { TextFile } from '../../contract/workspace.ts';
import { normalizeLineEnds } from '../../values/text.ts';

/** Returns a text without its byte order mark and with line feeds as line endings. */
export function normalizeText({ text }: TextFile): string {
  return normalizeLineEnds(text.replace(/^\uFEFF/, ''));
}

/** Returns the failure of a file that cannot be read. `line` counts from 1. */
export function createFileFailure({ name }: TextFile, message: string, line?: number, cause?: unknown) {
  const place = line === undefined ? name : `${name}, line ${line}`;
  return new Failure('usage', `${place}: ${message}`, { cause });
}

/** Shortens a text for a message. */
export function truncate(text: string): string {
  const line = text.trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
