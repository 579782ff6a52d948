import { isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, parseDocument, Scalar } from 'yaml';
import { normalizeLineEnds } from '../../values/text.ts';

/** A value as a person typed it: a text, nothing, or several values. Only the field knows what a text means. */
export type TypedValue = string | null | readonly TypedNode[] | TypedMapping;

/** Named values. */
export type TypedMapping = ReadonlyMap<string, TypedNode>;

/** A value and the line on which it begins. */
export interface TypedNode {
  readonly line: number;
  readonly value: TypedValue;
}

/** An error in a document. */
export interface YamlProblem {
  readonly line: number;
  readonly message: string;
}

/** Reads a document that a person edited. Every scalar is a text: `007`, `yes` and `1e3` are as typed. */
export function readYaml(text: string): {
  readonly mapping: TypedMapping;
  readonly problems: readonly YamlProblem[];
} {
  const lines = new LineCounter();
  // The editor chooses the line endings of the file. Line endings in a value are escaped or restored.
  const source = normalizeLineEnds(text.replace(/^\ufeff/, ''));
  const deepLine = findDeepLine(source);
  if (deepLine !== undefined)
    return {
      mapping: new Map(),
      problems: [{ line: deepLine, message: 'The values are nested too deeply.' }],
    };
  const document = parseDocument(source, {
    schema: 'failsafe',
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
  });
  const problems: YamlProblem[] = [];
  const findLine = (offset: number | undefined) => lines.linePos(offset ?? 0).line || 1;
  const report = (offset: number | undefined, message: string) =>
    void problems.push({ line: findLine(offset), message });
  for (const { pos, message, code } of [...document.errors, ...document.warnings]) {
    const { line, col } = lines.linePos(pos[0]);
    const problem = advice[code] ?? message.replace(/\.?$/, '.');
    problems.push({ line: line || 1, message: `column ${col || 1}: ${problem}` });
  }
  if (problems.length > 0) return { mapping: new Map(), problems };
  const read = (node: unknown, offset: number | undefined): TypedNode => {
    const line = findLine(offset);
    if (isSeq<Node>(node)) return { line, value: node.items.map((item) => read(item, item?.range?.[0])) };
    if (isMap<Scalar, Node>(node)) {
      const entries = node.items.map(
        ({ key, value }) => [String(key.value), read(value, key.range?.[0])] as const,
      );
      return { line, value: new Map(entries) };
    }
    if (isAlias(node) || (isScalar(node) && (node.anchor !== undefined || node.tag !== undefined)))
      report(node.range?.[0], `column ${lines.linePos(node.range?.[0] ?? 0).col}: ${quoteAdvice}`);
    return { line, value: isScalar(node) ? readScalar(node) : null };
  };
  const { contents } = document;
  const { value } = read(contents, contents?.range[0]);
  if (value instanceof Map) return { mapping: value, problems };
  if (value !== null) report(contents?.range[0], 'Put each field on its own line: NAME: VALUE.');
  return { mapping: new Map(), problems };
}

const quoteAdvice = 'Quote values that begin with !, & or *.';

/** Hints for errors whose messages in the library address programmers. */
const advice: Readonly<Record<string, string>> = {
  TAG_RESOLVE_FAILED: quoteAdvice,
  MULTIPLE_DOCS: 'Remove this line. A file describes one record.',
  NON_STRING_KEY: 'A field name must be text.',
};

/** Maximum depth of values. The library calls itself for each, and Node aborts if the stack overflows in a RegExp. */
const maxDepth = 100;

/** Returns the line on which brackets and dashes nest too deeply; undefined if there is no such line. */
function findDeepLine(source: string): number | undefined {
  let [line, brackets, dashes] = [1, 0, 0];
  for (const token of new Lexer().lex(source)) {
    if (token === '[' || token === '{') brackets += 1;
    else if (token === ']' || token === '}') brackets -= 1;
    else if (token === '-' || token === '?') dashes += 1;
    else if (token.includes('\n')) {
      line += token.split('\n').length - 1;
      dashes = 0;
    }
    if (brackets + dashes > maxDepth) return line;
  }
  return undefined;
}

function readScalar({ type, value }: Scalar): string | null {
  const text = String(value ?? '');
  return type === Scalar.PLAIN && /^(~|null|Null|NULL|)$/.test(text) ? null : text;
}

/** Whether two values are the same, in any order of their names. */
export function isSameTyped(left: TypedValue, right: TypedValue): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return (
      left.length === right.length &&
      left.every(({ value }, index) => isSameTyped(value, right[index]?.value ?? null))
    );
  if (left instanceof Map && right instanceof Map)
    return (
      left.size === right.size &&
      Array.from(left).every(([name, { value }]) => {
        const node = right.get(name);
        return node !== undefined && isSameTyped(value, node.value);
      })
    );
  return left === right;
}
