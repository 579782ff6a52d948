import type { Batch } from '../../client/pagination.ts';
import type { CustomField } from '../../contract/custom-fields.ts';
import type { Received } from '../../contract/received.ts';
import { getWorkspaceKey } from '../../settings/connection.ts';
import { type FieldName, fieldCache } from '../../settings/name-cache.ts';
import { findConnection } from '../connect/connection.ts';
import type { Session } from '../context.ts';

type NamedField = Pick<Received<CustomField>, 'name' | 'model' | 'options'>;

/** Returns what the completion offers of fields. Omits those without a name. */
export function toFieldNames(fields: readonly NamedField[]): FieldName[] {
  return fields.flatMap(({ name, model, options }) =>
    typeof name === 'string' ? [{ name, ...(model && { model }), options: options ?? [] }] : [],
  );
}

/** Passes custom fields on and caches their names after the last one, for the completion. */
export async function* cacheFieldNamesFrom(
  session: Session,
  batches: AsyncIterable<Batch<Received<CustomField>>>,
): AsyncGenerator<Batch<Received<CustomField>>> {
  const all: FieldName[] = [];
  for await (const batch of batches) {
    all.push(...toFieldNames(batch.records.flatMap(({ value }) => value ?? [])));
    if (!batch.hasMore) {
      const key = getWorkspaceKey(await findConnection(session, session.globals));
      await fieldCache.write(session.env, session.lockHolder, key, all);
    }
    yield batch;
  }
}
