/** A server that does not keep to the protocol: whoever calls it is told clearly, and everything else goes on. */
import { join } from 'node:path'
import { ParleyError, versions } from 'parley-mcp'
import { describe, it } from 'vitest'
import { eventually, expect, failureOf, faulty, perTest, shared, soon, textOf } from './faults.fixtures.ts'
import { modern } from './raw.fixtures.ts'

describe.each(['2025-11-25', '2026-07-28'] as const)('a server at fault, client of %s', (version) => {
  const rig = perTest()

  it('V3, V5 speaks no known version: both sides are named', async () => {
    await rig.start({ bad: faulty('--version=1999-12-31'), good: faulty() })
    const failure = await soon(failureOf(rig.client('bad', version)))
    expect(failure).toBeInstanceOf(ParleyError)
    expect((failure as Error).message).toMatch(/bad.*1999-12-31.*2025-11-25/s)
    expect(await textOf(await rig.client('good', version), 'echo', { text: 'well' })).toBe('well')
  })

  it('errors 5: that the server speaks no known version says nothing about the version of the client', async () => {
    await rig.start({ bad: faulty('--version=1999-12-31') })
    const { body } = await soon(modern(rig.address('bad'), 'server/discover'))
    const data = {
      server: 'bad',
      serverVersion: '1999-12-31',
      originalKind: 'unsupported_protocol_version',
      originalCode: expect.any(Number),
    }
    expect(body.error).toMatchObject({ code: -32603, message: expect.stringMatching(/"bad".*1999-12-31/), data })
    expect(body.error?.data).not.toHaveProperty('supported')
  })

  it('changes its version on restart: the calls go on in the new one', async () => {
    const starts = join(await rig.folder(), 'starts')
    await rig.start({
      moody: { ...faulty(`--starts=${starts}`, '--version=2025-11-25,2025-11-25,2024-11-05'), session: 'shared' },
    })
    // The gateway has a conversation of its own.
    await rig.gateway.reach()
    const client = await rig.client('moody', version)
    expect(await textOf(client, 'turn')).toBe('2')
    await failureOf(client.call('crash', { code: 1 }))
    const again = await soon(eventually(() => textOf(client, 'turn')))
    expect(Number(again)).toBeGreaterThan(2)
    expect(await textOf(client, 'echo', { text: 'still' })).toBe('still')
  })

  it('reuses ids, also those of requests it was sent: each question gets its own answer', async () => {
    await rig.start({ bad: { ...faulty(), session: 'principal' } }, { principalHeader: 'x-user' })
    const asked: string[] = []
    const elicit = (question: { message?: string }) => {
      asked.push(String(question.message))
      return { action: 'accept', content: { said: question.message } }
    }
    const client = await rig.client('bad', version, { elicit: elicit as never })
    const requestedSchema = { type: 'object', properties: { said: { type: 'string' } } }
    for (const [turn, id] of [1, 1, 2, 'same', 'same', 0].entries()) {
      const answer = await soon(
        textOf(client, 'ask', {
          id,
          method: 'elicitation/create',
          params: { message: `question ${turn}`, requestedSchema },
        }),
      )
      expect(JSON.parse(answer)).toMatchObject({ action: 'accept', content: { said: `question ${turn}` } })
    }
    expect(asked).toHaveLength(6)
  })

  it('answers twice: the first answer counts, the next call is not mistaken', async () => {
    await rig.start({ bad: { ...faulty(), session: 'shared' } })
    const client = await rig.client('bad', version)
    expect(await textOf(client, 'twice')).toBe('first')
    expect(await textOf(client, 'echo', { text: 'third' })).toBe('third')
  })

  it('L2 never answers initialize: a clear error after its time, and nothing before that for the others', async () => {
    await rig.start({ mute: { ...faulty('--mute=all'), initialiseTimeout: '2s' }, good: faulty() })
    const mute = failureOf(rig.client('mute', version))
    expect(await textOf(await rig.client('good', version), 'echo', { text: 'well' })).toBe('well')
    const failure = await soon(mute)
    expect(failure).toBeInstanceOf(ParleyError)
    expect((failure as Error).message).toMatch(/mute.*2000 ms/)
  })
})

describe.each(['2025-11-25', '2026-07-28'] as const)('a server at fault in a conversation, client of %s', (version) => {
  const rig = shared({ bad: { ...faulty(), maxMessageSize: '4MiB' } })

  it('says what is no message, answers nobody asked for, and pollutes nothing', async () => {
    const client = await rig.client('bad', version)
    expect(await textOf(client, 'invalid')).toBe('said')
    expect(await textOf(client, 'echo', { text: 'well' })).toBe('well')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('answers with what is no result', async () => {
    const client = await rig.client('bad', version)
    const failure = await soon(failureOf(client.call('broken')))
    expect(failure).toMatchObject({ receivedCode: -32603, message: expect.stringMatching(/result/i) })
    expect(await textOf(client, 'echo', { text: 'well' })).toBe('well')
  })

  it('errors 5: answers with an error code of its own', async () => {
    const client = await rig.client('bad', version)
    const failure = await soon(failureOf(client.call('error')))
    const expected =
      version === '2026-07-28'
        ? { receivedCode: -32603, data: expect.objectContaining({ originalCode: -32050 }) }
        : { receivedCode: -32050 }
    expect(failure).toMatchObject({ message: 'an error of its own', ...expected })
  })

  it.each(['elicitation/create', 'sampling/createMessage', 'roots/list'])(
    'C3 asks for %s, which the client never declared: it is refused',
    async (method) => {
      const client = await rig.client('bad', version)
      expect(
        JSON.parse(
          await soon(textOf(client, 'ask', { method, params: { message: 'Who?', messages: [], maxTokens: 1 } })),
        ),
      ).toMatchObject({ code: -32601 })
    },
  )

  it.each([['no/such'], ['tools/call'], ['constructor'], ['__proto__']])(
    'asks for %s, which is none of its business: it is refused',
    async (method) => {
      const client = await rig.client('bad', version)
      expect(JSON.parse(await soon(textOf(client, 'ask', { method })))).toMatchObject({ code: -32601 })
    },
  )

  it('returns 50 MB: a clear error for that call, and the next one works', async () => {
    const client = await rig.client('bad', version)
    const failure = await soon(failureOf(client.call('big', { megabytes: 50 })))
    expect(failure).toBeInstanceOf(ParleyError)
    expect((failure as Error).message).toMatch(/longer than 4 MiB: raise "maxMessageSize"/)
    expect(await soon(eventually(() => textOf(client, 'echo', { text: 'well' })))).toBe('well')
  })
})

describe('a server of another version', () => {
  const rig = perTest()

  it.each(versions.filter((version) => version < '2026'))(
    'V3 that speaks %s whatever it is asked for is understood',
    async (spoken) => {
      await rig.start({ old: faulty(`--version=${spoken}`) })
      await rig.gateway.reach()
      const client = await rig.client('old')
      expect(await textOf(client, 'echo', { text: 'well' })).toBe('well')
      expect(rig.gateway.upstreams[0]?.version).toBe(spoken)
    },
  )
})
