/** C-27: a line that is no message is answered over stdio, and clients that others published live with the answer. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Bundled, bundled } from './children/programs.ts'

/** As much of their interface as is used here; it is the same in all of them. */
interface TheirTransport {
  send(message: unknown): Promise<void>
  onmessage?: (message: unknown) => void
}

interface TheirClient {
  onerror?: (error: Error) => void
  connect(transport: TheirTransport): Promise<void>
  ping(): Promise<object>
  close(): Promise<void>
}

interface Package {
  readonly Client: new (info: object, options: object) => TheirClient
  readonly StdioClientTransport: new (parameters: object) => TheirTransport
}

const packages: Record<string, () => Promise<Package>> = {
  '2024-11-05': async () =>
    ({
      ...(await import('sdk-2024-11-05/client/index.js')),
      ...(await import('sdk-2024-11-05/client/stdio.js')),
    }) as never,
  '2025-03-26': async () =>
    ({
      ...(await import('sdk-2025-03-26/client/index.js')),
      ...(await import('sdk-2025-03-26/client/stdio.js')),
    }) as never,
  '2025-06-18': async () =>
    ({
      ...(await import('sdk-2025-06-18/client/index.js')),
      ...(await import('sdk-2025-06-18/client/stdio.js')),
    }) as never,
  '2025-11-25': async () =>
    ({
      ...(await import('sdk-2025-11-25/client/index.js')),
      ...(await import('sdk-2025-11-25/client/stdio.js')),
    }) as never,
  '2.x': async () =>
    ({
      ...(await import('@modelcontextprotocol/client')),
      ...(await import('@modelcontextprotocol/client/stdio')),
    }) as never,
}

let served: Bundled
beforeAll(async () => {
  served = await bundled('served')
})
afterAll(() => served.remove())

it.each(Object.entries(packages))('a published client of %s reports it, and goes on', async (_version, load) => {
  const { Client, StdioClientTransport } = await load()
  const client = new Client({ name: 'theirs', version: '1' }, { capabilities: {} })
  const errors: Error[] = []
  client.onerror = (error) => void errors.push(error)
  const transport = new StdioClientTransport({ command: process.execPath, args: [served.path], stderr: 'ignore' })
  await client.connect(transport)
  await transport.send('this is no message')
  // Answers come in the order of the lines.
  expect(await client.ping()).toEqual({})
  expect(errors).toHaveLength(1)
  await client.close()
})
