import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { splitWords } from '../support/kith.ts';

/** A command line with the words of kith, or a line for a shell. */
export interface CommandLine {
  readonly words?: readonly string[];
  readonly shell?: string;
  readonly stdin?: string;
}

/** Stands for a part of a command line that a test computes. */
export const placeholder = '\u00a7';

/** A node of the syntax tree (ESTree). */
interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';

/**
 * Returns the command lines that each test types, in order, except the beginnings of lines that are completed. `nouns`:
 * the first words of command lines.
 */
export function readTestLines(nouns: ReadonlySet<string>): CommandLine[][] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/^compare|^completion|\bcompletions\//.test(name))
    .sort();
  return files.flatMap((name) => {
    const tree = parseAst(readFileSync(join('test', name), 'utf8'), { lang: 'ts' }) as unknown as Node;
    return (tree.body as Node[]).map((statement) => listLines(statement, nouns));
  });
}

/** Returns the command lines in a part of a program: texts and lists of texts that begin with a noun or `kith`. */
function listLines(value: unknown, nouns: ReadonlySet<string>): CommandLine[] {
  if (Array.isArray(value)) return value.flatMap((part) => listLines(part, nouns));
  if (!isNode(value)) return [];
  const line = readLine(value, nouns);
  if (line) return [line];
  if (value.type !== 'CallExpression') return Object.values(value).flatMap((part) => listLines(part, nouns));
  const [first, ...rest] = value.arguments as Node[];
  if (!first) return listLines(value.callee, nouns);
  const text = readText(first);
  const isTitle = text !== undefined && /^(test|describe)$/.test(findCallee(value));
  if (isTitle) return listLines([value.callee, rest], nouns);
  const isSingleWord = text !== undefined && nouns.has(text) && findCallee(value) === 'kith';
  const typed = isSingleWord ? { words: [text] } : readLine(first, nouns);
  if (!typed) return listLines([value.callee, first, rest], nouns);
  const stdin = rest.map(readStdin).find((text) => text !== undefined);
  return [{ ...typed, ...(stdin !== undefined && { stdin }) }, ...listLines(rest, nouns)];
}

/** Returns the first name of a callee: `test` for `test.each(rows)('title', ...)`. */
function findCallee({ callee, object, name }: Node): string {
  const inner = callee ?? object;
  return isNode(inner) ? findCallee(inner) : String(name);
}

function readLine(node: Node, nouns: ReadonlySet<string>): CommandLine | undefined {
  if (node.type === 'ArrayExpression') {
    const words = (node.elements as Node[]).map((element) => readText(element) ?? placeholder);
    return nouns.has(words[0] ?? '') ? { words } : undefined;
  }
  const text = readText(node);
  if (text === undefined) return undefined;
  if (/^kith( |$)/.test(text)) return { shell: text };
  return /^\S+ \S/.test(text) && nouns.has(text.split(' ')[0] ?? '')
    ? { words: splitWords(text) }
    : undefined;
}

/** Returns the text of a literal or a template. */
function readText(node: Node | null): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join(placeholder);
}

/** Returns the text of the option `stdin`. */
function readStdin(node: Node): string | undefined {
  if (node.type !== 'ObjectExpression') return undefined;
  const properties = node.properties as { key?: { name?: string }; value?: Node }[];
  const value = properties.find(({ key }) => key?.name === 'stdin')?.value;
  return value && readText(value);
}
