import { addErrorPrefix, Failure } from '../../contract/errors.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { convertInput, omitEmptyInput, parseJson, selectVariant, type ToolInput } from './command-line.ts';
import type { Tool } from './tools.ts';

/** Returns the values of `records_write_many` with the lines of a batch instead of calls. @throws {Failure} usage */
export function toBatchValues(tools: readonly Tool[], values: ToolInput): ToolInput {
  const { line = [] } = values;
  const calls = [line].flat().flatMap((call: unknown) => (typeof call === 'string' ? parseJson(call) : call));
  if (calls.length === 0) throw new Failure('usage', 'line is required.');
  const lines = calls.map((call, index) => {
    try {
      return toBatchLine(tools, readObject(call));
    } catch (error) {
      throw addErrorPrefix(`line ${index + 1}`, error);
    }
  });
  return { ...values, line: lines };
}

/** Returns the command of a call, with its values by the names of the command. Its result has only the id. */
function toBatchLine(tools: readonly Tool[], { tool: toolName, ...call }: JsonObject): JsonObject {
  const offered = tools.filter(
    ({ isWrite, isConfirmed, variants }) =>
      isWrite && !isConfirmed && [...variants.values()].every(({ command }) => !command.recording),
  );
  const tool = offered.find(({ name }) => name === toolName);
  if (!tool) {
    const names = offered.map(({ name }) => name).join(', ');
    throw new Failure('usage', `tool: ${JSON.stringify(toolName)} is not one of ${names}.`);
  }
  const values = omitEmptyInput(call);
  const variant = selectVariant(tool, values);
  const named = Object.entries(convertInput(tool, variant, values)).map(([name, value]) => {
    const { flag, option } = variant.parameters.get(name) ?? {};
    return [flag === undefined ? (option?.placeholder ?? name) : name, value]; // the argument's own name
  });
  return { command: variant.words.join(' '), fields: 'id', ...Object.fromEntries(named) };
}
