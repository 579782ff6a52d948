import * as v from 'valibot';
import { failures } from '../contract/errors.ts';
import { dataTypes } from '../contract/field-types.ts';
import { ValueMap } from '../contract/fields.ts';
import { listPathNames, type Route } from '../contract/grammar.ts';
import { contract, records } from '../contract/index.ts';
import { replacedLists } from '../contract/received.ts';
import { capitalize } from '../values/text.ts';

/** The parts of a valibot schema that describe its values. */
interface Shape extends v.GenericSchema {
  readonly entries?: Shapes;
  readonly item?: Shape;
  readonly value?: Shape;
  readonly wrapped?: Shape;
  readonly options?: readonly string[];
}

type Shapes = Readonly<Record<string, Shape>>;

/** Returns a type as text, and whether the member that has it may be omitted. */
type Print = (schema: Shape, name: string, indent: string) => { text: string; isOptional: boolean };

/** Builds the TypeScript declarations of the records, the inputs and the methods of the typed client. */
export function buildClientTypes(): string {
  const nouns = Object.entries(contract).map(([noun, routes]) => buildNoun(noun, routes));
  const members = Object.keys(contract).map((noun) => `  readonly ${noun}: ${capitalize(noun)};\n`);
  return [
    '// Generated from src/contract: npm run generate.\n',
    "import type { CallOptions, ContactLookup, ListOptions, RecordList } from './types.d.ts';\n",
    '/** The code of a `Failure`. */',
    `export type FailureCode = ${formatUnion(Object.keys(failures))};\n`,
    `export type DataType = ${formatUnion(dataTypes)};\n`,
    '/** The values of custom fields or list fields, by the id of the field. */',
    `export interface FieldValues {\n  readonly [id: string]: ${printMapItem(ValueMap.value.entries, '  ')} | null;\n}\n`,
    ...Object.entries(records).map(
      ([name, schema]) => `export interface ${name} ${printObject(schema.entries, printReceived, '')}\n`,
    ),
    ...nouns,
    '/** The nouns of the contract with their methods. */',
    `export interface Nouns {\n${members.join('')}}\n`,
  ].join('\n');
}

/** A method of the typed client. */
interface Method {
  /** `get(contact_id: string): Promise<Contact>` */
  readonly signature: string;
  readonly summary: string;
  /** `GET /v1/contacts`; undefined if the method is not a route. */
  readonly request?: string;
  /** The declaration of the method's input type; empty if the method takes only ids. */
  readonly input: string;
}

/** Returns all methods in the order of the contract. */
export function listMethods(): (Method & { readonly noun: string })[] {
  return Object.entries<Readonly<Record<string, Route>>>(contract).flatMap(([noun, routes]) =>
    listNounMethods(noun, routes).map((method) => ({ noun, ...method })),
  );
}

function listNounMethods(noun: string, routes: Readonly<Record<string, Route>>): Method[] {
  const methods = Object.entries(routes).map(([verb, route]) => buildMethod(noun, verb, route));
  return noun === 'contacts' ? [...methods, findContacts] : methods;
}

/** Returns the declarations of a noun: the input of each method, and the methods. */
function buildNoun(noun: string, routes: Readonly<Record<string, Route>>): string {
  const methods = listNounMethods(noun, routes);
  const declarations = methods.map(
    ({ signature, summary, request }) =>
      `  /** ${summary}.${request ? ` \`${request}\`` : ''} */\n  ${signature};\n`,
  );
  const inputs = methods.flatMap(({ input }) => (input === '' ? [] : [input]));
  return [...inputs, `export interface ${capitalize(noun)} {\n${declarations.join('')}}\n`].join('\n');
}

/** The only method that is not a route. */
const findContacts: Method = {
  signature: 'find(lookup: ContactLookup, options?: CallOptions): Promise<Contact[]>',
  summary: 'Find all contacts with an email address or a phone number',
  input: '',
};

function buildMethod(noun: string, verb: string, route: Route): Method {
  const { summary, method, path, body } = route;
  const fields = (body ?? omitPaging(route.query)) as Shapes;
  const inputName = `${findRecordName(noun)}${capitalize(verb)}${body ? '' : 'Options'}`;
  const hasInput = Object.keys(fields).length > 0;
  const base = body ? '' : 'extends ListOptions ';
  const optionsName = verb !== 'list' ? 'CallOptions' : hasInput ? inputName : 'ListOptions';
  const parameters = [
    ...listPathNames(path).map((name) => `${name}: string`),
    ...(body ? [`fields: ${inputName}`] : []),
    `options?: ${optionsName}`,
  ];
  return {
    signature: `${verb}(${parameters.join(', ')}): ${formatResult(noun, verb, route)}`,
    summary,
    request: `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    input: hasInput ? `export interface ${inputName} ${base}${printObject(fields, printInput, '')}\n` : '',
  };
}

/** `customFields` -> `CustomField`. */
const findRecordName = (noun: string): string =>
  Object.keys(records).find((name) => `${name}s` === capitalize(noun)) ?? (noun === 'entries' ? 'Entry' : '');

const omitPaging = ({ first: _first, after: _after, ...filters }: Route['query'] = {}) => filters;

function formatResult(noun: string, verb: string, { method, output }: Route): string {
  const record = findRecordName(noun);
  if (verb === 'list') return `RecordList<${record}>`;
  if (output === null) return 'Promise<void>';
  return method === 'GET' ? `Promise<${record}>` : `Promise<${record} | null>`;
}

const formatChoices = (options: readonly string[]) =>
  options.join() === dataTypes.join() ? 'DataType' : formatUnion(options);

const formatUnion = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' | ');

function printObject(entries: Shapes, print: Print, indent: string): string {
  const members = Object.entries(entries).map(([name, schema]) => {
    const inner = `${indent}  `;
    const { text, isOptional } = print(schema, name, inner);
    const description = findDescription(schema);
    const doc = description === undefined ? '' : `${inner}/** ${description}. */\n`;
    return `${doc}${inner}readonly ${name}${isOptional ? '?' : ''}: ${text};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

const findDescription = (schema: Shape): string | undefined =>
  v.getDescription(schema as Parameters<typeof v.getDescription>[0]) ??
  (schema.wrapped && findDescription(schema.wrapped));

/** Prints the type of a value that the caller passes. */
const printInput: Print = (schema, name, indent) => {
  const { type, entries, item, value, wrapped, options } = schema;
  const printPart = (part: Shape) => printInput(part, name, indent).text;
  if (wrapped) {
    const { text } = printInput(wrapped, name, indent);
    return type === 'optional'
      ? { text: `${text} | undefined`, isOptional: true }
      : { text: `${text} | null`, isOptional: false };
  }
  const text = options
    ? formatChoices(options)
    : item
      ? `readonly ${wrapUnion(printPart(item))}[]`
      : entries
        ? printObject(entries, printInput, indent)
        : value
          ? `Readonly<Record<string, ${printPart(value)}>>`
          : type;
  return { text, isOptional: false };
};

/** Prints the type of a value that the client returns, as `Received` has it. */
const printReceived: Print = (schema, name, indent) => {
  const { type, entries, item, value, wrapped, options } = schema;
  if (wrapped) {
    const { text, isOptional } = printReceived(wrapped, name, indent);
    const end = text.endsWith(' | undefined') ? '' : ' | undefined';
    if (type === 'optional') return { text: `${text}${end}`, isOptional: true };
    return { text: text.endsWith(' | null') ? text : `${text} | null`, isOptional };
  }
  const printPart = (part: Shape) => printReceived(part, name, indent).text;
  if (item) {
    const missing = replacedLists.some((list) => list === name) ? ' | undefined' : '';
    const itemText = printPart(item).replace(/ \| null$/, '');
    return { text: `readonly ${wrapUnion(itemText)}[]${missing}`, isOptional: false };
  }
  const text = options
    ? formatChoices(options)
    : entries
      ? printObject(entries, printReceived, indent)
      : value?.entries
        ? 'FieldValues'
        : type === 'number'
          ? 'number | string'
          : type;
  return { text: type === 'string' || type === 'unknown' ? text : `${text} | null`, isOptional: false };
};

/** Prints the type of a defined field's value: every member may be missing. */
function printMapItem(entries: Shapes, indent: string): string {
  const print: Print = (schema, name, inner) => {
    const text = printReceived(schema, name, inner).text.replace(/ \| null$/, '');
    return { text: text === 'unknown' ? text : `${text} | null`, isOptional: true };
  };
  return printObject(entries, print, indent);
}

const wrapUnion = (text: string) => (/^[^{]* \| /.test(text) ? `(${text})` : text);
