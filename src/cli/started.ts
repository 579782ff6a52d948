/** A sequence whose first item is there already, so that what fails at its start fails here. */
export async function startedOn<T>(sequence: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const iterator = sequence[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let item = first; !item.done; item = await iterator.next()) yield item.value;
    } finally {
      await iterator.return?.();
    }
  })();
}
