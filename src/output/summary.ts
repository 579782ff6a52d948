import { fieldsOf } from './columns.ts';

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
    if (isEmpty(value)) continue;
    if (key === 'topics' && Array.isArray(value)) {
      blocks.push(heading('Topics'), ...value.flatMap((topic) => topicBlocks(topic, heading)));
    } else if (key === 'action_items' && Array.isArray(value)) {
      blocks.push(heading('Action items'), value.map((item) => `- [ ] ${oneLine(textOf(item))}`).join('\n'));
    } else blocks.push(heading(titleOf(key)), blockOf(value));
  }
  for (const [key, value] of Object.entries(fields)) {
    if (known.some((name) => name === key) || key === 'detected_language' || isEmpty(value)) continue;
    blocks.push(heading(titleOf(key)), blockOf(value));
  }
  return blocks.length > 0 ? `${blocks.join('\n\n')}\n` : '';
}

function topicBlocks(topic: unknown, heading: (text: string, depth: number) => string): string[] {
  const { title, content, ...rest } = fieldsOf(topic);
  if (title === undefined && content === undefined) return [blockOf(topic)];
  const blocks = [heading(textOf(title ?? 'Topic'), 1)];
  if (!isEmpty(content)) blocks.push(blockOf(content));
  for (const [key, value] of Object.entries(rest)) {
    if (!isEmpty(value)) blocks.push(`${titleOf(key)}: ${oneLine(textOf(value))}`);
  }
  return blocks;
}

function blockOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => `- ${oneLine(textOf(item))}`).join('\n');
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([key, item]) => `- ${titleOf(key)}: ${oneLine(textOf(item))}`)
      .join('\n');
  }
  return textOf(value).trim();
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([key, item]) => `${titleOf(key)}: ${textOf(item)}`)
      .join('; ');
  }
  return String(value ?? '');
}

/** `next_steps` -> `Next steps`. */
function titleOf(key: string): string {
  const words = oneLine(key.replaceAll('_', ' '));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    (Array.isArray(value) && value.length === 0) ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  );
}
