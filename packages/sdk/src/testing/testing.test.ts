/** The helpers for tests: clock, transcript, scripted answers, versions, faults, leaks. */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { ElicitQuestion, SampleQuestion } from '../client/index.ts'
import { type Link, Serialised } from '../jsonrpc/index.ts'
import { memoryPair } from '../transport/index.ts'
import { answers } from './answers.ts'
import { fakeClock, flush } from './clock.ts'
import { everyVersion, testVersions } from './every-version.ts'
import { type FaultPlan, faulty } from './faults.ts'
import { Transcript } from './transcript.ts'

describe('fakeClock', () => {
  it('runs timers in the order in which they fall due, at their time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(100), { maxLength: 12 }), async (delays) => {
        const clock = fakeClock(0)
        const ran: number[] = []
        for (const delay of delays) clock.after(delay, () => ran.push(clock.now()))
        await clock.advance(100)
        expect(ran).toEqual([...delays].sort((a, b) => a - b))
        expect(clock.pending).toBe(0)
        expect(clock.now()).toBe(100)
      }),
      { numRuns: 20 },
    )
  })

  it('runs timers that timers set, within the same advance', async () => {
    const clock = fakeClock(0)
    const ran: string[] = []
    clock.after(10, () => {
      ran.push('first')
      clock.after(5, () => ran.push('second'))
      clock.after(500, () => ran.push('too late'))
    })
    await clock.advance(20)
    expect(ran).toEqual(['first', 'second'])
    expect(clock.pending).toBe(1)
  })

  it('lets promises settle between timers, and forgets cancelled ones', async () => {
    const clock = fakeClock(0)
    const ran: string[] = []
    const cancel = clock.after(2, () => ran.push('cancelled'))
    clock.after(1, () => void Promise.resolve().then(cancel))
    await clock.advance(5)
    expect(ran).toEqual([])
  })
})

describe('Transcript', () => {
  it('shows requests, answers, errors and notifications with ids counted per side', () => {
    const transcript = new Transcript()
    transcript.record('sent', '{"jsonrpc":"2.0","id":"zz","method":"tools/call","params":{"name":"x"}}')
    transcript.record('received', '{"jsonrpc":"2.0","id":41,"method":"roots/list"}')
    transcript.record('sent', '{"jsonrpc":"2.0","id":41,"result":{"roots":[]}}')
    transcript.record(
      'received',
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}',
    )
    transcript.record('received', '{"jsonrpc":"2.0","id":"zz","error":{"code":-32602,"message":"no","data":{"a":1}}}')
    transcript.record('received', '{"jsonrpc":"2.0","error":{"code":-32700,"message":"bad"}}')
    expect(String(transcript)).toBe(
      [
        '→ tools/call #1 {"name":"x"}',
        '← roots/list #s1',
        '→ result #s1 {"roots":[]}',
        '← notifications/message {"level":"info","data":1}',
        '← error #1 -32602 "no" {"a":1}',
        '← error #? -32700 "bad"',
      ].join('\n'),
    )
  })

  it('shows batches and what is no message, and names UUIDs by order', () => {
    const transcript = new Transcript()
    transcript.record('sent', '[{"jsonrpc":"2.0","id":1,"method":"ping"},7]')
    transcript.record('received', '{"half')
    transcript.record(
      'sent',
      '{"method":"n","params":{"a":"0b5f3a9e-1111-4222-8333-444455556666","b":"0b5f3a9e-1111-4222-8333-444455556666"}}',
    )
    expect(JSON.parse(JSON.stringify(transcript))).toEqual([
      '→ batch of 2',
      '  → ping #1',
      '  → (not a message) 7',
      '← (not JSON) "{\\"half"',
      '→ n {"a":"uuid-1","b":"uuid-1"}',
    ])
    transcript.clear()
    expect(String(transcript)).toBe('')
  })

  it('D-01 D-02 leaves out what every message of the stateless era repeats', () => {
    const transcript = new Transcript()
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const from = { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } }
    const record = (direction: 'sent' | 'received', message: object) =>
      transcript.record(direction, JSON.stringify({ jsonrpc: '2.0', ...message }))
    record('sent', { id: 1, method: 'server/discover', params: { _meta: meta } })
    record('received', { id: 1, result: { resultType: 'complete', supportedVersions: ['2026-07-28'], _meta: from } })
    record('sent', {
      id: 2,
      method: 'tools/call',
      params: { name: 'x', _meta: { ...meta, 'io.modelcontextprotocol/logLevel': 'info', progressToken: 7 } },
    })
    record('received', {
      id: 2,
      result: { resultType: 'input_required', requestState: 'v1.0123456789abcdef', _meta: from },
    })
    record('sent', {
      id: 3,
      method: 'tools/call',
      params: { name: 'x', requestState: 'v1.0123456789abcdef', _meta: meta },
    })
    record('received', { id: 3, result: { resultType: 'complete', _meta: from } })
    record('received', {
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 4 } },
    })
    expect(transcript.lines).toEqual([
      '→ server/discover #1',
      '← result #1 {"supportedVersions":["2026-07-28"]}',
      '→ tools/call #2 {"name":"x","_meta":{"io.modelcontextprotocol/logLevel":"info","progressToken":7}}',
      '← result #2 {"resultType":"input_required","requestState":"state-1"}',
      '→ tools/call #3 {"name":"x","requestState":"state-1"}',
      '← result #3 {}',
      '← notifications/tools/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":4}}',
    ])
  })

  it('is bounded, and says what it left out', () => {
    const transcript = new Transcript()
    for (let n = 0; n < 10_003; n++) transcript.record('sent', '{"method":"n"}')
    expect(transcript.lines).toHaveLength(10_000)
    expect(String(transcript).endsWith('… 3 more')).toBe(true)
  })
})

describe('answers', () => {
  const ask = (message: string, key?: string) => ({ message, key, mode: 'form' }) as ElicitQuestion
  const sample = (text: string) =>
    ({ messages: [{ role: 'user', content: { type: 'text', text } }] }) as unknown as SampleQuestion

  it('gives a list in order, with functions asked', async () => {
    const script = answers([{ a: 1 }, 'decline', (question: ElicitQuestion) => ({ echo: question.message })])
    expect([await script(ask('1')), await script(ask('2')), await script(ask('3'))]).toEqual([
      { a: 1 },
      'decline',
      { echo: '3' },
    ])
    expect(script.asked).toEqual(['1', '2', '3'])
    script.done()
  })

  it('looks a record up by key or by a part of the text', async () => {
    const script = answers({ confirm: { yes: true }, 'capital of': ['Paris', 'Rome'] })
    expect(await script(sample('What is the capital of France?'))).toBe('Paris')
    expect(await script(ask('Really?', 'confirm'))).toEqual({ yes: true })
    expect(await script(sample('And the capital of Italy?'))).toBe('Rome')
    script.done()
  })

  it('fails for questions that are not in the script, then and at the end', async () => {
    const script = answers({ confirm: 'accept' })
    await expect(script(ask('Your name?'))).rejects.toThrow('The script has no answer to "Your name?"')
    expect(() => script.done()).toThrow('Asked but not in the script: "Your name?"')
  })

  it('fails for answers that were never asked for', () => {
    expect(() => answers([1 as never, 2 as never]).done()).toThrow('Scripted but never asked: 2 answers')
    expect(() => answers({ name: 'accept' }).done()).toThrow('Scripted but never asked: 1 answer to "name"')
  })
})

describe('everyVersion', () => {
  it('calls a synchronous function at once for each version', () => {
    const seen: string[] = []
    expect(everyVersion((version) => void seen.push(version))).toBeUndefined()
    expect(seen).toEqual(testVersions)
  })

  it('waits for each version before the next', async () => {
    const seen: string[] = []
    await everyVersion(async (version) => {
      seen.push(`start ${version}`)
      await flush()
      seen.push(`end ${version}`)
    })
    expect(seen).toEqual(testVersions.flatMap((version) => [`start ${version}`, `end ${version}`]))
  })

  it('says in which version it failed', async () => {
    const fail = (version: string): void => {
      if (version === '2025-03-26') throw new Error('broken')
    }
    expect(() => everyVersion(fail)).toThrow('[2025-03-26] broken')
    await expect(everyVersion(async (version) => fail(version))).rejects.toThrow('[2025-03-26] broken')
  })

  it('registers a named test per version', () => {
    const titles: string[] = []
    everyVersion({ name: 'works', run: () => {}, test: (title) => titles.push(title) })
    expect(titles).toEqual(testVersions.map((version) => `works (${version})`))
    expect(() => everyVersion({ name: 'works', run: () => {} })).toThrow('pass yours')
  })
})

describe('faulty', () => {
  const through = async (plan: FaultPlan, frames: readonly string[]) => {
    const clock = fakeClock(0)
    const [near, far] = memoryPair()
    const seen: string[] = []
    far.open({ frame: (text) => void seen.push(text), closed: () => void seen.push('end') })
    const link = faulty(near, plan, clock)
    link.open({ frame: () => {}, closed: () => {} })
    for (const frame of frames) link.send(frame)
    await clock.advance(10)
    return { seen, link, clock }
  }

  it('drops, duplicates, corrupts and delays as told', async () => {
    const faults = ['drop', 'duplicate', 'corrupt', { delay: 5 }, undefined] as const
    const { seen } = await through((_, index) => faults[index], ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee'])
    expect(seen).toEqual(['bbbb', 'bbbb', 'cc', 'eeee', 'dddd'])
  })

  it('what is sent in half is not sent whole beside it', () => {
    const send = vi.fn<Link['send']>()
    const link = faulty({ transport: 'http', open: () => {}, send, close: () => {} }, (_, index) =>
      index === 0 ? 'corrupt' : undefined,
    )
    const kept = new Serialised('{}')
    for (const frame of ['aaaa', 'bbbb']) link.send(frame, { relatedTo: 1, final: true, kept })
    expect(send.mock.calls).toEqual([
      ['aa', { relatedTo: 1, final: true }],
      ['bbbb', { relatedTo: 1, final: true, kept }],
    ])
  })

  it('loses delayed frames when the link is closed', async () => {
    const { seen, link, clock } = await through(() => ({ delay: 100 }), ['late'])
    link.close()
    await clock.advance(200)
    expect(seen).toEqual(['end'])
  })

  it('works on what is received, too', async () => {
    const [near, far] = memoryPair()
    const seen: string[] = []
    faulty(near, (_, __, direction) => (direction === 'received' ? 'duplicate' : undefined)).open({
      frame: (text) => void seen.push(text),
      closed: () => {},
    })
    far.send('x')
    await flush()
    expect(seen).toEqual(['x', 'x'])
  })

  it('is otherwise the link it is made of', () => {
    const failures: unknown[] = []
    const open = vi.fn<Link['open']>()
    const withdraw = vi.fn()
    const link = faulty(
      { transport: 'http', mirrors: true, withdraw, open, send: () => {}, close: () => {} },
      () => undefined,
    )
    expect(link.mirrors).toBe(true)
    link.withdraw?.(1)
    expect(withdraw.mock.calls).toEqual([[1]])
    const frame = vi.fn()
    link.open({ maxBytes: 7, frame, failed: (request) => failures.push(request), closed: () => {} })
    const events = open.mock.calls[0]?.[0]
    expect(events?.maxBytes).toBe(7)
    events?.failed?.(3, new Error('lost'))
    expect(failures).toEqual([3])
    events?.frame('x', undefined, { key: 'k' })
    expect(frame.mock.calls).toEqual([['x', undefined, { key: 'k' }]])
  })
})
