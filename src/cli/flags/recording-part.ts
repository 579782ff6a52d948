import { Failure } from '../../contract/errors.ts';
import { recordings as routes } from '../../contract/recordings.ts';
import { fieldsOf } from '../../render/fields.ts';
import { type RawJson, rawMember, toRawJson } from '../../values/raw-json.ts';
import type { Session } from '../context.ts';

/** A part of a recording that is done: before, it has none of them (specification, 3.2). */
export async function partOf(
  { client }: Session,
  id: string,
  part: 'summary' | 'transcript',
): Promise<RawJson> {
  const recording = await (await client()).record(routes.get, { id });
  const { status } = fieldsOf(recording.value);
  if (status === 'done') return rawMember(recording, part) ?? toRawJson(null);
  throw new Failure('busy', `The recording ${id} is not done; its status is "${status}".`, {
    hint: status === 'failed' ? undefined : 'Try again later.',
  });
}
