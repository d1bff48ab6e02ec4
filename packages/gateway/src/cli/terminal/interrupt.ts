/** Work that the user can interrupt. */
import { failed } from '../failure.ts'
import type { CliIo } from './io.ts'

export async function interruptible<T>(io: CliIo, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = io.onInterrupt(() => controller.abort())
  try {
    return await work(controller.signal)
  } catch (error) {
    throw controller.signal.aborted ? failed('request_cancelled', 'Cancelled', { cause: error }) : error
  } finally {
    stop()
  }
}
