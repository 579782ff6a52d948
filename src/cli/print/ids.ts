import { Failure } from '../../contract/errors.ts';
import type { OutputStream } from '../../process/streams.ts';
import { sanitizeLines } from '../../render/text/sanitize.ts';
import { readObject } from '../../values/json-object.ts';
import type { RawJson } from '../../values/raw-json.ts';

/** Formats the ids of records, one per line. @throws {Failure} usage if a record has no id */
export async function* formatIds(
  batches: AsyncIterable<readonly RawJson[]>,
  out: OutputStream,
): AsyncGenerator<string> {
  for await (const records of batches) {
    const text = records.map(({ value }) => `${readId(value)}\n`).join('');
    yield out.isTerminal ? sanitizeLines(text) : text;
  }
}

function readId(record: unknown): string {
  const { id } = readObject(record);
  if (typeof id === 'string') return id;
  throw new Failure('usage', '--ids-only: these records have no field "id".', {
    hint: 'Use --fields, or --jq with --format ndjson.',
  });
}
