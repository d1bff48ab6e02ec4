/**
 * Values that have no text, in every position of what a server answers and says: a client makes one clear error of
 * them, or nothing.
 */
import { expect, it } from 'vitest'
import { type Client, connect } from '../../src/client.ts'
import { everyVersion, flush } from '../../src/testing.ts'
import { oddAnswers, oddMessages, oddServer } from './odd-server.ts'
import { RUNTIME_WORDS } from './odd-values.ts'

const CALLS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'tools/list': (client) => client.tools(),
  'tools/call': (client) => client.call('a', { a: 'b' }),
  'prompts/list': (client) => client.prompts(),
  'prompts/get': (client) => client.prompt('a', {}),
  'resources/list': (client) => client.resources(),
  'resources/templates/list': (client) => client.templates(),
  'resources/read': (client) => client.read('a://b'),
  'completion/complete': (client) => client.complete({ type: 'ref/prompt', name: 'a' }, { name: 'a', value: 'b' }),
}

everyVersion((version) => {
  it(`M2 odd values in a server's answers and messages (${version})`, async () => {
    const server = oddServer(version)
    const found: unknown[] = []
    const note = (error: unknown): void => {
      if (error instanceof TypeError || RUNTIME_WORDS.test((error as Error).message)) found.push(error)
    }
    const client = await connect(server, { version, keepAlive: false, onError: note })
    for (const [method, answer] of oddAnswers()) {
      server.answer = answer
      await Promise.race([CALLS[method]?.(client).catch(note), flush()])
    }
    server.answer = undefined
    for (const message of oddMessages()) server.tell(message)
    await flush()
    expect(client.state).toBe('connected')
    await client.close()
    await flush()
    expect(found).toEqual([])
  })
})
