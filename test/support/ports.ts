/** Waiting for programs that listen, and ports for them. */
import { once } from 'node:events'
import { createServer } from 'node:net'

export async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as { port: number }
  listener.close()
  await once(listener, 'close')
  return port
}

/** What `work` gives once it no longer fails; its last failure when it never does. */
export async function until<T>(work: () => Promise<T>, timeout = 20_000): Promise<T> {
  const deadline = Date.now() + timeout
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
