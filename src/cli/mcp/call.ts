import { Readable } from 'node:stream';
import { Failure } from '../../contract/errors.ts';
import type { InputStream, Session } from '../context.ts';
import type { Globals } from '../flags/globals.ts';
import type { ParsedCommand } from '../mount.ts';
import { toRunFailure } from '../session.ts';
import { buildFailureResult, buildResult, buildUsageErrorResult, type ToolResult } from './results.ts';
import type { Tool } from './tools.ts';
import { buildCommandLine, formatInputNames, readOffset } from './tools.ts';

/** The values of a call: arguments and flags of the tool's command. */
type ToolInput = Readonly<Record<string, unknown>>;

/** Runs the command of a tool and returns its result; a failure becomes an error result. */
export async function callTool(session: Session, tool: Tool, values: ToolInput): Promise<ToolResult> {
  let call: { readonly parsed: ParsedCommand; readonly offset: number };
  try {
    call = { parsed: await parseCall(session, tool, values), offset: readOffset(values) };
  } catch (error) {
    return buildUsageErrorResult(toRunFailure(error, session.signal));
  }
  const { offset } = call;
  const { command, input, globals } = call.parsed;
  try {
    const result = await command.run(sessionFor(globals, session, offset), input);
    return await buildResult(result, { command, fields: globals.fields, offset });
  } catch (error) {
    return buildFailureResult(toRunFailure(error, session.signal));
  }
}

/**
 * Parses the values of a call. Hints for the command line are replaced by the parameters of the tool.
 *
 * @throws {Failure} usage if a value is invalid
 */
async function parseCall(session: Session, tool: Tool, values: ToolInput): Promise<ParsedCommand> {
  const line = buildCommandLine(tool, values);
  const { parseCommandLine } = await import('../run.ts');
  const parsed = await parseCommandLine(line, session).catch((error: unknown) => {
    const { code, message } = toRunFailure(error, session.signal);
    throw new Failure(code, message, { hint: `${tool.name} accepts: ${formatInputNames(tool)}.` });
  });
  if (!parsed) throw new Failure('failed', 'The call does not run a command.');
  return parsed;
}

/** Returns a session with the flags of one call. Its limit includes the records that the offset skips. */
function sessionFor({ limit, dryRun, yes }: Globals, session: Session, offset: number): Session {
  return {
    ...session,
    stdin: noStdin,
    globals: { ...session.globals, limit, dryRun, yes },
    preferences: async () => {
      const preferences = await session.preferences();
      return { ...preferences, limit: offset + (limit ?? preferences.limit) };
    },
  };
}

/** Stdin carries the messages of the client. */
const noStdin: InputStream = {
  isTerminal: false,
  text: () => Promise.reject(new Failure('usage', 'MCP tools cannot read stdin.')),
  bytes: () => Readable.from([]),
};
