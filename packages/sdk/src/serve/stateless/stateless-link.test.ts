import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import { parse, Serialised } from '../../jsonrpc/index.ts'
import { Posted, Rig } from './stateless-link.fixtures.ts'

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }
const JSON_TYPE = { 'content-type': 'application/json' }

describe('D-61 a request without a session', () => {
  it('is handed over as it was read, with what the transport knows of it', () => {
    const rig = new Rig()
    const posted = rig.post('a', 'tools/list', 'somebody')
    const [asked] = rig.asked
    const text = '{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{}}'
    expect(asked?.text).toBe(text)
    expect(asked?.incoming).toEqual(parse(text))
    // It may wait for long, and what it said is with whoever answers.
    expect(posted.body).toBe('')
    expect(asked?.origin.principal).toBe('somebody')
    expect(asked?.origin.header?.('x-name')).toBe('value')
    rig.post('b')
    expect(rig.asked[1]?.origin).not.toHaveProperty('principal')
  })

  it('is answered with JSON, by the client who asked, whatever the id', () => {
    const rig = new Rig()
    const [first, second, third] = [rig.post(1), rig.post(1), rig.post(1)]
    expect(new Set(rig.asked.map(({ origin }) => origin.key)).size).toBe(3)
    rig.answer('"second"', 1)
    rig.answer('"third"', 2)
    rig.answer('"first"', 0)
    expect([first.text, second.text, third.text]).toEqual(['"first"', '"second"', '"third"'])
    expect(second).toMatchObject({ status: 200, headers: JSON_TYPE, state: 'whole' })
    expect(rig.link.size).toBe(0)
  })

  it('is not watched over when the answer comes at once', () => {
    const rig = new Rig()
    rig.meanwhile = (key) => rig.link.send('{}', { relatedTo: key, final: true })
    const posted = new Posted(1, 'tools/call')
    posted.onGone = () => {
      throw new Error('costs too much')
    }
    rig.link.ask(posted, posted.incoming)
    expect(posted.text).toBe('{}')
    expect(rig.clock.pending).toBe(0)
  })

  it('leaves nothing behind when it cannot be taken', () => {
    const rig = new Rig()
    rig.meanwhile = () => {
      throw new Error('broken')
    }
    expect(() => rig.post()).toThrow('broken')
    expect(rig.link.size).toBe(0)
  })

  it('gets a kept result in the bytes that are kept', () => {
    const rig = new Rig()
    const posted = rig.post('a')
    const kept = new Serialised('{"tools":["é"]}')
    rig.link.send('not this', { relatedTo: rig.key(), final: true, kept })
    expect(posted.text).toBe('{"jsonrpc":"2.0","id":"a","result":{"tools":["é"]}}')
  })

  it.each(['auto', 'json', 'sse'] as const)('D-64 is told of an error by the status, in JSON (%s)', (mode) => {
    const rig = new Rig(mode)
    const posted = rig.post()
    rig.answer('{"error":{}}', 0, 404)
    expect(posted).toMatchObject({ status: 404, headers: JSON_TYPE, text: '{"error":{}}' })
  })

  it('that must wait is told how long', () => {
    const rig = new Rig()
    const posted = rig.post()
    rig.answer('{"error":{}}', 0, 503)
    expect(posted.headers).toEqual({ ...JSON_TYPE, 'retry-after': '5' })
  })

  it('that must wait for a known time is told that time', () => {
    const rig = new Rig()
    const posted = rig.post()
    rig.link.send('{"error":{}}', { relatedTo: rig.key(), final: true, status: 429, retryAfter: 42 })
    expect(posted).toMatchObject({ status: 429, headers: { ...JSON_TYPE, 'retry-after': '42' } })
  })

  it('is handed over with the address it came from', () => {
    const rig = new Rig()
    const posted = new Posted(1, 'tools/call')
    posted.address = '192.0.2.7'
    rig.link.ask(posted, posted.incoming)
    expect(rig.asked[0]?.origin.address).toBe('192.0.2.7')
  })

  it('is refused when there are too many (429), and taken when there are not', () => {
    const rig = new Rig('auto', 2)
    rig.post(1)
    rig.post(2)
    const refused = rig.post('three')
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect(JSON.parse(refused.text)).toMatchObject({
      id: 'three',
      error: { code: -32603, data: { 'parley/kind': 'too_many_requests' } },
    })
    expect(rig.asked).toHaveLength(2)
    rig.answer('{}', 0)
    rig.post(4)
    expect(rig.asked).toHaveLength(3)
  })
})

describe('D-62 what comes before the answer', () => {
  it('makes a stream of it, without ids or delays', () => {
    const rig = new Rig()
    const posted = rig.post()
    rig.say('{"n":1}')
    rig.say('{"n":2}')
    expect(posted).toMatchObject({ status: 200, headers: STREAM, state: 'streaming' })
    rig.answer('{"n":3}')
    expect(posted.text).toBe('data: {"n":1}\n\ndata: {"n":2}\n\ndata: {"n":3}\n\n')
    expect(posted.state).toBe('ended')
    expect(rig.abandoned).toEqual([])
    expect(posted.watching.size).toBe(0)
  })

  it('does so within the same turn, too', () => {
    const rig = new Rig()
    rig.meanwhile = (key) => rig.link.send('1', { relatedTo: key })
    const posted = rig.post()
    rig.meanwhile = undefined
    expect(posted.text).toBe('data: 1\n\n')
    posted.hangUp()
    expect(rig.abandoned).toEqual([rig.key()])
  })

  it('an error that comes later is an event like any other', () => {
    const rig = new Rig()
    const posted = rig.post()
    rig.say('1')
    rig.answer('{"error":{}}', 0, 400)
    expect(posted).toMatchObject({ status: 200, text: 'data: 1\n\ndata: {"error":{}}\n\n' })
  })

  it('is left out where answers are always JSON, but for those who listen', () => {
    const rig = new Rig('json')
    const [called, listening] = [rig.post(1), rig.post(2, 'subscriptions/listen')]
    rig.say('1', 0)
    rig.say('2', 1)
    rig.answer('3', 0)
    expect(called).toMatchObject({ state: 'whole', text: '3' })
    expect(listening).toMatchObject({ state: 'streaming', headers: STREAM, text: 'data: 2\n\n' })
  })

  it('is dropped when it belongs to no request', () => {
    const rig = new Rig()
    const posted = rig.post()
    rig.link.send('{}')
    rig.link.send('{}', { relatedTo: 77 })
    rig.answer('{}')
    rig.say('late')
    expect(posted.text).toBe('{}')
  })
})

describe('answers as event streams', () => {
  it('one that is there at once is one event', () => {
    const rig = new Rig('sse')
    rig.meanwhile = (key) => rig.link.send('{}', { relatedTo: key, final: true })
    expect(rig.post()).toMatchObject({ status: 200, headers: STREAM, state: 'whole', text: 'data: {}\n\n' })
  })

  it('one that takes a moment opens its stream beforehand', async () => {
    const rig = new Rig('sse')
    const [slow, quick] = [rig.post(1), rig.post(2)]
    rig.answer('{}', 1)
    await rig.clock.advance(0)
    expect(slow).toMatchObject({ state: 'streaming', text: ': open\n\n' })
    expect(quick).toMatchObject({ state: 'whole', text: 'data: {}\n\n' })
  })
})

describe('D-66 heartbeats', () => {
  it('an answer that takes long becomes a stream that is kept alive', async () => {
    const rig = new Rig()
    const posted = rig.post()
    await rig.clock.advance(9_000)
    expect(posted.state).toBe('waiting')
    await rig.clock.advance(6_000)
    expect(posted).toMatchObject({ state: 'streaming', text: ': open\n\n' })
    await rig.clock.advance(20_000)
    expect(posted.text).toBe(': open\n\n: keep-alive\n\n')
    expect(rig.clock.pending).toBe(1)
    rig.answer('{}')
    expect(posted.text).toMatch(/data: \{\}\n\n$/)
    await rig.clock.advance(60_000)
    expect(rig.clock.pending).toBe(0)
  })

  it('those who listen are sent one when nothing happens', async () => {
    const rig = new Rig('json')
    const posted = rig.post(1, 'subscriptions/listen')
    rig.say('ack')
    await rig.clock.advance(16_000)
    expect(posted.text).toBe('data: ack\n\n: keep-alive\n\n')
    await rig.clock.advance(8_000)
    rig.say('news')
    await rig.clock.advance(8_000)
    expect(posted.text).toBe('data: ack\n\n: keep-alive\n\ndata: news\n\n')
  })

  it('where answers are always JSON a call waits as long as it takes', async () => {
    const rig = new Rig('json')
    const posted = rig.post()
    await rig.clock.advance(600_000)
    expect(posted.state).toBe('waiting')
    expect(rig.clock.pending).toBe(0)
  })
})

describe('D-63 hanging up', () => {
  it.each(['auto', 'json', 'sse'] as const)('before the answer cancels the request, once (%s)', (mode) => {
    const rig = new Rig(mode)
    const posted = rig.post()
    posted.hangUp()
    posted.hangUp()
    expect(rig.abandoned).toEqual([rig.key()])
    expect(rig.link.size).toBe(0)
    expect(rig.heartbeat.size).toBe(0)
    rig.say('late')
    rig.answer('late')
    expect(posted.text).toBe('')
  })

  it('on a stream does, too, and ends it', () => {
    const rig = new Rig()
    const posted = rig.post()
    rig.say('1')
    posted.hangUp()
    expect(rig.abandoned).toEqual([rig.key()])
    expect(posted.state).toBe('aborted')
    expect(rig.heartbeat.size).toBe(0)
  })

  it('after the answer means nothing', () => {
    const rig = new Rig()
    const posted = rig.post()
    rig.answer('{}')
    expect(posted.watching.size).toBe(0)
    posted.hangUp()
    expect(rig.abandoned).toEqual([])
  })

  it('while the request is being taken is noticed', () => {
    const rig = new Rig()
    const posted = new Posted(1, 'tools/call')
    posted.gone = true
    rig.link.ask(posted, posted.incoming)
    expect(rig.abandoned).toEqual([rig.key()])
    expect(posted.watching.size).toBe(0)
    rig.meanwhile = (key) => rig.link.send('1', { relatedTo: key })
    const other = new Posted(1, 'tools/call')
    other.gone = true
    rig.link.ask(other, other.incoming)
    expect(other.state).toBe('waiting')
    expect(rig.abandoned).toHaveLength(2)
  })

  it('a client that does not read is disconnected', () => {
    const rig = new Rig()
    const posted = rig.post()
    rig.say('1')
    posted.buffered = 1001
    rig.say('2')
    expect(posted).toMatchObject({ state: 'aborted', text: 'data: 1\n\n' })
    expect(rig.abandoned).toEqual([rig.key()])
  })
})

describe('the end', () => {
  it('answers all requests with an error, and ends all streams', () => {
    const rig = new Rig()
    const [waiting, streaming, listening] = [rig.post('w'), rig.post('s'), rig.post('l', 'subscriptions/listen')]
    rig.say('1', 1)
    rig.say('ack', 2)
    rig.link.close()
    rig.link.close()
    const refused = { error: { code: -32600, data: { 'parley/kind': 'shutting_down' } } }
    expect(waiting).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    expect(JSON.parse(waiting.text)).toMatchObject({ id: 'w', ...refused })
    expect(streaming.state).toBe('ended')
    expect(JSON.parse(streaming.text.split('data: ')[2] as string)).toMatchObject({ id: 's', ...refused })
    expect(listening).toMatchObject({ state: 'ended', text: 'data: ack\n\n' })
    expect(rig.abandoned).toEqual([])
    expect(rig.heartbeat.size).toBe(0)
    expect(() => rig.link.send('{}')).toThrow(ParleyError)
    expect(rig.post()).toMatchObject({ status: 503 })
  })
})
