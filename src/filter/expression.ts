import { createSyntaxFailure, operators, readTokens, type Token } from './tokens.ts';

export type Operator = (typeof operators)[number] | 'in';

/** A field, an operator and one or more values: `status = Won`. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly name: Token;
  readonly operator: Operator;
  readonly values: readonly Token[];
}

/** A condition that a record meets or not. */
export type Expression =
  | Comparison
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  | { readonly kind: 'not'; readonly operand: Expression };

/** The deepest nesting. A recursive parser needs some limit. */
const maxDepth = 100;

const keywords = ['and', 'or', 'not', 'in'];

/** Whether a token is a name or a value; a keyword must be quoted to be one. */
const isText = ({ kind, text }: Token) =>
  kind === 'quoted' || (kind === 'word' && !keywords.includes(text.toLowerCase()));

const quoteHint = 'Put quotes around a name or a value with blanks, signs or a keyword: "Cold rooms" > 3';

/** Parses an expression such as `status = Won and not (name ~ "cold")`. @throws {Failure} usage with the column */
export function parseExpression(text: string): Expression {
  const tokens = readTokens(text);
  let index = 0;
  let depth = 0;
  const peek = (): Token => tokens[index] ?? { kind: 'end', text: '' };
  const take = (): Token => {
    const token = peek();
    index += 1;
    return token;
  };
  const isKeyword = ({ kind, text }: Token, keyword: string) =>
    kind === 'word' && text.toLowerCase() === keyword;
  const isMark = ({ kind, text }: Token, mark: string) => kind === 'mark' && text === mark;
  const skip = (isWanted: (token: Token, text: string) => boolean, text: string): boolean => {
    const isNext = isWanted(peek(), text);
    if (isNext) index += 1;
    return isNext;
  };
  const fail = (wanted: string, token: Token, hint?: string) =>
    createSyntaxFailure(
      token.column,
      `expected ${wanted}, not ${token.kind === 'end' ? 'the end' : `"${token.text}"`}`,
      hint,
    );

  const parseJoined = (keyword: 'and' | 'or', parseOperand: () => Expression): Expression => {
    const first = parseOperand();
    const operands = [first];
    while (skip(isKeyword, keyword)) operands.push(parseOperand());
    return operands.length === 1 ? first : { kind: keyword, operands };
  };
  const parseOr = (): Expression => parseJoined('or', () => parseJoined('and', parseNot));
  const parseNot = (): Expression => {
    const { column } = peek();
    const isNegated = skip(isKeyword, 'not');
    if (!isNegated && !skip(isMark, '(')) return parseComparison();
    depth += 1;
    if (depth > maxDepth) throw createSyntaxFailure(column, `more than ${maxDepth} levels of nesting`);
    const operand = isNegated ? parseNot() : parseOr();
    if (!isNegated && !skip(isMark, ')')) throw fail('"and", "or" or ")"', peek(), quoteHint);
    depth -= 1;
    return isNegated ? { kind: 'not', operand } : operand;
  };
  const parseValue = (after: string): Token => {
    const token = take();
    if (isText(token)) return token;
    throw fail(`a value after "${after}"`, token, quoteHint);
  };
  const parseValues = (): Token[] => {
    if (!skip(isMark, '(')) throw fail('"(" after "in"', peek());
    const values = [parseValue('(')];
    while (skip(isMark, ',')) values.push(parseValue(','));
    if (!skip(isMark, ')')) throw fail('"," or ")"', peek(), quoteHint);
    return values;
  };
  const parseComparison = (): Expression => {
    const name = take();
    if (!isText(name)) throw fail('the name of a field', name);
    const isNegated = isKeyword(peek(), 'not') && isKeyword(tokens[index + 1] ?? peek(), 'in');
    if (isNegated) index += 1;
    if (skip(isKeyword, 'in')) {
      const operand: Expression = { kind: 'comparison', name, operator: 'in', values: parseValues() };
      return isNegated ? { kind: 'not', operand } : operand;
    }
    const token = take();
    const operator = token.kind === 'operator' && operators.find((one) => one === token.text);
    if (!operator)
      throw fail(`an operator after "${name.text}"`, token, `Operators: ${operators.join(' ')} in`);
    return { kind: 'comparison', name, operator, values: [parseValue(operator)] };
  };

  const expression = parseOr();
  if (peek().kind !== 'end') throw fail('"and" or "or"', peek(), quoteHint);
  return expression;
}
