/**
 * Works on items as they come, several at once. Ends with the first failure, but not before the work that is
 * under way: no file is left half written.
 */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  workers: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = (async function* () {
    yield* items;
  })();
  let isStopped = false;
  const worker = async () => {
    try {
      for (let next = await queue.next(); !next.done && !isStopped; next = await queue.next()) {
        await work(next.value);
      }
    } catch (error) {
      isStopped = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: workers }, worker));
  await queue.return(undefined);
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
}
