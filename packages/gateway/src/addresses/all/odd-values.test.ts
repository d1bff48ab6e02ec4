/**
 * Values that have no text, in every position of what clients and servers say, at the address of one server and of all.
 */
import type { ProtocolVersion } from 'parley-mcp'
import type { Acceptor } from 'parley-mcp/engine'
import { everyVersion, flush } from 'parley-mcp/testing'
import { afterEach, expect, it } from 'vitest'
import { oddAnswers, oddMessages, oddServer, REQUESTS } from '../../../../sdk/test/behaviour/odd-server.ts'
import { badAnswers, RUNTIME_WORDS } from '../../../../sdk/test/behaviour/odd-values.ts'
import { openRaw } from '../../../../sdk/test/behaviour/raw-client.ts'
import { AggregateRig, notesServer } from './aggregate.fixtures.ts'

let rig: AggregateRig

afterEach(() => rig.close())

const addresses = (): Acceptor[] => [rig.addresses.get('all'), rig.aggregate] as never

everyVersion((version) => {
  it.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    `M1 odd values of a client are answered (${version} to %s)`,
    async (spoken) => {
      rig = new AggregateRig({ all: { server: notesServer('all'), version: spoken } })
      for (const address of addresses()) expect(await badAnswers(address, version)).toEqual([])
    },
  )
})

const pairs: readonly [ProtocolVersion, ProtocolVersion][] = [
  ['2025-06-18', '2026-07-28'],
  ['2025-11-25', '2025-11-25'],
  ['2026-07-28', '2025-11-25'],
]

it.each(pairs)("M2 odd values of a server are no client's matter (%s to %s)", async (version, spoken) => {
  const server = oddServer(spoken)
  rig = new AggregateRig({ all: { server, version: spoken, config: { session: 'shared' } } })
  for (const address of addresses()) {
    const client = await openRaw(address, version, {}, { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} })
    for (const [method, answer] of oddAnswers(2)) {
      server.answer = answer
      await client.ask(method, REQUESTS[method]).catch(() => {})
    }
    server.answer = undefined
    for (const message of oddMessages()) server.tell(message)
    await flush()
    expect(client.texts.filter((text) => RUNTIME_WORDS.test(text))).toEqual([])
    client.close()
  }
})
