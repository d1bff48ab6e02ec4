/**
 * For tests of what may not take long: time as the processor counts it, in which others on a busy machine have no part.
 */

// This folder is checked without the types of Node.
declare const process: { cpuUsage(): { readonly user: number; readonly system: number } }

/** Milliseconds that this process has been computing since it began. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
