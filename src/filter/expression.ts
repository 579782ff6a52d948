import { Failure } from '../contract/errors.ts';
import { foldName } from '../values/names.ts';
import { quoteShellWord } from '../values/text.ts';

/** A word, quoted text, operator or punctuation mark of an expression. */
interface Token {
  readonly kind: 'word' | 'quoted' | 'operator' | 'mark' | 'end';
  /** Without quotes and backslashes. */
  readonly text: string;
  /** The position of its first character, from 1; undefined if it comes from another flag. */
  readonly column?: number;
  /** Its part of the expression, in UTF-16 units. */
  readonly start?: number;
  readonly end?: number;
}

/** The operators, apart from `in`. */
const operators = ['=', '!=', '~', '<', '<=', '>', '>='] as const;

export type Operator = (typeof operators)[number] | 'in';

/** A field, an operator and one or more values: `status = Won`. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly name: Token;
  readonly operator: Operator;
  readonly values: readonly Token[];
}

/** A condition on a record. */
export type Expression =
  | Comparison
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  | { readonly kind: 'not'; readonly operand: Expression };

/** Creates a comparison with names and values as they are, not as they would be typed. */
export function createComparison(name: string, operator: Operator, values: readonly string[]): Comparison {
  const quoteToken = (text: string): Token => ({ kind: 'quoted', text });
  return { kind: 'comparison', name: quoteToken(name), operator, values: values.map(quoteToken) };
}

/** Maximum nesting depth, which protects the recursive parser. */
const maxDepth = 100;

const keywords = ['and', 'or', 'not', 'in'];

/** Whether a token is a name or a value. A keyword must be quoted to be a value. */
const isText = ({ kind, text }: Token) =>
  kind === 'quoted' || (kind === 'word' && !keywords.includes(text.toLowerCase()));

const quoteHint = 'Put quotes around a value with spaces, symbols or keywords: Country = "South Korea"';

/**
 * Parses an expression such as `status = Won and not (name ~ "cold")`. A name with spaces or keywords needs quotes, unless
 * it is one of `names`, which are folded. @throws {Failure} usage with the column
 */
export function parseExpression(text: string, names?: ReadonlySet<string>): Expression {
  const cursor = createCursor(text, readTokens(text), names);
  const expression = parseOr(cursor, 0);
  if (cursor.peek().kind !== 'end') throw createFailure('"and" or "or"', cursor.peek(), quoteHint);
  return expression;
}

const pattern =
  /\s+|(?<mark>[(),])|(?<operator>[=!~<>]+)|(?<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?<word>[^\s(),=!~<>"'][^\s(),=!~<>]*)/suy;

/**
 * Splits an expression into tokens. The last token marks the end.
 * @throws {Failure} usage if a closing quote is missing
 */
function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let column = 1;
  let at = 0;
  while (at < text.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) throw createSyntaxFailure(column, `missing closing quote (${text[at]})`);
    const { mark, operator, quoted, word } = match.groups ?? {};
    const place = { column, start: at, end: pattern.lastIndex };
    if (mark) tokens.push({ kind: 'mark', text: mark, ...place });
    else if (operator) tokens.push({ kind: 'operator', text: operator, ...place });
    else if (quoted)
      tokens.push({ kind: 'quoted', text: quoted.slice(1, -1).replace(/\\(.)/gs, '$1'), ...place });
    else if (word) tokens.push({ kind: 'word', text: word, ...place });
    column += Array.from(match[0]).length;
    at = pattern.lastIndex;
  }
  return [...tokens, { kind: 'end', text: '', column }];
}

/** Returns a failure that points at a column of an expression. */
function createSyntaxFailure(column: number | undefined, problem: string, hint?: string): Failure {
  return new Failure('usage', `column ${column}: ${problem}.`, { hint });
}

type Cursor = ReturnType<typeof createCursor>;

function createCursor(text: string, tokens: readonly Token[], names: ReadonlySet<string> | undefined) {
  let index = 0;
  const peek = (distance = 0): Token => tokens[index + distance] ?? { kind: 'end', text: '' };
  return {
    peek,
    take: (): Token => {
      const token = peek();
      index += 1;
      return token;
    },
    /** Takes the next token if it is a keyword or a mark. */
    skip: (text: string): boolean => {
      const isNext = isSyntax(peek(), text);
      if (isNext) index += 1;
      return isNext;
    },
    names,
    /** Joins the next tokens into one token, with the text as it was typed. */
    join: (count: number, distance = 0): Token => {
      const first = peek(distance);
      const joined = text.slice(first.start, peek(distance + count - 1).end);
      return { ...first, kind: 'quoted', text: joined };
    },
    advance: (count: number): void => {
      index += count;
    },
    /** Creates the failure if the words of a field's name may also be read as a shorter name and a keyword. */
    createAmbiguity: (longer: Token, shorter: Token): Failure => {
      const quoteName = ({ start = 0, text: name }: Token) =>
        quoteShellWord(`${text.slice(0, start)}"${name}"${text.slice(start + name.length)}`);
      const problem = `"${longer.text}" is a field, and so is "${shorter.text}"`;
      const hint = `Did you mean --where ${quoteName(longer)} or --where ${quoteName(shorter)}?`;
      return createSyntaxFailure(longer.column, problem, hint);
    },
  };
}

const isSyntax = ({ kind, text }: Token, syntax: string) =>
  (kind === 'word' || kind === 'mark') && text.toLowerCase() === syntax;

function createFailure(expectation: string, { kind, text, column }: Token, hint?: string) {
  const actual = kind === 'end' ? 'the end of the expression' : `"${text}"`;
  return createSyntaxFailure(column, `expected ${expectation}, not ${actual}`, hint);
}

const parseOr = (cursor: Cursor, depth: number) =>
  parseJoined(cursor, 'or', () => parseJoined(cursor, 'and', () => parseNot(cursor, depth)));

function parseJoined(cursor: Cursor, keyword: 'and' | 'or', parseOperand: () => Expression): Expression {
  const first = parseOperand();
  const operands = [first];
  while (cursor.skip(keyword)) operands.push(parseOperand());
  return operands.length === 1 ? first : { kind: keyword, operands };
}

function parseNot(cursor: Cursor, depth: number): Expression {
  const { column } = cursor.peek();
  const name = takeFieldName(cursor);
  if (name) return parseComparison(cursor, name);
  const isNegated = cursor.skip('not');
  if (!isNegated && !cursor.skip('(')) return parseComparison(cursor);
  if (depth === maxDepth) throw createSyntaxFailure(column, `more than ${maxDepth} levels of nesting`);
  if (isNegated) return { kind: 'not', operand: parseNot(cursor, depth + 1) };
  const operand = parseOr(cursor, depth + 1);
  if (!cursor.skip(')')) throw createFailure('"and", "or" or ")"', cursor.peek(), quoteHint);
  return operand;
}

/** Takes the words of a field's name. @throws {Failure} usage if there are two ways to read them */
function takeFieldName(cursor: Cursor): Token | undefined {
  if (!cursor.names) return undefined;
  const counts = countNameTokens(cursor, 0);
  const [count = 0] = counts;
  const longest = counts.at(-1) ?? 0;
  const [negatedCount = 0] = count > 0 && isSyntax(cursor.peek(), 'not') ? countNameTokens(cursor, 1) : [];
  const shorter = negatedCount > 0 ? cursor.join(negatedCount, 1) : cursor.join(count);
  if (longest > count || negatedCount > 0) throw cursor.createAmbiguity(cursor.join(longest), shorter);
  const tokenCount = count || countUnknownWords(cursor);
  if (tokenCount === 0) return undefined;
  const name = cursor.join(tokenCount);
  cursor.advance(tokenCount);
  return name;
}

/** The maximum number of tokens of a name, which limits the time for an invalid expression. */
const maxNameTokens = 50;

/** Returns the numbers of tokens after which a field's name ends and an operator follows; fewest first. */
function countNameTokens(cursor: Cursor, distance: number): number[] {
  const counts: number[] = [];
  for (let count = 1; count <= maxNameTokens; count += 1) {
    if (!['word', 'mark'].includes(cursor.peek(distance + count - 1).kind)) break;
    const isName = () => cursor.names?.has(foldName(cursor.join(count, distance).text));
    if (isOperatorNext(cursor, distance + count) && isName()) counts.push(count);
  }
  return counts;
}

/** Counts the words of an unknown name before an operator, so that the error has the whole name; 0 for one word. */
function countUnknownWords(cursor: Cursor): number {
  let count = 0;
  while (cursor.peek(count).kind === 'word' && isText(cursor.peek(count))) count += 1;
  return count > 1 && isOperatorNext(cursor, count) ? count : 0;
}

function isOperatorNext({ peek }: Cursor, distance: number): boolean {
  const next = isSyntax(peek(distance), 'not') ? distance + 1 : distance;
  return peek(distance).kind === 'operator' || (isSyntax(peek(next), 'in') && isSyntax(peek(next + 1), '('));
}

function parseComparison(cursor: Cursor, name = cursor.take()): Expression {
  if (!isText(name)) throw createFailure('a field name', name);
  const isNegated = isSyntax(cursor.peek(1), 'in') && cursor.skip('not');
  if (cursor.skip('in')) {
    const operand: Expression = { kind: 'comparison', name, operator: 'in', values: parseValues(cursor) };
    return isNegated ? { kind: 'not', operand } : operand;
  }
  const token = cursor.take();
  const operator = token.kind === 'operator' && operators.find((candidate) => candidate === token.text);
  if (!operator)
    throw createFailure(`an operator after "${name.text}"`, token, `Operators: ${operators.join(' ')} in`);
  return { kind: 'comparison', name, operator, values: [parseValue(cursor, operator)] };
}

function parseValues(cursor: Cursor): Token[] {
  if (!cursor.skip('(')) throw createFailure('"(" after "in"', cursor.peek());
  const values = [parseValue(cursor, '(')];
  while (cursor.skip(',')) values.push(parseValue(cursor, ','));
  if (!cursor.skip(')')) throw createFailure('"," or ")"', cursor.peek(), quoteHint);
  return values;
}

function parseValue(cursor: Cursor, after: string): Token {
  const token = cursor.take();
  if (isText(token)) return token;
  throw createFailure(`a value after "${after}"`, token, quoteHint);
}
