import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { wrapParagraph } from '../text/paragraph.ts';
import { sanitizeJson, sanitizeLine, sanitizeLines } from '../text/sanitize.ts';

/** A single value. */
interface YamlScalar {
  readonly value: string | number | boolean | null;
  /** Shown after the value. */
  readonly comment?: string | undefined;
  /** Whether the value is a text that may have several lines. */
  readonly isBlock?: boolean;
  /** The decimals of a number. */
  readonly decimals?: number;
}

export type YamlValue = YamlScalar | readonly YamlValue[] | YamlMapping;

/** Named values in their order. The names may be any text. */
export interface YamlMapping {
  readonly members: readonly YamlMember[];
}

export interface YamlMember {
  readonly name: string;
  readonly value: YamlValue;
  /** Shown above it. */
  readonly comment?: string | undefined;
}

/** Maximum width of a comment above a value. */
const commentWidth = 78;

/**
 * Writes a YAML document for a person, with comments, block scalars and unescaped Unicode. Characters that control a
 * terminal are escaped in quoted text. `header`: the lines of the comment at the top.
 */
export function writeYaml(header: readonly string[], mapping: YamlMapping): string {
  const top = header.map((line) => (line === '' ? '#\n' : `# ${sanitizeLine(line)}\n`)).join('');
  const text = new Document(toMap(mapping)).toString({
    lineWidth: 0,
    nullStr: '',
    // In quoted text of several lines, the library loses lines of spaces.
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
  });
  // A tab is a usual character of a text, and a text with any other control character is quoted.
  return `${top}\n${text.split('\t').map(sanitizeJson).join('\t')}`;
}

function toMap({ members }: YamlMapping): YAMLMap {
  const map = new YAMLMap();
  for (const { name, value, comment } of members) {
    const key = new Scalar(name);
    if (!isPlain(name)) key.type = Scalar.QUOTE_DOUBLE;
    if (comment !== undefined)
      key.commentBefore = wrapParagraph(sanitizeLine(comment), commentWidth).replace(/^/gm, ' ');
    map.items.push(new Pair(key, toNode(value)));
  }
  return map;
}

function toNode(value: YamlValue): Scalar | YAMLSeq | YAMLMap {
  if ('members' in value) return toMap(value);
  if ('value' in value) return toScalar(value);
  const sequence = new YAMLSeq();
  sequence.items.push(...value.map(toNode));
  sequence.flow = value.length === 0;
  return sequence;
}

function toScalar({ value, comment, isBlock = false, decimals }: YamlScalar): Scalar {
  const scalar = new Scalar(value);
  if (comment !== undefined) scalar.comment = ` ${sanitizeLine(comment)}`;
  if (decimals !== undefined) scalar.minFractionDigits = decimals;
  if (typeof value !== 'string') return scalar;
  if (!isPlain(value)) scalar.type = Scalar.QUOTE_DOUBLE;
  else if (value.trim() === '')
    scalar.type = Scalar.QUOTE_DOUBLE; // a block of spaces would be read as empty
  else if (value.includes('\n') || isBlock) scalar.type = Scalar.BLOCK_LITERAL;
  return scalar;
}

/** Whether a text can be written without escapes. */
const isPlain = (text: string) => sanitizeLines(text) === text;
