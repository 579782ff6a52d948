import { Readable } from 'node:stream';
import { type CommandResult, type ParsedCommand, toBatches } from '../../cli/command/command.ts';
import type { ClientFactory, Session } from '../../cli/command/context.ts';
import { isWrite } from '../../cli/command/effects.ts';
import { findDocument, selectFromBatches } from '../../cli/print/print.ts';
import { resolveInput } from '../../cli/references/resolve-input.ts';
import { Failure } from '../../contract/errors.ts';
import type { InputStream } from '../../process/streams.ts';
import { selectFields } from '../../render/select.ts';
import { joinElements, type RawJson } from '../../values/raw-json.ts';

/** The lines of a batch cannot read stdin. */
const noStdin: InputStream = {
  isTerminal: false,
  text: () => Promise.reject(new Failure('usage', 'A line of a batch cannot read stdin.')),
  bytes: () => Readable.from([]),
};

/** Runs the command of a line and returns its result as JSON. `createClient`: if omitted, as the session does. */
export async function runLine(
  session: Session,
  parsed: ParsedCommand,
  createClient?: ClientFactory,
): Promise<{ readonly data: RawJson; readonly failure: Failure | undefined }> {
  const { command, input } = parsed;
  const lineSession = createLineSession(session, parsed, createClient);
  const result = await command.run(lineSession, await resolveInput(lineSession, command, input));
  const data = await readData(lineSession, result);
  return { data, failure: result.failure };
}

/** Returns a session with the flags of one line. A name in it is looked up again, because an earlier line may have written it. */
function createLineSession(
  session: Session,
  { command, globals: { limit, all, fields } }: ParsedCommand,
  createClient: ClientFactory | undefined,
): Session {
  return session.derive({
    call: { isWrite: isWrite(command), commandLine: undefined },
    ...(createClient && { client: createClient }),
    streams: { ...session.streams, stdin: noStdin },
    globals: { ...session.globals, limit, all, fields, yes: true, noInput: true, quiet: true },
    messages: { ...session.messages, note: async () => {} },
    preferences: async () => {
      const preferences = await session.preferences();
      return { ...preferences, limit: limit ?? preferences.limit };
    },
  });
}

async function readData(session: Session, result: CommandResult): Promise<RawJson> {
  const { fields } = session.globals;
  if (result.kind === 'text') return result.json;
  const document = findDocument(result, fields);
  if (document) return document;
  const { batches, selection } = await selectFromBatches(toBatches(result), result, fields, session);
  const records: RawJson[] = [];
  for await (const batch of batches)
    records.push(
      ...batch.records.map((record) => (selection ? selectFields(record, selection.paths) : record)),
    );
  const [first] = records;
  return result.kind === 'record' && first ? first : joinElements(records);
}
