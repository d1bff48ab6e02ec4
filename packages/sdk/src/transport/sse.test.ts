/** Server-sent events: what is written is read, and any stream is read as the standard says. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SseEvent, SseParser, sseComment, sseEvent } from './sse.ts'

function read(text: string): SseEvent[] {
  return new SseParser().push(text)
}

describe('T reading', () => {
  it.each<[string, string, SseEvent[]]>([
    ['data', 'data: hello\n\n', [{ data: 'hello' }]],
    ['several lines', 'data: one\ndata\ndata: three\n\n', [{ data: 'one\n\nthree' }]],
    ['one blank after the colon, no more', 'data:a\n\ndata:  b\n\n', [{ data: 'a' }, { data: ' b' }]],
    ['all fields', 'event: e\nid: 7\nretry: 500\ndata: d\n\n', [{ event: 'e', id: '7', retry: 500, data: 'd' }]],
    ['colons in values', 'data: {"a":"b:c"}\n\n', [{ data: '{"a":"b:c"}' }]],
    ['comments', ': keep-alive\n\n:\ndata: x\n\n', [{ data: 'x' }]],
    ['unknown fields', 'foo: bar\nDATA: no\ndata: x\n\n', [{ data: 'x' }]],
    ['CR', 'data: a\rdata: b\r\r', [{ data: 'a\nb' }]],
    ['CRLF', 'data: a\r\ndata: b\r\n\r\n', [{ data: 'a\nb' }]],
    ['mixed line ends', 'data: a\n\rdata: b\r\n\n', [{ data: 'a' }, { data: 'b' }]],
    ['a byte order mark', '\uFEFFdata: x\n\n', [{ data: 'x' }]],
    ['only the first byte order mark', '\uFEFF\uFEFFdata: x\n\ndata: y\n\n', [{ data: 'y' }]],
    ['empty data is an event', 'id: 1\ndata:\n\n', [{ id: '1', data: '' }]],
    ['no data is none', 'id: 1\nevent: e\n\ndata: x\n\n', [{ data: 'x' }]],
    ['an unfinished event is none', 'data: x\n', []],
    ['an id with NUL is ignored', 'id: a\0b\ndata: x\n\n', [{ data: 'x' }]],
    ['a retry that is no number is ignored', 'retry: 1.5\nretry: -1\nretry: 1e3\nretry:\ndata: x\n\n', [{ data: 'x' }]],
    ['an empty event name is the default', 'event:\ndata: x\n\n', [{ data: 'x' }]],
    ['U+2028 is no line end', 'data: a\u2028b\n\n', [{ data: 'a\u2028b' }]],
  ])('%s', (_, text, events) => {
    expect(read(text)).toEqual(events)
  })

  it('A-11 remembers the last id and the delay, also from events without data', () => {
    const parser = new SseParser()
    parser.push('id: 1\ndata: x\n\nretry: 250\n\n')
    expect([parser.lastEventId, parser.retry]).toEqual(['1', 250])
    parser.push('data: y\n\nid: 2\n')
    expect(parser.lastEventId).toBe('1')
    parser.push('\n')
    expect(parser.lastEventId).toBe('2')
    parser.push('id\n\n')
    expect(parser.lastEventId).toBe('')
  })

  it('any cutting into chunks gives the same events', () => {
    const piece = fc.constantFrom(
      'data: a',
      'data:',
      'id: 1',
      'event: e',
      'retry: 9',
      ': c',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\r\n\r\n',
      '\uFEFF',
      'é',
      ':',
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.nat(5), { minLength: 1, maxLength: 60 }),
        (pieces, sizes) => {
          const text = pieces.join('')
          const parser = new SseParser()
          const events: SseEvent[] = []
          for (let at = 0, n = 0; at < text.length; n++) {
            const size = sizes[n % sizes.length] as number
            events.push(...parser.push(text.slice(at, at + Math.max(size, n % 7 === 0 ? 1 : 0))))
            at += Math.max(size, n % 7 === 0 ? 1 : 0)
          }
          expect(events).toEqual(read(text))
        },
      ),
    )
  })
})

describe('T writing', () => {
  it('is read back, whatever the data', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (data) => {
        expect(read(sseEvent({ id: 'i', data }))).toEqual([{ id: 'i', data: data.replace(/\r\n|\r/g, '\n') }])
      }),
    )
  })

  it('has the fields that are given', () => {
    expect(sseEvent({ id: 'a-1', event: 'message', retry: 5, data: 'x' })).toBe(
      'id: a-1\nevent: message\nretry: 5\ndata: x\n\n',
    )
    expect(sseEvent({ retry: 5 })).toBe('retry: 5\n\n')
    expect(sseComment('hi')).toBe(': hi\n\n')
  })
})

describe('limits on events', () => {
  const limited = () => new SseParser({ maxLength: 10 })

  it('a line without end is refused', () => {
    const parser = limited()
    parser.push('data: 1234')
    expect(() => parser.push('5')).toThrow(expect.objectContaining({ kind: 'result_too_large' }))
  })

  it('many short lines are refused, too', () => {
    expect(() => limited().push('data: 1\ndata: 2\n')).toThrow(expect.objectContaining({ kind: 'result_too_large' }))
  })

  it('comments do not count', () => {
    const parser = limited()
    for (let n = 0; n < 100; n++) parser.push(': alive\n')
    expect(parser.push('data: x\n\n')).toEqual([{ data: 'x' }])
  })

  it('each event counts anew', () => {
    const parser = limited()
    for (let n = 0; n < 100; n++) expect(parser.push('data: x\n\n')).toEqual([{ data: 'x' }])
  })
})
