import type { TypedMapping } from '../../../render/edit/read-yaml.ts';

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
