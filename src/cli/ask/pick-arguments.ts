import type { Failure } from '../../contract/errors.ts';
import { type AnyCommand, normalizeArgument } from '../command.ts';
import type { Session } from '../context.ts';
import { isInteractive } from '../interaction.ts';
import { pickRecord } from './pick-record.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * Lets the person at the terminal choose the records that missing arguments name, and returns the complete input.
 * @throws {Failure} `missing` without a terminal, not_found if there is nothing to choose from, interrupted on Escape
 */
export async function pickArguments(
  session: Session,
  { args = {} }: Pick<AnyCommand, 'args'>,
  input: Input,
  missing: Failure,
): Promise<Input> {
  if (!isInteractive(session)) throw missing;
  let complete = input;
  let before: Parameters<typeof pickRecord>[1]['before'];
  for (const [name, definition] of Object.entries(args)) {
    const { record, summary, isRepeatable } = normalizeArgument(definition);
    const value = complete[name];
    const isMissing = value === undefined || (Array.isArray(value) && value.length === 0);
    if (isMissing && !record) continue; // a form asks for it
    const id = record && isMissing ? await pickRecord(session, { record, summary, before }) : String(value);
    if (isMissing) complete = { ...complete, [name]: isRepeatable ? [id] : id };
    before = { record, value: id };
  }
  return complete;
}
