import * as v from 'valibot';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import { Summary, Utterance } from '../../contract/recordings.ts';
import type { RecordingFiles, TextFile } from '../../contract/workspace.ts';
import { describeIssue, readIssuePath } from '../validate.ts';
import type { RecordingContent } from './store-recordings.ts';
import { parseSubRip, parseWebVtt } from './subtitle-files.ts';
import { fileFailure, normalizeText } from './text-file.ts';

/** What files say of a recording. Throws `usage` for a file that cannot be read. */
export function readRecording({ transcript, summary, language }: RecordingFiles): RecordingContent {
  checkLanguage(language);
  const code = language ?? 'und';
  const spoken =
    transcript.format === 'json'
      ? parseJsonTranscript(transcript)
      : {
          transcript: (transcript.format === 'vtt' ? parseWebVtt : parseSubRip)(transcript, code),
          summary: null,
        };
  const said = spoken.transcript[0]?.language_code ?? code;
  if (!summary) return { ...spoken, language: said };
  return {
    ...spoken,
    summary: summary.format === 'json' ? parseJsonSummary(summary) : parseSummary(summary, said),
    language: said,
  };
}

function checkLanguage(language: string | undefined): void {
  try {
    Intl.getCanonicalLocales(language);
  } catch {
    throw new Failure('usage', `"${language}" is not a language code.`, { hint: 'Such as en, ko or pt-BR.' });
  }
}

/** A transcript with its summary, where the file has one. */
export interface ParsedTranscript {
  readonly transcript: Utterance[];
  readonly summary: Summary | null;
}

const Words = v.pipe(v.array(Utterance), v.minLength(1));
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
  const place = readIssuePath(first);
  const { message } = describeIssue(first, place);
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  throw fileFailure(file, `${place.length === 0 ? `It${message}` : message}${more}`);
}

function parseJson(file: TextFile): unknown {
  const text = normalizeText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = getErrorMessage(error);
    const [, position] = /at position (\d+)/.exec(reason) ?? [];
    const line = position && text.slice(0, Number(position)).split('\n').length;
    throw fileFailure(file, `It is no JSON: ${reason}.`, line || undefined, error);
  }
}

interface Section {
  /** Without its marks; '' before the first heading. */
  readonly heading: string;
  readonly body: string;
}

/**
 * A summary from Markdown or plain text. Topics and action items are read back from the form in which
 * `kith recordings summary` prints them; everything else is the text of the summary, as it is.
 */
export function parseSummary(file: TextFile, language: string): Summary {
  const texts: string[] = [];
  let topics: Summary['topics'] = [];
  let items: string[] = [];
  for (const section of splitSections(normalizeText(file), 2)) {
    const heading = section.heading.toLowerCase();
    const foundTopics = heading === 'topics' && topics.length === 0 ? parseTopics(section.body) : [];
    const foundItems = heading === 'action items' && items.length === 0 ? parseActionItems(section.body) : [];
    if (foundTopics.length > 0) topics = foundTopics;
    else if (foundItems.length > 0) items = foundItems;
    else if (section.heading === '' || (heading === 'summary' && texts.length === 0))
      texts.push(section.body);
    else texts.push(`## ${section.heading}\n\n${section.body}`.trim());
  }
  return {
    summary: texts.filter(Boolean).join('\n\n'),
    topics,
    action_items: items,
    detected_language: language,
  };
}

/** A text by its headings of one level; what stands before the first has none. */
function splitSections(text: string, level: 2 | 3): Section[] {
  const [before = '', ...rest] = text.split(new RegExp(`^${'#'.repeat(level)}[ \\t]+(.*)$`, 'm'));
  const sections = before.trim() === '' ? [] : [{ heading: '', body: before.trim() }];
  for (let index = 0; index < rest.length; index += 2) {
    sections.push({ heading: (rest[index] ?? '').trim(), body: (rest[index + 1] ?? '').trim() });
  }
  return sections;
}

/** The topics under their headings; none where anything stands outside of them. */
function parseTopics(body: string): Summary['topics'] {
  const sections = splitSections(body, 3);
  if (sections.some(({ heading }) => heading === '')) return [];
  return sections.map(({ heading, body }) => ({ title: heading, content: body }));
}

/** The items of a list; none where a line is not one. */
function parseActionItems(body: string): string[] {
  const items = body
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => /^[-*] +(?:\[[ xX]\] +)?(.*\S)\s*$/.exec(line)?.[1]);
  return items.every((item) => item !== undefined) ? items : [];
}
