import type { Summary } from '../../contract/recordings.ts';
import type { TextFile } from '../../contract/workspace.ts';
import { normalizeText } from './text-file.ts';

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
