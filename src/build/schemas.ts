import { toJsonSchema } from '@valibot/to-json-schema';
import { resultSchemas } from '../contract/documents/results.ts';

/** Returns the JSON Schema (2020-12) of each published document: path -> text. */
export function buildSchemas(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(resultSchemas).map(([name, schema]) => {
      const { $schema, title, ...document } = toJsonSchema(schema, {
        target: 'draft-2020-12',
        errorMode: 'ignore',
      });
      const published = { $schema, $id: `urn:kith:schema:${name}`, title, ...document };
      return [`docs/schemas/${name}.json`, `${JSON.stringify(published, null, 2)}\n`];
    }),
  );
}
