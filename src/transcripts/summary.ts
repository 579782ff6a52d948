import { fieldsOf } from '../render/fields.ts';
import { oneLine } from '../render/one-line.ts';

const known = ['summary', 'topics', 'action_items'] as const;

/**
 * The summary of a recording as Markdown (specification, 2.9): the known keys first, then any other that the
 * workspace adds, under a heading made from its name, whatever its type. `level` is that of the headings.
 */
export function summaryMarkdown(summary: unknown, level = 2): string {
  const fields = fieldsOf(summary);
  const heading = (text: string, depth = 0) => `${'#'.repeat(level + depth)} ${oneLine(text)}`;
  const blocks: string[] = [];
  for (const key of known) {
    const value = fields[key];
    if (!isFilled(value)) continue;
    if (key === 'topics' && Array.isArray(value)) {
      blocks.push(heading('Topics'));
      blocks.push(...value.filter(isFilled).flatMap((topic) => topicBlocks(topic, heading)));
    } else if (key === 'action_items' && Array.isArray(value)) {
      blocks.push(heading('Action items'), pointsOf(value, '- [ ]'));
    } else blocks.push(heading(titleOf(key)), blockOf(value));
  }
  for (const [key, value] of Object.entries(fields)) {
    if (known.some((name) => name === key) || key === 'detected_language' || !isFilled(value)) continue;
    blocks.push(heading(titleOf(key)), blockOf(value));
  }
  return blocks.length > 0 ? `${blocks.join('\n\n')}\n` : '';
}

function topicBlocks(topic: unknown, heading: (text: string, depth: number) => string): string[] {
  const { title, content, ...rest } = fieldsOf(topic);
  if (title === undefined && content === undefined) return [blockOf(topic)];
  const blocks = [heading(isFilled(title) ? textOf(title) : 'Topic', 1)];
  if (isFilled(content)) blocks.push(blockOf(content));
  for (const [key, value] of Object.entries(rest)) {
    if (isFilled(value)) blocks.push(`${titleOf(key)}: ${oneLine(textOf(value))}`);
  }
  return blocks;
}

function blockOf(value: unknown): string {
  if (Array.isArray(value)) return pointsOf(value, '-');
  if (typeof value === 'object' && value !== null) return pointsOf(namedIn(value), '-');
  return textOf(value).trim();
}

function pointsOf(items: readonly unknown[], mark: string): string {
  return items
    .filter(isFilled)
    .map((item) => `${mark} ${oneLine(textOf(item))}`)
    .join('\n');
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.filter(isFilled).map(textOf).join(', ');
  if (typeof value === 'object' && value !== null) return namedIn(value).join('; ');
  return String(value ?? '');
}

function namedIn(value: object): string[] {
  return Object.entries(value)
    .filter(([, item]) => isFilled(item))
    .map(([key, item]) => `${titleOf(key)}: ${textOf(item)}`);
}

/** `next_steps` -> `Next steps`. */
function titleOf(key: string): string {
  const words = oneLine(key.replaceAll('_', ' '));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether there is anything in a value to be read: a blank text and a list of nothing say nothing. */
function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isFilled);
  return value !== null && value !== undefined;
}
