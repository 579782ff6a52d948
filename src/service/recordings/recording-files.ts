import * as v from 'valibot';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import { Summary, Utterance } from '../../contract/recordings.ts';
import { describeIssue, readIssuePath } from '../../contract/validate.ts';
import type { RecordingFiles, TextFile } from '../../contract/workspace.ts';
import { parseSubRip, parseWebVtt, type Subtitles } from './subtitle-files.ts';
import { createFileFailure, normalizeText } from './text-file.ts';

/** The transcript of a file, and its summary, if any. */
export interface TranscriptFile {
  readonly transcript: readonly Utterance[];
  readonly summary: Summary | null;
}

/** The content of a recording's files. If `summary` is null, the stored summary is kept. */
export type RecordingContent = ReturnType<typeof readRecording>;

/** Parses the files of a recording. @throws {Failure} `usage` if a file cannot be read. */
export function readRecording({ transcript: file, summary, language }: RecordingFiles) {
  checkLanguage(language);
  const content = parseTranscript(file, language ?? 'und');
  const spokenLanguage = content.transcript[0]?.language_code ?? language ?? 'und';
  if (!summary) return { ...content, language: spokenLanguage };
  const isJson = summary.format === 'json';
  const parsedSummary = isJson
    ? validate(summary, Summary, parseJson(summary))
    : parseSummary(summary, spokenLanguage);
  return { ...content, summary: parsedSummary, language: spokenLanguage };
}

function checkLanguage(language: string | undefined): void {
  try {
    Intl.getCanonicalLocales(language);
  } catch {
    const hint = 'Use a code such as en, ko or pt-BR.';
    throw new Failure('usage', `"${language}" is not a language code.`, { hint });
  }
}

function parseTranscript(
  file: RecordingFiles['transcript'],
  language: string,
): TranscriptFile & Omit<Subtitles, 'transcript'> {
  if (file.format === 'json') return { ...parseJsonTranscript(file), problems: [], notes: [] };
  const parse = file.format === 'vtt' ? parseWebVtt : parseSubRip;
  return { ...parse(file, language), summary: null };
}

const Transcript = v.pipe(v.array(Utterance), v.minLength(1));
const TranscriptWithSummary = v.object({ transcript: Transcript, summary: v.nullish(Summary, null) });

/**
 * Parses the transcript array of the API (specification, 2.9), or an object with `transcript` and optionally
 * `summary`, as printed by `kith recordings get --json`.
 */
function parseJsonTranscript(file: TextFile): TranscriptFile {
  const value = parseJson(file);
  const content = Array.isArray(value)
    ? { transcript: validate(file, Transcript, value), summary: null }
    : validate(file, TranscriptWithSummary, value);
  if (content.transcript.every(({ words }) => words.length === 0))
    throw createFileFailure(file, 'The transcript has no words.');
  return content;
}

/** @throws {Failure} `usage` with the path of the first error. */
function validate<S extends v.GenericSchema>(file: TextFile, schema: S, value: unknown): v.InferOutput<S> {
  const { issues, output, success } = v.safeParse(schema, value);
  if (success) return output;
  const [first] = issues;
  const path = readIssuePath(first);
  const message = describeIssue(first, path).message();
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  throw createFileFailure(file, `${path.length === 0 ? `The JSON value${message}` : message}${more}`);
}

function parseJson(file: TextFile): unknown {
  const text = normalizeText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = getErrorMessage(error);
    const [, position] = /at position (\d+)/.exec(reason) ?? [];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    throw createFileFailure(file, `Invalid JSON: ${reason}.`, line, error);
  }
}

/**
 * Parses a summary in Markdown or plain text. Topics and action items are recognized in the form that
 * `kith meetings summary` prints; everything else is the text of the summary.
 */
export function parseSummary(file: TextFile, language: string): Summary {
  const texts: string[] = [];
  let topics: Summary['topics'] = [];
  let items: string[] = [];
  for (const { heading, body } of splitSections(normalizeText(file), 2)) {
    const name = heading.toLowerCase();
    const newTopics = name === 'topics' && topics.length === 0 ? parseTopics(body) : [];
    const newItems = name === 'action items' && items.length === 0 ? parseActionItems(body) : [];
    const isPlain = heading === '' || (name === 'summary' && texts.length === 0);
    if (newTopics.length > 0) topics = newTopics;
    else if (newItems.length > 0) items = newItems;
    else texts.push(isPlain ? body : `## ${heading}\n\n${body}`.trim());
  }
  const summary = texts.filter(Boolean).join('\n\n');
  return { summary, topics, action_items: items, detected_language: language };
}

/** Splits a text at its headings of a level. The text before the first heading has the heading ''. */
function splitSections(text: string, level: 2 | 3) {
  const [before = '', ...parts] = text.split(new RegExp(`^${'#'.repeat(level)}[ \\t]+(.*)$`, 'm'));
  const sections = before.trim() === '' ? [] : [{ heading: '', body: before.trim() }];
  for (let index = 0; index < parts.length; index += 2) {
    sections.push({ heading: (parts[index] ?? '').trim(), body: (parts[index + 1] ?? '').trim() });
  }
  return sections;
}

/** Returns no topics if there is text before the first heading. */
function parseTopics(body: string): Summary['topics'] {
  const sections = splitSections(body, 3);
  if (sections.some(({ heading }) => heading === '')) return [];
  return sections.map(({ heading, body }) => ({ title: heading, content: body }));
}

/** Returns no items if a line is not a list item. */
function parseActionItems(body: string): string[] {
  const lines = body.split('\n').filter((line) => line.trim() !== '');
  const items = lines.map((line) => /^[-*] +(?:\[[ xX]\] +)?(.*\S)\s*$/.exec(line)?.[1]);
  return items.every((item) => item !== undefined) ? items : [];
}
