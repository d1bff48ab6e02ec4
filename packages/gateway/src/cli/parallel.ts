/** Runs work on many items with a limit. The results have the order of the items. */
export async function inParallel<T, R>(items: readonly T[], most: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T)
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker))
  return results
}
