import { collapseWhitespace } from '../render/text/sanitize.ts';
import { readObject } from '../values/json-object.ts';
import { capitalize } from '../values/text.ts';

/**
 * Renders the summary of a recording as Markdown (specification, 2.9): the known keys, then those that the workspace
 * adds, each under a heading made from its name. `level` is the level of the headings. `isDone`: whether the box of an
 * action item is ticked.
 */
export function renderSummary(
  summary: unknown,
  level = 2,
  isDone: (text: string) => boolean = () => false,
): string {
  const { summary: text, topics, action_items, detected_language, ...others } = readObject(summary);
  const formatHeading = (text: string, depth = 0) =>
    `${'#'.repeat(level + depth)} ${collapseWhitespace(text)}`;
  const blocks: string[] = [];
  const knownFields = { summary: text, topics, action_items };
  for (const [key, value] of [...Object.entries(knownFields), ...Object.entries(others)]) {
    if (!isFilled(value)) continue;
    blocks.push(formatHeading(toTitle(key)));
    if (key === 'topics' && Array.isArray(value)) {
      blocks.push(...value.filter(isFilled).flatMap((topic) => renderTopic(topic, formatHeading)));
    } else if (key === 'action_items' && Array.isArray(value))
      blocks.push(renderPoints(value, (text) => (isDone(text) ? '- [x]' : '- [ ]')));
    else blocks.push(renderBlock(value));
  }
  return blocks.length > 0 ? `${blocks.join('\n\n')}\n` : '';
}

/** Returns the text of a summary: that of its known key, else the first text of the keys that the workspace adds. */
export function readSummaryText(summary: unknown): string | undefined {
  const { summary: text, action_items, detected_language, ...others } = readObject(summary);
  return findText(text) ?? findText(others);
}

/** Returns the action items of a summary as texts; empty if the workspace has no such key. */
export function readActionItems(summary: unknown): string[] {
  const { action_items } = readObject(summary);
  return [action_items].flat().filter(isFilled).map(formatValue);
}

function findText(value: unknown): string | undefined {
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  for (const part of typeof value === 'object' && value !== null ? Object.values(value) : []) {
    const text = findText(part);
    if (text !== undefined) return text;
  }
  return undefined;
}

function renderTopic(topic: unknown, heading: (text: string, depth: number) => string): string[] {
  const { title, content, ...otherFields } = readObject(topic);
  if (title === undefined && content === undefined) return [renderBlock(topic)];
  const blocks = [heading(isFilled(title) ? formatValue(title) : 'Topic', 1)];
  if (isFilled(content)) blocks.push(renderBlock(content));
  for (const [key, value] of Object.entries(otherFields)) {
    if (isFilled(value)) blocks.push(`${toTitle(key)}: ${collapseWhitespace(formatValue(value))}`);
  }
  return blocks;
}

function renderBlock(value: unknown): string {
  if (typeof value !== 'object' || value === null) return formatValue(value).trim();
  return renderPoints(Array.isArray(value) ? value : formatMembers(value), () => '-');
}

function renderPoints(items: readonly unknown[], getMark: (text: string) => string): string {
  return items
    .filter(isFilled)
    .map((item) => collapseWhitespace(formatValue(item)))
    .map((text) => `${getMark(text)} ${text}`)
    .join('\n');
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.filter(isFilled).map(formatValue).join(', ');
  if (typeof value === 'object' && value !== null) return formatMembers(value).join('; ');
  return String(value ?? '');
}

function formatMembers(value: object): string[] {
  return Object.entries(value)
    .filter(([, item]) => isFilled(item))
    .map(([key, item]) => `${toTitle(key)}: ${formatValue(item)}`);
}

/** `next_steps` -> `Next steps`. */
const toTitle = (key: string) => capitalize(collapseWhitespace(key.replaceAll('_', ' ')));

function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isFilled);
  return value !== null && value !== undefined;
}
