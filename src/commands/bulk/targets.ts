import type { Session } from '../../cli/command/context.ts';
import { isEntryKey } from '../../cli/flags/references.ts';
import { Failure } from '../../contract/errors.ts';
import type { Noun } from '../../contract/singular-nouns.ts';
import { readRecordId } from '../../values/domain.ts';
import { isObject } from '../../values/json-object.ts';
import { quote } from '../../values/text.ts';

/** A record that a command reads or writes. */
export interface Target {
  readonly id: string;
  /** The list of an entry; on stdin, an id may be without it. */
  readonly list_id?: string | undefined;
}

/** A record, or a word that names one, with its line on stdin. */
export interface NamedTarget extends Target {
  readonly line: number;
}

/** The records that a command expects on stdin. */
export interface ExpectedRecords {
  readonly noun: Noun;
  /** The list that the arguments name. */
  readonly list_id?: string | undefined;
  /** Whether a line may be a name or another reference instead of an id. */
  readonly takesNames: boolean;
}

/**
 * Reads the records on stdin, without duplicates: one id or JSON record per line, or a JSON document.
 * @throws {Failure} usage with the number of the first invalid line
 */
export async function readNamedTargets(session: Session, expected: ExpectedRecords): Promise<NamedTarget[]> {
  if (session.streams.stdin.isTerminal)
    await session.messages.note('Reading ids from stdin. Press Ctrl-D to end.');
  const targets = new Map<string, NamedTarget>();
  for await (const target of parseLines(session, expected)) {
    const key = JSON.stringify([target.list_id, target.id]);
    if (!targets.has(key)) targets.set(key, target);
  }
  return [...targets.values()];
}

async function* parseLines(session: Session, expected: ExpectedRecords): AsyncGenerator<NamedTarget> {
  const { splitLines } = await import('../../import/table.ts');
  let line = 0;
  let document: { text: string; readonly line: number } | undefined;
  for await (const text of splitLines(decode(session.streams.stdin.bytes()))) {
    line += 1;
    const trimmed = text.trim();
    if (document) document.text += `\n${text}`;
    else if (trimmed === '') continue;
    else if (!/^["[{]/.test(trimmed)) yield parseWord(trimmed, line, expected);
    else {
      const value = tryParse(trimmed);
      if (value === undefined) document = { text, line };
      else yield* parseValue(value, line, expected);
    }
  }
  if (!document) return;
  const value = tryParse(document.text);
  if (value === undefined) throw describeLine(document.text.split('\n', 1)[0] ?? '', document.line, expected);
  yield* parseValue(value, document.line, expected);
}

/** Decodes UTF-8 without a byte order mark. @throws {Failure} usage if it is not UTF-8 */
async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new Failure('usage', 'The input on stdin is not UTF-8.');
    throw error;
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Yields the records in a JSON value: a record, an id, or an array of them. */
function* parseValue(value: unknown, line: number, expected: ExpectedRecords): Generator<NamedTarget> {
  for (const item of [value].flat()) {
    if (typeof item === 'string' && item.trim() !== '') {
      yield parseWord(item.trim(), line, expected);
      continue;
    }
    const { id, list_id } = isObject(item) ? item : {};
    if (typeof id !== 'string' || id === '') throw describeLine(JSON.stringify(item), line, expected);
    const named = typeof list_id === 'string' ? list_id : undefined;
    yield expected.noun === 'entries' ? { id, list_id: expected.list_id ?? named, line } : { id, line };
  }
}

function parseWord(text: string, line: number, expected: ExpectedRecords): NamedTarget {
  const { noun, list_id, takesNames } = expected;
  const id = readRecordId(text);
  const isId = /^[\w-]+$/.test(id);
  if (noun === 'entries') {
    if (!isId && !isEntryKey(id)) throw describeLine(text, line, expected);
    return { id, list_id, line };
  }
  // A tab separates the columns of TSV.
  if ((!isId && !takesNames) || text.includes('\t')) throw describeLine(text, line, expected);
  return { id: isId ? id : text, line };
}

function describeLine(text: string, line: number, { noun, takesNames }: ExpectedRecords): Failure {
  const forms = takesNames ? 'an id, a name' : 'an id';
  return new Failure(
    'usage',
    `stdin, line ${line}: ${quote(text)} is not ${forms} or a JSON record with an id.`,
    {
      hint: `Pass the ids of ${noun === 'customFields' ? 'custom fields' : noun}, as \`--ids-only\` prints them, or JSON records.`,
    },
  );
}
