import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { RawClient } from '../../server/raw-client.fixtures.ts'
import { createServer, inputRequired, tool } from '../../server.ts'

const NAMES = 'io.modelcontextprotocol/'
const _meta = { [`${NAMES}protocolVersion`]: '2026-07-28', [`${NAMES}clientCapabilities`]: { elicitation: {} } }
const question = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
} as const
const accepted = (name: string): Body => ({ action: 'accept', content: { name } })

/** Asks for a name, with or without something to remember meanwhile. */
function asking(stateless: boolean, state?: unknown): RawClient {
  const ask = tool('ask', {}, (_, { input }) => {
    const { who } = input.responses as { who?: Body }
    return who === undefined
      ? inputRequired({ requests: { who: question }, state })
      : `Hello, ${(who['content'] as Body)['name']}!`
  })
  return new RawClient(createServer({ name: 'test', version: '1.0.0' }, { stateless }).add(ask), {})
}

const call = (client: RawClient, more: Body): Promise<Body> =>
  client.result('tools/call', { name: 'ask', _meta, ...more })

describe.each([{ stateless: false }, { stateless: true }])(
  'D-20 answers that come before the question, handlers that are run again: $stateless',
  ({ stateless }) => {
    it('are taken where nothing has to be remembered, and what nobody asked for is ignored', async () => {
      const result = await call(asking(stateless), {
        inputResponses: { who: accepted('Ann'), weather: accepted('fine') },
      })
      expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello, Ann!' }] })
    })

    it.each([[{ who: 12345 }], [{ who: { action: 'maybe' } }], [{ weather: accepted('fine') }], [null], ['who'], [[]]])(
      'are asked for again when they are no answers: %j',
      async (inputResponses) => {
        expect(await call(asking(stateless), { inputResponses })).toMatchObject({
          resultType: 'input_required',
          inputRequests: { who: question },
        })
      },
    )

    it('are not taken in place of what the handler wanted back', async () => {
      const client = asking(stateless, { step: 1 })
      const first = await call(client, { inputResponses: { who: accepted('Ann') } })
      expect(first).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
      const last = await call(client, { inputResponses: { who: accepted('Ann') }, requestState: first['requestState'] })
      expect(last).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello, Ann!' }] })
    })
  },
)
