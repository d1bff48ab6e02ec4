/** What this process holds: bytes after a collection, and what keeps it running. */

export function held() {
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  const resources = {}
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1
  return { bytes: heapUsed + external, rss, resources }
}

/** What is there now and was not there before: `{ Timeout: 2 }`. */
export function added(before, now) {
  const more = Object.entries(now).map(([name, count]) => [name, count - (before[name] ?? 0)])
  return Object.fromEntries(more.filter(([, count]) => count > 0))
}
