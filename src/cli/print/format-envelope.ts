import type { EnvelopeDocument } from '../../contract/documents/schemas.ts';
import type { OutputStream } from '../../process/streams.ts';
import { sanitizeJson, sanitizeLines } from '../../render/text/sanitize.ts';
import { indentJson } from '../../values/raw-json.ts';
import type { Session } from '../command/context.ts';
import { runJq } from './format-records.ts';

/** The members of an envelope after `data`, which are known at the end of a list. */
type EnvelopeEnd = Omit<EnvelopeDocument, 'data'>;

interface EnvelopeFormat {
  /** Whether `data` is an array of the records, not the only record. */
  readonly isList: boolean;
  readonly out: OutputStream;
  readonly session: Session;
  /** Returns the other members after all records are read. */
  readonly getEnd: () => EnvelopeEnd;
}

/**
 * Formats records, or one value, as `{data, pagination, warnings}`, batch by batch. The texts of the records stay as the
 * service sent them. With --jq, the whole envelope is filtered.
 */
export async function* formatEnvelope(
  batches: AsyncIterable<readonly string[]>,
  { isList, out, session, getEnd }: EnvelopeFormat,
): AsyncGenerator<string> {
  const { jq } = session.globals;
  if (jq !== undefined) {
    const texts: string[] = [];
    for await (const batch of batches) texts.push(...batch);
    const data = isList ? `[${texts.join(',')}]` : (texts[0] ?? 'null');
    const lines = await runJq(session, `{"data":${data},${JSON.stringify(getEnd()).slice(1)}`, jq);
    const text = lines.map((line) => `${line}\n`).join('');
    return yield out.isTerminal ? sanitizeLines(text) : text;
  }
  const clean = (text: string) => (out.isTerminal ? sanitizeJson(text) : text);
  yield '{\n  "data": ';
  let isFirst = true;
  for await (const texts of batches) {
    if (texts.length === 0) continue;
    const indent = isList ? '    ' : '  ';
    const items = texts.map((text) => indentJson(text).replaceAll('\n', `\n${indent}`));
    const start = isFirst ? '[\n    ' : ',\n    ';
    yield `${isList ? start : ''}${clean(items.join(',\n    '))}`;
    isFirst = false;
  }
  if (isList) yield isFirst ? '[]' : '\n  ]';
  yield `,${clean(JSON.stringify(getEnd(), null, 2).slice(1))}\n`;
}
