import { createClosestNames, findName, foldName } from '../values/names.ts';
import { isSyntax, isText, operators, parseExpression, readTokens, type Token } from './expression.ts';
import type { Field } from './filter.ts';

/** A valid expression that a person probably meant. */
interface Repair {
  readonly text: string;
  /** Whether a name or an option has been replaced by a similar one. */
  readonly hasReplacement: boolean;
}

/** Other spellings of operators and keywords. */
const synonyms: Readonly<Record<string, string>> = {
  ...{ '==': '=', '===': '=', is: '=', equals: '=', '<>': '!=', '!==': '!=', '=<': '<=', '=>': '>=' },
  ...{ '=~': '~', '~=': '~', contains: '~', like: '~', '&&': 'and', '||': 'or', '!': 'not' },
};

const normalize = ({ text }: Token): string => {
  const word = text.toLowerCase();
  return Object.hasOwn(synonyms, word) ? (synonyms[word] ?? word) : word;
};

const isKeyword = (token: Token, ...words: readonly string[]) =>
  token.kind !== 'quoted' && words.includes(normalize(token));

/** The longest expression that is repaired. The time grows with the square of the length. */
const maxLength = 2000;

/** Returns a valid expression that is similar to an invalid one; undefined if the meaning is not clear. */
export function repairExpression(text: string, fields: readonly Field[]): Repair | undefined {
  if (text.length > maxLength) return undefined;
  const source = closeQuote(text);
  try {
    const repair = repairTokens(source, fields);
    if (!repair) return undefined;
    parseExpression(repair.text);
    return { ...repair, hasReplacement: repair.hasReplacement || source !== text };
  } catch {
    return undefined;
  }
}

/** Replaces typographic quotes, and adds a missing closing quote. */
function closeQuote(text: string): string {
  const source = text.replaceAll(/[“”„]/g, '"').replaceAll(/[‘’]/g, "'");
  try {
    readTokens(source);
    return source;
  } catch {
    return source + (source.lastIndexOf('"') > source.lastIndexOf("'") ? '"' : "'");
  }
}

type Reader = ReturnType<typeof createReader>;

function createReader(source: string, fields: readonly Field[]) {
  const tokens = readTokens(source);
  let index = 0;
  const peek = (distance = 0): Token => tokens[index + distance] ?? { kind: 'end', text: '' };
  /** Reads the text from a token to the next operator; empty if there is none. */
  const readName = (start: number) => {
    let end = start;
    let hasKeyword = false;
    do {
      hasKeyword ||= isKeyword(peek(end), 'and', 'or');
      end += 1;
      if (peek(end).kind === 'end') return { text: '', hasKeyword };
    } while (!isKeyword(peek(end), ...operators, 'in'));
    return { text: source.slice(peek(start).start, peek(end - 1).end), hasKeyword };
  };
  return {
    peek,
    advance(count = 1) {
      index += count;
    },
    /** Takes the next tokens as one text. A single token keeps its kind. */
    join(count: number): Token {
      const first = peek();
      const text = source.slice(first.start, peek(count - 1).end);
      index += count;
      return count === 1 ? first : { kind: 'quoted', text };
    },
    /** Whether a field's name and an operator begin at a token. */
    isField: (distance: number) => findField(readName(distance).text, fields) !== undefined,
    /** Whether a name and an operator begin at a token. Only the name of a field may contain a keyword. */
    isComparison(distance: number): boolean {
      let start = distance;
      while (isKeyword(peek(start), 'not') || isSyntax(peek(start), '(')) start += 1;
      const { text, hasKeyword } = readName(start);
      return text !== '' && (!hasKeyword || findField(text, fields) !== undefined);
    },
  };
}

/** Formats a name or a value, with quotes if it needs them. */
function formatText({ kind, text }: Token): string {
  const isWord = /^[^\s(),=!~<>"'][^\s(),=!~<>]*$/u.test(text) && isText({ kind: 'word', text });
  const isNullText = kind === 'quoted' && text.toLowerCase() === 'null';
  return isWord && !isNullText ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

function repairTokens(source: string, fields: readonly Field[]): Repair | undefined {
  const reader = createReader(source, fields);
  const isPrefix = () =>
    isSyntax(reader.peek(), '(') || (isKeyword(reader.peek(), 'not') && !reader.isField(0));
  let text = '';
  let depth = 0;
  let hasReplacement = false;
  for (;;) {
    for (; isPrefix(); reader.advance()) {
      const isOpening = reader.peek().kind === 'mark';
      depth += Number(isOpening);
      text += isOpening ? '(' : 'not ';
    }
    const comparison = repairComparison(reader, fields);
    if (!comparison) return undefined;
    text += comparison.text;
    hasReplacement ||= comparison.hasReplacement;
    for (; isSyntax(reader.peek(), ')'); reader.advance()) {
      if (depth === 0) continue; // no parenthesis to close
      depth -= 1;
      text += ')';
    }
    const next = reader.peek();
    if (next.kind === 'end') return { text: text + ')'.repeat(depth), hasReplacement };
    if (!isKeyword(next, 'and', 'or')) return undefined;
    text += ` ${normalize(next)} `;
    reader.advance();
  }
}

function repairComparison(reader: Reader, fields: readonly Field[]): Repair | undefined {
  const name = takeName(reader, fields);
  if (!name) return undefined;
  const isNegated = isKeyword(reader.peek(), 'not') && isKeyword(reader.peek(1), 'in');
  if (isNegated) reader.advance();
  const isSentence = isSyntax(reader.peek(), 'is');
  const operator = takeOperator(reader);
  if (operator === undefined) return undefined;
  const isList = operator === 'in';
  const hasMark = isList && isSyntax(reader.peek(), '(');
  if (hasMark) reader.advance();
  const values: string[] = [];
  let { hasReplacement } = name;
  do {
    if (values.length > 0) reader.advance();
    const count = countValueTokens(reader, isList);
    if (count === 0) return undefined;
    const typed = reader.join(count);
    // `is empty`
    const value: Token = isSentence && isSyntax(typed, 'empty') ? { kind: 'word', text: 'null' } : typed;
    const option = findSimilarOption(name.field, value);
    hasReplacement ||= option !== undefined;
    values.push(formatText(option === undefined ? value : { kind: 'quoted', text: option }));
  } while (isList && isSyntax(reader.peek(), ','));
  if (hasMark && isSyntax(reader.peek(), ')')) reader.advance();
  const formatted = isList ? `(${values.join(', ')})` : values.join('');
  return { text: `${name.text} ${isNegated ? 'not ' : ''}${operator} ${formatted}`, hasReplacement };
}

/** Takes the operator; undefined if there is none. */
function takeOperator(reader: Reader): string | undefined {
  const token = reader.peek();
  const operator = normalize(token);
  if (token.kind === 'quoted' || ![...operators, 'in'].some((known) => known === operator)) return undefined;
  reader.advance();
  const isNegated = operator === '=' && token.kind === 'word' && isKeyword(reader.peek(), 'not');
  if (isNegated) reader.advance(); // is not
  return isNegated ? '!=' : operator;
}

/** Takes a name up to the operator: a field's own name, or else the most similar one. */
function takeName(reader: Reader, fields: readonly Field[]) {
  if (reader.peek().kind === 'quoted') return describeName(reader.join(1), fields);
  const isOperator = (distance: number) =>
    isKeyword(reader.peek(distance), ...operators, 'in') ||
    (isKeyword(reader.peek(distance), 'not') && isKeyword(reader.peek(distance + 1), 'in'));
  let count = 1;
  while (reader.peek(count).kind !== 'end' && !isOperator(count)) count += 1;
  return describeName(reader.join(count), fields);
}

const listFoldedNames = ({ name, aliases = [] }: Field) => [name, ...aliases].map(foldName);

function findField(name: string, fields: readonly Field[]): Field | undefined {
  const folded = foldName(name.replace(/^(?:custom|list)_fields\./i, ''));
  return fields.find((field) => listFoldedNames(field).includes(folded));
}

function describeName(token: Token, fields: readonly Field[]) {
  const field = findField(token.text, fields);
  if (field) return { field, text: formatText(token), hasReplacement: false };
  if (!isText(token)) return undefined; // a keyword is no misspelled name
  const closest = createClosestNames<Field>(token.text);
  for (const candidate of fields) closest.add(listFoldedNames(candidate), candidate);
  const [similar] = closest.list();
  if (!similar) return undefined;
  const text = formatText({ kind: 'quoted', text: similar.name });
  return { field: similar, text, hasReplacement: true };
}

/** Counts the tokens of a value, up to a comma of a list, a closing parenthesis, or a keyword before a comparison. */
function countValueTokens(reader: Reader, isList: boolean): number {
  let nested = 0;
  for (let count = 0; ; count += 1) {
    const token = reader.peek(count);
    if (token.kind === 'end') return isKeyword(reader.peek(count - 1), 'and', 'or') ? 0 : count;
    if (isSyntax(token, ')') && nested === 0) return count;
    if (isList && isSyntax(token, ',')) return count;
    if (isKeyword(token, 'and', 'or') && reader.isComparison(count + 1)) return count;
    nested += Number(isSyntax(token, '(')) - Number(isSyntax(token, ')'));
  }
}

/** Returns the option that is similar to a value; undefined if the value is an option, or may be any text. */
function findSimilarOption({ options = [] }: Field, { kind, text }: Token): string | undefined {
  const isEmpty = text === '' || (kind === 'word' && text.toLowerCase() === 'null');
  if (options.length === 0 || isEmpty || findName(options, text) !== undefined) return undefined;
  const closest = createClosestNames<string>(text);
  for (const option of options) closest.add([foldName(option)], option);
  return closest.list()[0];
}
