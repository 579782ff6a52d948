import * as v from 'valibot';
import { errorText } from '../../contract/errors.ts';
import { Summary, Turn } from '../../contract/recordings.ts';
import type { TextFile } from '../../contract/workspace.ts';
import { faultOf, placeOf } from '../validate.ts';
import { fileFailure, normalizeText } from './text-file.ts';

/** A transcript with its summary, where the file has one. */
export interface ParsedTranscript {
  readonly transcript: Turn[];
  readonly summary: Summary | null;
}

const Words = v.pipe(v.array(Turn), v.minLength(1));
const Recorded = v.object({ transcript: Words, summary: v.nullish(Summary, null) });

/**
 * The transcript of a JSON file: the array of the interface (specification, 2.9), or an object with it as
 * `transcript` and perhaps with a `summary`, as `kith recordings get --json` prints it. Throws `usage` with the
 * place of the first fault.
 */
export function parseJsonTranscript(file: TextFile): ParsedTranscript {
  const value = parseJson(file);
  const spoken = Array.isArray(value)
    ? { transcript: validate(file, Words, value), summary: null }
    : validate(file, Recorded, value);
  if (spoken.transcript.every(({ words }) => words.length === 0))
    throw fileFailure(file, 'Nobody says anything in it.');
  return spoken;
}

/** The summary of a JSON file: the object of the interface (specification, 2.9). Throws `usage` likewise. */
export function parseJsonSummary(file: TextFile): Summary {
  return validate(file, Summary, parseJson(file));
}

function validate<S extends v.GenericSchema>(file: TextFile, schema: S, value: unknown): v.InferOutput<S> {
  const { issues, output, success } = v.safeParse(schema, value);
  if (success) return output;
  const [first] = issues;
  const place = placeOf(first);
  const { message } = faultOf(first, place);
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  throw fileFailure(file, `${place.length === 0 ? `It${message}` : message}${more}`);
}

function parseJson(file: TextFile): unknown {
  const text = normalizeText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = errorText(error);
    const [, position] = /at position (\d+)/.exec(reason) ?? [];
    const line = position && text.slice(0, Number(position)).split('\n').length;
    throw fileFailure(file, `It is no JSON: ${reason}.`, line || undefined, error);
  }
}
