import { type AnyCommand, findEntry, type ParsedCommand } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { readTextArgument, readTextFile } from '../../cli/command/files.ts';
import { buildCallLine, listCommandParameters } from '../../cli/flags/command-line.ts';
import { toCommandWords } from '../../cli/words.ts';
import { addErrorPrefix, Failure } from '../../contract/errors.ts';
import { isObject } from '../../values/json-object.ts';
import { quote } from '../../values/text.ts';
import { type CallValues, listReferencedLines, replaceReferences } from './references.ts';

export interface BatchLine {
  /** Its number in the file, from 1. */
  readonly line: number;
  /** The words of the command: `contacts create`. */
  readonly name: string;
  readonly command: AnyCommand;
  readonly values: CallValues;
  /** The earlier lines that it refers to. */
  readonly referencedLines: readonly number[];
  /** Whether it deletes records. */
  readonly isDeletion: boolean;
}

/** The global flags that a line can have. */
const lineFlags = ['limit', 'all', 'fields'];

/** Returns the command line of a line with values. @throws {Failure} usage */
function buildLine({ name, command }: Pick<BatchLine, 'name' | 'command'>, values: CallValues): string[] {
  return buildCallLine({ name, words: name.split(' '), command }, values, {
    parameters: listCommandParameters(command, lineFlags),
    callers: 'Lines of a batch',
  });
}

/**
 * Checks all lines of a batch. `source` precedes the line number in errors, such as `stdin, `.
 * @throws {Failure} usage with the number of the first invalid line
 */
export async function parseLines(
  session: Session,
  texts: readonly string[],
  source: string,
): Promise<BatchLine[]> {
  const lines: BatchLine[] = [];
  for (const [index, text] of texts.entries()) {
    if (text.trim() === '') continue;
    const line = index + 1;
    try {
      lines.push(await parseLine(session, text, line, lines));
    } catch (error) {
      throw addErrorPrefix(`${source}line ${line}`, error);
    }
  }
  return lines;
}

/** Reads a batch, and checks all its lines. @throws {Failure} usage with the number of the first invalid line */
export async function readBatch(session: Session, file: string): Promise<BatchLine[]> {
  const isStdin = file === '-';
  const text = isStdin ? await readTextArgument(session, '-') : await readTextFile(file);
  return parseLines(session, text.replace(/^\ufeff/, '').split('\n'), isStdin ? 'stdin, ' : `${file}, `);
}

async function parseLine(
  session: Session,
  text: string,
  line: number,
  earlier: readonly BatchLine[],
): Promise<BatchLine> {
  const { command: name, ...values } = parseObject(text);
  if (typeof name !== 'string')
    throw new Failure('usage', '"command" is missing.', {
      hint: 'Each line is an object such as {"command":"contacts create","first_name":"Ada"}.',
    });
  const words = await toCommandWords(session.services.tree, name.trim().split(/\s+/));
  const command = await findCommand(session, words);
  const referencedLines = [...new Set(listReferencedLines(values))];
  for (const referenced of referencedLines)
    if (!earlier.some((other) => other.line === referenced))
      throw new Failure('usage', `$${referenced} does not refer to an earlier line with a command.`);
  const call = { line, name: words.join(' '), command, values, referencedLines };
  const parsed = await checkCall(session, call);
  const { describeInteraction } = command;
  const reason = describeInteraction?.(parsed.input, parsed.globals);
  if (reason !== undefined) throw new Failure('usage', `\`kith ${call.name}\` ${reason}.`);
  const isDeletion = describeInteraction?.(parsed.input, { yes: false, dryRun: false }) !== undefined;
  return { ...call, isDeletion };
}

function parseObject(text: string): CallValues {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Failure('usage', `${quote(text.trim())} is not valid JSON.`, {
      cause,
      hint: 'Put one JSON object on each line.',
    });
  }
  if (isObject(value)) return value;
  throw new Failure('usage', `${quote(text.trim())} is not a JSON object.`);
}

/** Finds a command that reads or writes records. @throws {Failure} usage if there is none */
async function findCommand(session: Session, words: readonly string[]): Promise<AnyCommand> {
  const [noun = '', ...verbs] = words;
  const entry = findEntry(session.services.tree, noun);
  const commands = entry ? await entry.commands() : [];
  const command = commands.find(({ name }) => name === (verbs.join(' ') || entry?.name));
  if (!entry || !command) {
    await session.services.parseCommandLine(words); // the failure has suggestions
    throw new Failure('usage', `Unknown command: ${words.join(' ')}`, { hint: 'See `kith help all`.' });
  }
  if (entry.title === 'Records:' && !command.isFileBased && !command.recording) return command;
  throw new Failure('usage', `A batch cannot run \`kith ${words.join(' ')}\`.`, {
    hint: 'A batch runs commands that read or write records, except api, imports, exports, merges and undo.',
  });
}

/** Placeholders for references while a line is checked: an id or a number, an address, and a date. */
const standIns = ['1', 'a@example.com', '2000-01-01'];

/** Checks a line. The values of its references are not known yet. @throws {Failure} usage */
async function checkCall(
  session: Session,
  call: Pick<BatchLine, 'name' | 'command' | 'values' | 'referencedLines'>,
): Promise<ParsedCommand> {
  let failure: unknown;
  for (const standIn of call.referencedLines.length > 0 ? standIns : ['']) {
    const values = replaceReferences(call.values, () => standIn) as CallValues; // an object stays one
    try {
      return await parseCall(session, call, values);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

/** Parses the command line of a line with values. @throws {Failure} usage */
export async function parseCall(
  session: Session,
  call: Pick<BatchLine, 'name' | 'command'>,
  values: CallValues,
): Promise<ParsedCommand> {
  const parsed = await session.services.parseCommandLine(buildLine(call, values));
  if (parsed) return parsed;
  throw new Failure('usage', `\`kith ${call.name}\` has no command to run.`);
}
