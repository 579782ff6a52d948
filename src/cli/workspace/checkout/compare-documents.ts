import type { WritableNoun } from '../../../contract/singular-nouns.ts';
import { isSameTyped, type TypedMapping, type TypedNode } from '../../../render/edit/read-yaml.ts';
import { formatBody, readDocumentParts } from './documents.ts';

/** The fields whose values differ between three versions of a file. */
export interface DocumentComparison {
  /** Changed in the file, to values that the service does not have. */
  readonly own: readonly string[];
  /** Changed on the service. */
  readonly service: readonly string[];
  /** Changed to the same value in both. */
  readonly same: readonly string[];
}

/**
 * Compares a file with the content that kith wrote (`base`), and with the content that it would write now (`current`).
 * Needs no request: words for other records are compared as texts.
 */
export function compareDocuments(
  noun: WritableNoun,
  base: string,
  own: string,
  current: string,
): DocumentComparison {
  const [baseFields, ownFields, currentFields] = [base, own, current].map((text) =>
    readFields(noun, text),
  ) as [Fields, Fields, Fields]; // one for each text
  const isSame = (left: TypedNode | undefined, right: TypedNode | undefined) =>
    isSameTyped(left?.value ?? null, right?.value ?? null);
  const names = [...new Set([...baseFields.keys(), ...ownFields.keys(), ...currentFields.keys()])];
  // A line that was deleted changes nothing.
  const isOwn = (name: string) => ownFields.has(name) && !isSame(ownFields.get(name), baseFields.get(name));
  const isService = (name: string) => !isSame(currentFields.get(name), baseFields.get(name));
  const hasCurrent = (name: string) => isSame(ownFields.get(name), currentFields.get(name));
  return {
    own: names.filter((name) => isOwn(name) && !hasCurrent(name)),
    service: names.filter(isService),
    same: names.filter((name) => isOwn(name) && hasCurrent(name)),
  };
}

type Fields = ReadonlyMap<string, TypedNode>;

/** Returns the values of a document by their names; those in a container have its name before theirs. */
function readFields(noun: WritableNoun, text: string): Fields {
  const { mapping, body } = readDocumentParts(noun, text);
  const fields = new Map<string, TypedNode>();
  for (const [name, node] of mapping) {
    const { value } = node;
    if (value instanceof Map)
      for (const [member, nested] of value as TypedMapping) fields.set(`${name}.${member}`, nested); // readYaml builds only such maps
    else fields.set(name, node);
  }
  if (body !== undefined) fields.set('body', { line: 1, value: formatBody(body) });
  return fields;
}
