/** Servers that ask: elicitation, sampling and roots, in every version. */
import { describe, expect, it, vi } from 'vitest'
import { userRejected } from '../../src/client.ts'
import { createServer, tool } from '../../src/server.ts'
import { answers, connect, everyVersion, flush, leaks } from '../../src/testing.ts'
import { everything } from './everything.ts'

/** Declares a test only where it means something. */
const when = (holds: boolean): ((title: string, run: () => Promise<void>) => void) => (holds ? it : () => {})

everyVersion((version) => {
  const canElicit = version >= '2025-06-18'
  const isNewest = version >= '2025-11-25'
  /** D-20: questions come inside results, and are answered by making the request again. */
  const asksInResults = version >= '2026-07-28'

  describe(`F6 elicitation (${version})`, () => {
    when(canElicit)('asks the user and goes on with the answer', async () => {
      await using client = await connect(everything(), {
        version,
        elicit: answers([{ yes: true }, 'decline', 'cancel', { yes: false }]),
      })
      const said = async () => (await client.call('confirm', { env: 'prod' })).text
      expect([await said(), await said(), await said(), await said()]).toEqual([
        'deployed to prod',
        'not deployed: decline',
        'not deployed: cancel',
        'not deployed: accept',
      ])
      const questions = client.transcript.lines.filter(
        (line) => line.startsWith('←') && line.includes('elicitation/create'),
      )
      expect(questions).toHaveLength(4)
      for (const line of questions)
        expect(line).toMatch(asksInResults ? /^← result #\d+ .*"input_required"/ : /^← elicitation\/create #s\d/)
    })

    when(asksInResults)('D-20 the question has the name the server gave it', async () => {
      await using client = await connect(everything(), { version, elicit: answers({ confirm: { yes: true } }) })
      expect((await client.call('confirm', { env: 'prod' })).text).toBe('deployed to prod')
    })

    when(canElicit)('C-15 C-16 every kind of field crosses, with its default', async () => {
      await using client = await connect(everything(), { version, elicit: answers([{ name: 'Ann' }]) })
      const { text } = await client.call('survey')
      expect(JSON.parse(text)).toEqual({
        action: 'accept',
        content: {
          name: 'Ann',
          mail: 'me@example.org',
          count: 3,
          share: 0.5,
          sure: true,
          colour: 'green',
          size: 'l',
          days: ['mon'],
          extras: ['a', 'b'],
        },
      })
    })

    when(isNewest)('C-15 takes choices of every kind', async () => {
      const given = { name: 'Bob', colour: 'red', size: 's', days: ['tue', 'wed'], extras: [], sure: false, count: 0 }
      await using client = await connect(everything(), { version, elicit: answers([given]) })
      expect(JSON.parse((await client.call('survey')).text)).toMatchObject({ content: given })
    })

    when(version === '2025-06-18')('C-15 several choices are shown as one yes or no each', async () => {
      let fields: string[] = []
      await using client = await connect(everything(), {
        version,
        elicit: (question) => {
          fields = Object.keys(question.schema?.properties ?? {})
          return { name: 'Bob', 'days.mon': false, 'days.wed': true, 'extras.a': false }
        },
      })
      const { content } = JSON.parse((await client.call('survey')).text)
      expect(fields).toEqual(expect.arrayContaining(['days.mon', 'days.tue', 'days.wed', 'extras.a', 'extras.b']))
      expect(content).toMatchObject({ days: ['wed'], extras: ['b'] })
    })

    when(canElicit)('an answer that does not fit never reaches the handler', async () => {
      const errors: unknown[] = []
      const server = everything({ onError: () => {} })
      await using client = await connect(server, {
        version,
        elicit: () => ({ yes: 'maybe' }),
        onError: (error) => errors.push(error),
      })
      const calling = client.call('confirm', { env: 'prod' })
      if (asksInResults) {
        // There is no answer that says "failed": the user has cancelled, and the program that answers for the user is
        // told why.
        expect((await calling).text).toBe('not deployed: cancel')
        expect(errors).toEqual([
          expect.objectContaining({ kind: 'invalid_answer', message: expect.stringContaining('yes') }),
        ])
      } else await expect(calling).rejects.toThrow()
      expect(leaks(client, client.serverSession)).toEqual([])
    })

    when(isNewest)('C-12 C-13 sends the user to a page and tells when it is over', async () => {
      let url: string | undefined
      await using client = await connect(everything(), {
        version,
        elicit: {
          url: (question) => {
            url = question.url
            return 'accept'
          },
        },
      })
      const over: unknown[] = []
      client.onNotification('notifications/elicitation/complete', ({ elicitationId }) => over.push(elicitationId))
      expect((await client.call('visit')).text).toBe('accept')
      expect(url).toBe('https://example.org/sign-in')
      // D-26: in newer versions the call itself goes on when the page is done with.
      expect(over).toHaveLength(asksInResults ? 0 : 1)
    })

    it('without the capability, or in a version without it, the handler gets a clear refusal to catch', async () => {
      let caught: unknown
      const careful = tool('careful', {}, async (_, ctx) => {
        try {
          await ctx.elicit('q', 'Well?', { type: 'object', properties: {} })
        } catch (error) {
          caught = error
        }
        return 'went on'
      })
      const server = createServer({ name: 's', version: '1' }).add(careful)
      await using client = await connect(server, canElicit ? { version } : { version, elicit: () => undefined })
      expect((await client.call('careful')).value).toBe('went on')
      expect(caught).toMatchObject({
        kind: 'missing_client_capability',
        message: expect.stringContaining('elicitation'),
      })
      expect(String(client.transcript)).not.toContain('elicitation/create')
    })

    when(version === '2025-06-18')('C-11 pages are refused where the version has only forms', async () => {
      await using client = await connect(everything(), { version, elicit: () => 'accept' })
      await expect(client.call('visit')).rejects.toThrow()
      expect(String(client.transcript)).not.toContain('elicitation/create')
    })

    when(canElicit)('cancelling the call takes the question back', async () => {
      let asked: AbortSignal | undefined
      await using client = await connect(everything(), {
        version,
        elicit: ({ signal }) => {
          asked = signal
          return new Promise<undefined>(() => {})
        },
      })
      const abort = new AbortController()
      const calling = client.call('confirm', { env: 'prod' }, { signal: abort.signal }).catch((error: unknown) => error)
      await vi.waitFor(() => expect(asked?.aborted).toBe(false))
      abort.abort()
      await flush()
      expect(await calling).toMatchObject({ kind: 'request_cancelled' })
      expect(asked?.aborted).toBe(true)
      expect(leaks(client, client.serverSession)).toEqual([])
    })
  })

  describe(`F6 sampling (${version})`, () => {
    it('asks the model and goes on with its answer', async () => {
      await using client = await connect(everything(), { version, sample: answers({ 'meaning of life': 'forty-two' }) })
      expect((await client.call('ask', { question: 'What is the meaning of life?' })).text).toContain('forty-two')
    })

    it('the user may refuse', async () => {
      let caught: unknown
      const careful = tool('careful', {}, async (_, ctx) => {
        await ctx.sample('q', 'Well?').catch((error: unknown) => {
          caught = error
        })
        return 'went on'
      })
      await using client = await connect(createServer({ name: 's', version: '1' }).add(careful), {
        version,
        sample: () => {
          throw userRejected()
        },
      })
      if (asksInResults) {
        // A refusal is no answer that could be brought back, so the call ends where the user sits.
        await expect(client.call('careful')).rejects.toMatchObject({ kind: 'user_rejected' })
      } else {
        expect((await client.call('careful')).value).toBe('went on')
        expect(caught).toMatchObject({ kind: 'user_rejected', code: -1 })
      }
      expect(leaks(client, client.serverSession)).toEqual([])
    })

    when(isNewest)('C-03 the model may use tools, in turns', async () => {
      const use = { type: 'tool_use' as const, id: 'u1', name: 'weather', input: {} }
      const script = answers([{ content: [use], stopReason: 'toolUse', model: 'm' }, 'sunny it is'])
      await using client = await connect(everything(), { version, sample: { answer: script, tools: true } })
      expect((await client.call('agent')).text).toContain('sunny it is')
      expect(script.asked).toEqual(['Weather?', '[tool_result]'])
    })

    it('C-03 tools are refused where the client or the version has none', async () => {
      await using client = await connect(everything(), {
        version,
        sample: isNewest ? () => 'x' : { answer: () => 'x', tools: true },
      })
      await expect(client.call('agent')).rejects.toThrow()
      expect(String(client.transcript)).not.toContain('sampling/createMessage')
    })

    it('is refused to the handler when the client does not offer it', async () => {
      await using client = await connect(everything(), { version })
      await expect(client.call('ask', { question: '?' })).rejects.toThrow()
      expect(String(client.transcript)).not.toContain('sampling/createMessage')
    })
  })

  describe(`F6 roots (${version})`, () => {
    it('are listed on demand, and changes are heard', async () => {
      let roots = ['file:///a']
      await using client = await connect(everything(), { version, roots: () => roots })
      expect((await client.call('places')).text).toBe('file:///a')
      roots = ['file:///b', 'file:///c']
      let heard = 0
      client.serverSession.onNotification('notifications/roots/list_changed', () => heard++)
      // D-25: where every request that needs them asks for them, nobody has to be told.
      expect(client.rootsChanged()).toBe(!asksInResults)
      await flush()
      expect(heard).toBe(asksInResults ? 0 : 1)
      expect((await client.call('places')).text).toBe('file:///b file:///c')
    })
  })
})

describe('scripted answers', () => {
  it('fail the test that leaves some over, when the client is closed', async () => {
    const client = await connect(everything(), { elicit: answers([{ yes: true }]) })
    await expect(client.close()).rejects.toThrow('Scripted but never asked: 1 answer')
  })
})
