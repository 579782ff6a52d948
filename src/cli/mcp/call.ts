import { Readable } from 'node:stream';
import { Failure } from '../../contract/errors.ts';
import type { Session, Source } from '../context.ts';
import { failureOf } from '../failure.ts';
import type { Globals } from '../globals.ts';
import { lineFor } from './inputs.ts';
import { type Result, resultOf, resultOfFailure } from './results.ts';
import type { Tool } from './tools.ts';

/** Runs a tool as the command that it is, on the client of this session; what fails is a result too. */
export async function called(
  session: Session,
  tool: Tool,
  values: Readonly<Record<string, unknown>>,
): Promise<Result> {
  try {
    const { lineRead } = await import('../run.ts');
    const parsed = await lineRead(lineFor(tool, values), session);
    if (!parsed) throw new Failure('failed', 'This is no command.');
    const { command, input, globals } = parsed;
    return await resultOf(await command.run(sessionFor(globals, session), input), globals.fields);
  } catch (error) {
    return resultOfFailure(failureOf(error, session.signal));
  }
}

/** This session with the flags of one call. */
function sessionFor({ limit, dryRun, yes }: Globals, session: Session): Session {
  return {
    ...session,
    stdin: noStdin,
    globals: { ...session.globals, limit, dryRun, yes },
    preferences: async () => {
      const preferences = await session.preferences();
      return { ...preferences, limit: limit ?? preferences.limit };
    },
  };
}

/** Stdin is the client's. */
const noStdin: Source = {
  isTerminal: false,
  text: () => Promise.reject(new Failure('usage', 'A tool has no stdin.')),
  bytes: () => Readable.from([]),
};
