import { isReference } from '../../cli/flags/references.ts';
import type { ValueReader } from '../../cli/references/field-input.ts';
import type { PartyNoun, WritableNoun } from '../../contract/singular-nouns.ts';
import { formatCell } from '../../render/cells.ts';
import type { GetName } from '../../render/collect-references.ts';
import { readYaml, type TypedMapping } from '../../render/edit/read-yaml.ts';
import { normalizeLineEnds } from '../../values/text.ts';
import { type FieldChange, readFieldChanges, writeFields } from '../edit/edit-document.ts';
import { EditError, restoreLineEnds } from '../edit/edit-values.ts';
import { type DocumentField, isDocumentBody } from './document-fields.ts';
import type { ReferenceWord } from './reference-words.ts';

/** A file with a record's fields. */
export interface RecordDocument {
  readonly text: string;
  /** The words for other records, by id. */
  readonly words: Readonly<Record<string, string>>;
}

/** Returns the word for a record. */
export type FindWord = (kind: PartyNoun, id: string) => ReferenceWord;

/** Writes the fields of a record as a file: YAML, or for a note Markdown after YAML front matter. */
export function writeDocument(
  noun: WritableNoun,
  fields: readonly DocumentField[],
  findWord: FindWord,
): RecordDocument {
  const words: Record<string, string> = {};
  const names = new Map<string, string>();
  const toWord = (kind: PartyNoun, id: string) => {
    const { word, name } = findWord(kind, id);
    words[id] = word;
    names.set(word, name);
    return word;
  };
  const replaceIds = (field: DocumentField): DocumentField => {
    const { type, value } = field;
    if (!isReference(type)) return field;
    const replace = (id: unknown) => (typeof id === 'string' && id !== '' ? toWord(type, id) : id);
    return { ...field, value: Array.isArray(value) ? value.map(replace) : replace(value) };
  };
  const getName: GetName = (_, word) => names.get(word) ?? word;
  const shown = fields.filter((field) => !isDocumentBody(noun, field)).map(replaceIds);
  const yaml = writeFields([], shown, getName, () => undefined).trimStart();
  if (noun !== 'notes') return { text: yaml, words };
  const body = fields.find((field) => isDocumentBody(noun, field));
  return { text: `---\n${yaml}---\n\n${formatBody(body?.value)}\n`, words };
}

/** Formats a body as a file shows it. The line endings of a record are restored when it is sent. */
const formatBody = (body: unknown) => normalizeLineEnds(formatCell(body, ', ')).trimEnd();

/** Reads how a file changes the fields of a record. `original`: the document that kith wrote; undefined for a new record. */
export async function readDocument(
  read: ValueReader,
  noun: WritableNoun,
  text: string,
  original: string | undefined,
  fields: readonly DocumentField[],
): ReturnType<typeof readFieldChanges> {
  const markers = findMergeMarkers(text);
  if (markers.length > 0) return { changes: [], errors: markers };
  const parts = splitDocument(noun, text);
  if (parts instanceof EditError) return { changes: [], errors: [parts] };
  const earlier = original === undefined ? undefined : splitDocument(noun, original);
  const originalYaml = earlier && !(earlier instanceof EditError) ? earlier.yaml : '';
  const yamlFields = fields.filter((field) => !isDocumentBody(noun, field));
  const yamlChanges = await readFieldChanges(read, parts.yaml, readYaml(originalYaml).mapping, yamlFields);
  const changes = [...yamlChanges.changes];
  const errors = [...yamlChanges.errors];
  const body = fields.find((field) => isDocumentBody(noun, field));
  if (body && parts.body !== undefined) {
    const after = formatBody(parts.body);
    if (after.trim() === '') errors.push(new EditError(parts.bodyLine, 'body: A text is required.'));
    else if (after !== formatBody(body.value))
      changes.push({ field: body, after: restoreLineEnds(after, body.value) });
  }
  if (original !== undefined) errors.push(...findFixedChanges(parts.yaml, yamlChanges.changes));
  return { changes, errors };
}

interface DocumentParts {
  /** The YAML, in the same lines as in the file. */
  readonly yaml: string;
  readonly body?: string;
  readonly bodyLine: number;
}

/** Splits a note into its front matter and its body. */
function splitDocument(noun: WritableNoun, text: string): DocumentParts | EditError {
  if (noun !== 'notes') return { yaml: text, bodyLine: 1 };
  const source = normalizeLineEnds(text.replace(/^\ufeff/, ''));
  if (!source.startsWith('---\n')) return { yaml: '', body: source, bodyLine: 1 };
  const lines = source.split('\n');
  const end = lines.indexOf('---', 1);
  if (end < 0) return new EditError(1, 'The front matter has no end: add a line "---" after it.');
  const rest = lines.slice(end + 1);
  if (rest[0] === '') rest.shift();
  return {
    yaml: ['', ...lines.slice(1, end), ''].join('\n'),
    body: rest.join('\n'),
    bodyLine: end + 2,
  };
}

/** Returns an error for each change of a field that only a new record can set. */
function findFixedChanges(yaml: string, changes: readonly FieldChange[]): EditError[] {
  const isFixed = ({ field }: { field: DocumentField }) => field.isFixed;
  const fixed = changes.filter(isFixed);
  if (fixed.length === 0) return [];
  const { mapping } = readYaml(yaml);
  return fixed.map(({ field: { name } }) => {
    const { line = 1 } = mapping.get(name) ?? {};
    return new EditError(line, `${name}: The API cannot change this field. Restore its value.`);
  });
}

/** Returns an error for the first marker of a merge conflict of Git. */
function findMergeMarkers(text: string): EditError[] {
  const line = text.split(/\r?\n/).findIndex((one) => /^(<{7}|>{7})( |$)/.test(one));
  return line < 0
    ? []
    : [new EditError(line + 1, 'A merge conflict of Git begins here. Resolve it, and remove the markers.')];
}

/** Returns the values that a file sets, by the names of fields, before references are resolved. */
export function readTypedMapping(noun: WritableNoun, text: string): TypedMapping {
  const parts = splitDocument(noun, text);
  return parts instanceof EditError ? new Map() : readYaml(parts.yaml).mapping;
}

/** Returns the id in a file; undefined if it has none. */
export function readDocumentId(noun: WritableNoun, text: string): string | undefined {
  const value = readTypedMapping(noun, text).get('id')?.value;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Returns the line of a field in a document, also in a container such as `custom_fields`; 1 if it has none. */
export function findLine(mapping: TypedMapping, name: string): number {
  const own = mapping.get(name);
  if (own) return own.line;
  for (const { value } of mapping.values()) {
    const nested = value instanceof Map ? (value as TypedMapping).get(name) : undefined; // readYaml builds only such maps
    if (nested) return nested.line;
  }
  return 1;
}
