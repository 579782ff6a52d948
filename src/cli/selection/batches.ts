import type { Batch } from '../../client/pagination.ts';
import type { Field, Filter } from '../../filter/filter.ts';
import { createFieldSortedList } from '../../filter/order.ts';
import { readObject } from '../../values/json-object.ts';
import type { RawJson } from '../../values/raw-json.ts';

/**
 * Yields the records that match a filter, and reads no page after the limit is reached. The total is known only if the
 * service applies the same filter and no record is dropped.
 */
export async function* filterBatches<T>(
  batches: AsyncIterable<Batch<T>>,
  filters: readonly Filter[],
  {
    limit = Number.POSITIVE_INFINITY,
    isSent,
  }: { readonly limit: number | undefined; readonly isSent: boolean },
): AsyncGenerator<Batch<T>> {
  const usedFields = filters.flatMap(({ fields }) => fields);
  let remaining = limit;
  let isFiltered = !isSent;
  for await (const batch of batches) {
    const records = batch.records.map(({ value }) => readObject(value));
    for (const filter of filters) await filter.load(records);
    const matches = batch.records.filter((_, index) =>
      filters.every((filter) => filter.matches(records[index] ?? {})),
    );
    isFiltered ||= matches.length < records.length;
    const page = matches.slice(0, remaining);
    remaining -= page.length;
    const isExhausted = filters.some((filter) => filter.isExhausted());
    const hasMore = (batch.hasMore && !isExhausted) || page.length < matches.length;
    yield {
      ...batch,
      records: page,
      hasMore,
      usedFields,
      ...(isFiltered && { total: undefined, isFiltered }),
    };
    if (remaining <= 0 || isExhausted) return;
  }
}

/** Yields the first records in the order of a field, after the last page. */
export async function* sortBatches(
  batches: AsyncIterable<Batch>,
  { field, isDescending }: { readonly field: Field; readonly isDescending: boolean },
  limit: number | undefined,
): AsyncGenerator<Batch> {
  const list = createFieldSortedList<RawJson>(field, isDescending, limit);
  let isReread = false;
  let usedFields: readonly string[] = [];
  for await (const { records, ...batch } of batches) {
    isReread ||= batch.isReread === true;
    usedFields = batch.usedFields ?? [];
    const values = records.map(({ value }) => readObject(value));
    await field.load?.(values, []);
    for (const [index, record] of records.entries()) list.add(record, values[index] ?? {});
  }
  const records = list.toArray();
  const hasMore = records.length < list.getCount();
  yield {
    ...{ records, total: list.getCount(), hasMore, usedFields: [...usedFields, field.name] },
    ...(isReread && { isReread }),
  };
}
