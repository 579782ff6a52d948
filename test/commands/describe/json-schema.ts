import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject } from '../../../src/values/json-object.ts';

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);

/** Returns a schema whose objects have no undescribed members, so that a test finds a new one. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).map(([name, member]) => [name, close(member)]);
  return {
    ...(isObject(schema.properties) && { additionalProperties: false }),
    ...Object.fromEntries(members),
  };
}

const validators = new Map<string, ValidateFunction>();

/** Returns a function that lists the differences of a value from a published schema; `NAME[]` is an array. */
export function createSchemaCheck(result: string): (value: unknown) => string[] {
  const [name = ''] = result.split('[]');
  const { $id: _, ...schema } = JSON.parse(readFileSync(`docs/schemas/${name}.json`, 'utf8'));
  const closed = close(result === name ? schema : { type: 'array', items: schema });
  const validate = validators.get(result) ?? ajv.compile(closed as object);
  validators.set(result, validate);
  return (value) => {
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath} ${message} ${params.additionalProperty ?? ''}`.trim(),
    );
  };
}
