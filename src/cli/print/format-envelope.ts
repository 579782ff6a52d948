import type { EnvelopeDocument } from '../../contract/documents/schemas.ts';
import { sanitizeJson, sanitizeLines } from '../../render/text/sanitize.ts';
import { indentJson, type RawJson } from '../../values/raw-json.ts';
import { type RecordFormat, runJq, selectTexts } from './format-records.ts';

/**
 * Formats records, or one value, as `{data, pagination, warnings}`, batch by batch. The texts of the records stay as the
 * service sent them. With --jq, the whole envelope is filtered. `getEnd`: returns the members after `data`, once all
 * records are read.
 */
export async function* formatEnvelope(
  batches: AsyncIterable<readonly RawJson[]>,
  { kind, selection, out, session }: RecordFormat,
  getEnd: () => Omit<EnvelopeDocument, 'data'>,
): AsyncGenerator<string> {
  const isList = kind === 'records';
  const textBatches = selectTexts(batches, selection);
  const { jq } = session.globals;
  if (jq !== undefined) {
    const texts: string[] = [];
    for await (const batch of textBatches) texts.push(...batch);
    const data = isList ? `[${texts.join(',')}]` : (texts[0] ?? 'null');
    const lines = await runJq(session, `{"data":${data},${JSON.stringify(getEnd()).slice(1)}`, jq);
    const text = lines.map((line) => `${line}\n`).join('');
    return yield out.isTerminal ? sanitizeLines(text) : text;
  }
  const clean = (text: string) => (out.isTerminal ? sanitizeJson(text) : text);
  yield '{\n  "data": ';
  let isFirst = true;
  for await (const texts of textBatches) {
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
