import { Failure } from '../../contract/errors.ts';
import { isExactInJson } from '../../values/field-values.ts';
import type { Session } from '../context.ts';
import { readTextArgument } from '../files.ts';
import { text } from './options.ts';

/** The fields of a request body. */
type Body = Readonly<Record<string, unknown>>;

/** The flag for a complete body. */
export const dataOption = text('Request body as JSON; other flags override it', 'JSON', {
  valueSource: 'file',
  isObject: true,
});

/**
 * Builds the body of a write from `--data` and the flags, which override it.
 * @throws {Failure} usage
 */
export async function buildBody(session: Session, data: string | undefined, flags: Body): Promise<Body> {
  const fields = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  if (data === undefined) return fields;
  const body = parseObject(
    data.startsWith('@') || data === '-' ? await readTextArgument(session, data) : data,
  );
  return {
    ...body,
    ...fields,
    ...mergeNamedValues(body, fields, 'custom_fields'),
    ...mergeNamedValues(body, fields, 'list_fields'),
  };
}

/**
 * Builds the body of an update.
 * @throws {Failure} usage if it would change nothing
 */
export async function buildUpdateBody(
  session: Session,
  data: string | undefined,
  flags: Body,
): Promise<Body> {
  const body = await buildBody(session, data, flags);
  if (data === undefined && Object.keys(body).length === 0) {
    throw new Failure('usage', 'Nothing to update. Pass at least one field flag.');
  }
  return body;
}

function parseObject(json: string): Body {
  const value = parseJson(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Failure('usage', '--data: The value is not a JSON object.');
  }
  if (!hasExactNumbers(value)) {
    throw new Failure('usage', '--data: The value contains a number that would lose precision.', {
      hint: 'To send a body unchanged, use `kith api PATH --input FILE`.',
    });
  }
  return { ...value };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Failure('usage', '--data: The value is not valid JSON.', {
      cause: error,
      hint: `Use --data '{"name": "Acme"}', --data @FILE, or --data - for stdin.`,
    });
  }
}

function hasExactNumbers(value: unknown): boolean {
  if (typeof value === 'number') return isExactInJson(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasExactNumbers);
}

/** Returns the named values of a field: those of the flags, and the others of the body. */
function mergeNamedValues(body: Body, flags: Body, field: 'custom_fields' | 'list_fields'): Body {
  const [before, added] = [body[field], flags[field]];
  if (!Array.isArray(before) || !Array.isArray(added)) return {};
  const names = new Set(added.map(({ name }) => name));
  return { [field]: [...before.filter((value) => !names.has(value?.name)), ...added] };
}
