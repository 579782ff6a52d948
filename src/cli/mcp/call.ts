import { Readable } from 'node:stream';
import { Failure } from '../../contract/errors.ts';
import type { Session, Source } from '../context.ts';
import { failureOf } from '../failure.ts';
import type { Globals } from '../flags/globals.ts';
import type { Parsed } from '../mount.ts';
import { buildFailureResult, buildResult, buildUsageErrorResult, type ToolResult } from './results.ts';
import type { Tool } from './tools.ts';
import { buildCommandLine, formatInputNames, readOffset } from './tools.ts';

/** The values of a call: each an argument or a flag of the tool's command. */
type ToolInput = Readonly<Record<string, unknown>>;

/** Runs a tool as the command that it is, on the session of its call; what fails is a result too. */
export async function callTool(session: Session, tool: Tool, values: ToolInput): Promise<ToolResult> {
  let asked: { readonly parsed: Parsed; readonly offset: number };
  try {
    asked = { parsed: await parsedCall(session, tool, values), offset: readOffset(values) };
  } catch (error) {
    return buildUsageErrorResult(failureOf(error, session.signal));
  }
  const { offset } = asked;
  const { command, input, globals } = asked.parsed;
  try {
    const answer = await command.run(sessionFor(globals, session, offset), input);
    return await buildResult(answer, { command, fields: globals.fields, offset });
  } catch (error) {
    return buildFailureResult(failureOf(error, session.signal));
  }
}

/** What a call asks for. Throws `usage`; what helps at a command line is of no use to an agent. */
async function parsedCall(session: Session, tool: Tool, values: ToolInput): Promise<Parsed> {
  const line = buildCommandLine(tool, values);
  const { lineRead } = await import('../run.ts');
  const parsed = await lineRead(line, session).catch((error: unknown) => {
    const { code, message } = failureOf(error, session.signal);
    throw new Failure(code, message, { hint: `${tool.name} takes ${formatInputNames(tool)}.` });
  });
  if (!parsed) throw new Failure('failed', 'This is no command.');
  return parsed;
}

/** This session with the flags of one call; records that are passed over are read too. */
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

/** Stdin is the client's. */
const noStdin: Source = {
  isTerminal: false,
  text: () => Promise.reject(new Failure('usage', 'A tool has no stdin.')),
  bytes: () => Readable.from([]),
};
