import { Failure } from '../../contract/errors.ts';
import { isExactInJson } from '../../values/field-values.ts';
import type { Session } from '../context.ts';
import { readTextArgument } from '../files.ts';
import { text } from './options.ts';

/** A body, field by field. */
type Body = Readonly<Record<string, unknown>>;

/** The flag that gives a body whole. */
export const dataOption = text('The body as JSON; flags win over it', 'JSON', {
  valueSource: 'file',
  isObject: true,
});

/** The body of a write: what `--data` gives, then the flags that were given, which win. Throws `usage`. */
export async function buildBody(session: Session, data: string | undefined, flags: Body): Promise<Body> {
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  if (data === undefined) return given;
  const body = objectIn(data.startsWith('@') || data === '-' ? await readTextArgument(session, data) : data);
  return {
    ...body,
    ...given,
    ...withOthers(body, given, 'custom_fields'),
    ...withOthers(body, given, 'list_fields'),
  };
}

/** The same for a change: one that changes nothing is a slip. */
export async function buildUpdateBody(
  session: Session,
  data: string | undefined,
  flags: Body,
): Promise<Body> {
  const body = await buildBody(session, data, flags);
  if (data === undefined && Object.keys(body).length === 0) {
    throw new Failure('usage', 'There is nothing to change: give the flags of what is to be another.');
  }
  return body;
}

function objectIn(json: string): Body {
  const value = parsed(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Failure('usage', '--data: it is not a JSON object.');
  }
  if (!keepsNumbers(value)) {
    throw new Failure('usage', '--data: it has a number that JSON does not keep whole.', {
      hint: 'kith api --input sends a body as it is.',
    });
  }
  return { ...value };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Failure('usage', '--data: it is not JSON.', {
      cause: error,
      hint: `Type --data '{"name": "Acme"}', --data @FILE, or --data - for stdin.`,
    });
  }
}

function keepsNumbers(value: unknown): boolean {
  if (typeof value === 'number') return isExactInJson(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(keepsNumbers);
}

/** Values by name: those of the flags, and the others of the body. */
function withOthers(body: Body, given: Body, field: 'custom_fields' | 'list_fields'): Body {
  const [before, added] = [body[field], given[field]];
  if (!Array.isArray(before) || !Array.isArray(added)) return {};
  const names = new Set(added.map(({ name }) => name));
  return { [field]: [...before.filter((value) => !names.has(value?.name)), ...added] };
}
