import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Invalid } from '../jsonrpc/index.ts'
import { FrameReader } from './frames.ts'

const encoder = new TextEncoder()
const bytes = (text: string): Uint8Array => encoder.encode(text)

interface Read {
  frames: string[]
  problems: Invalid[]
  /** Both, in order. */
  all: (string | Invalid)[]
}

function collector(maxBytes = 1000): Read & { reader: FrameReader } {
  const read: Read = { frames: [], problems: [], all: [] }
  const reader = new FrameReader(maxBytes, (text, problem) => {
    if (problem === undefined) read.frames.push(text)
    else read.problems.push(problem)
    read.all.push(problem ?? text)
  })
  return { ...read, reader }
}

function readAll(chunks: readonly Uint8Array[], maxBytes?: number): Read {
  const { reader, ...read } = collector(maxBytes)
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return read
}

const messages = (read: Read): string[] => read.problems.map(({ error }) => error.message)

describe('T newline frames', () => {
  it('reads two frames in one chunk, and one frame in many', () => {
    expect(readAll([bytes('{"a":1}\n{"b":2}\n')]).frames).toEqual(['{"a":1}', '{"b":2}'])
    expect(readAll([...bytes('{"a":1}\n')].map((byte) => Uint8Array.of(byte))).frames).toEqual(['{"a":1}'])
  })

  it('delivers a frame as soon as its newline is there, and not before', () => {
    const { reader, frames } = collector()
    reader.push(bytes('{"a":'))
    expect(frames).toEqual([])
    reader.push(bytes('1}\n{"b"'))
    expect(frames).toEqual(['{"a":1}'])
  })

  it('joins a character that is split between chunks', () => {
    const line = bytes('{"city":"Tromsø 🌲"}\n')
    for (let cut = 0; cut <= line.length; cut++)
      expect(readAll([line.subarray(0, cut), line.subarray(cut)]).frames).toEqual(['{"city":"Tromsø 🌲"}'])
  })

  it('takes CRLF, ignores empty lines, and drops a byte order mark at the very beginning only', () => {
    expect(readAll([bytes('\r\n\n{"a":1}\r\n\r\n{"b":2}\n\n')]).frames).toEqual(['{"a":1}', '{"b":2}'])
    expect(readAll([bytes('\ufeff{"a":1}\n\ufeff{}\n')]).frames).toEqual(['{"a":1}', '\ufeff{}'])
  })

  it('keeps a carriage return inside a line', () => {
    expect(readAll([bytes('a\rb\n')]).frames).toEqual(['a\rb'])
  })

  it('reports bytes that are not UTF-8 and goes on with the lines around them', () => {
    const read = readAll([bytes('{"a":1}\n'), Uint8Array.of(0x7b, 0xc3, 0x28, 0x7d, 10, 0x7b, 0x7d, 10)])
    expect(read.all).toEqual(['{"a":1}', expect.objectContaining({ kind: 'invalid', isAnswer: false }), '{}'])
    expect(messages(read)).toEqual(['The message is not valid UTF-8'])
  })

  it('takes a last line without its newline when it looks whole, and reports it when it is cut off', () => {
    expect(readAll([bytes('{"a":1}\n{"b":2}')]).frames).toEqual(['{"a":1}', '{"b":2}'])
    expect(readAll([bytes('{"b":2} \r')]).frames).toEqual(['{"b":2} '])
    const cut = readAll([bytes('{"a":1}\n{"b":')])
    expect(cut.frames).toEqual(['{"a":1}'])
    expect(messages(cut)).toEqual(['The input ended in the middle of a message'])
    expect(readAll([bytes('{"a":1}\n')]).problems).toEqual([])
  })
})

describe('T lines over the limit', () => {
  const long = (length: number) => `{"pad":"${'x'.repeat(length - 10)}"}`

  it('takes a line of exactly the limit and refuses one byte more, wherever the chunks end', () => {
    for (const cut of [0, 1, 50, 99, 100, 101]) {
      const [fits, tooLong] = [bytes(`${long(100)}\n`), bytes(`${long(101)}\n{}\n`)]
      expect(readAll([fits.subarray(0, cut), fits.subarray(cut)], 100).frames).toEqual([long(100)])
      const read = readAll([tooLong.subarray(0, cut), tooLong.subarray(cut)], 100)
      expect(read.frames).toEqual(['{}'])
      expect(messages(read)).toEqual(['Messages are limited to 100 bytes'])
    }
  })

  it('counts bytes, not characters', () => {
    const line = '"øøøøø"'
    expect(readAll([bytes(`${line}\n`)], 12).frames).toEqual([line])
    expect(readAll([bytes(`${line}\n`)], 11).problems).toHaveLength(1)
  })

  it('reports one that never ends once, when the input is over', () => {
    const read = readAll([bytes('x'.repeat(70)), bytes('x'.repeat(70)), bytes('x'.repeat(70))], 100)
    expect(read).toMatchObject({ frames: [], problems: [{ error: { data: { 'parley/kind': 'message_too_large' } } }] })
  })

  it.each([
    ['a request that says its id first', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"PAD"}', 7, false],
    [
      'a request that says its id last',
      '{"method":"tools/call","params":{"id":1,"pad":"PAD"},"jsonrpc":"2.0","id":7}',
      7,
      false,
    ],
    ['an answer that says its id first', '{"jsonrpc":"2.0","id":"a\\"b","result":{"pad":"PAD"}}', 'a"b', true],
    ['an answer that says its id last', '{"result":{"pad":"PAD","id":3},"jsonrpc":"2.0","id":8}', 8, true],
    ['an error', '{ "jsonrpc" : "2.0", "id" : 9, "error": {"message":"PAD"}}', 9, true],
    ['a notification', '{"jsonrpc":"2.0","method":"m","params":{"pad":"PAD","id":5}}', undefined, false],
    ['an id that is only inside', '{"result":{"pad":"PAD","id":3}}', undefined, true],
    ['an id inside a text', '{"result":"PAD,\\"id\\":3}","jsonrpc":"2.0"}', undefined, true],
    ['something whose kind is not known', '{"params":"PAD","id":3}', undefined, false],
    ['an id no request can have', '{"jsonrpc":"2.0","id":9999999999999999,"result":"PAD"}', undefined, true],
    ['no message at all', 'PAD', undefined, false],
  ])('tells who waits: %s', (_, line, id, isAnswer) => {
    const text = line.replace('PAD', 'x'.repeat(5000))
    const chunks = [bytes(text.slice(0, 300)), bytes(text.slice(300, 2000)), bytes(`${text.slice(2000)}\n`)]
    for (const read of [readAll([bytes(`${text}\n`)], 2000), readAll(chunks, 2000)]) {
      expect(read.problems).toHaveLength(1)
      expect(read.problems[0]).toMatchObject({ id, isAnswer })
    }
  })
})

describe('T frames do not depend on how the bytes are cut', () => {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.json().map(bytes) },
    { weight: 3, arbitrary: fc.constantFrom('\n', '\r\n', '\n\n', '\r').map(bytes) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map(bytes) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 8 }) },
    { weight: 1, arbitrary: fc.constantFrom('\ufeff', '"', '{"jsonrpc":"2.0","id":1,"result":').map(bytes) },
  )
  const stream = fc
    .array(piece, { maxLength: 30 })
    .map((pieces) => Uint8Array.from(pieces.flatMap((part) => [...part])))
  const cuts = fc.array(fc.nat(), { maxLength: 20 })

  const split = (whole: Uint8Array, at: readonly number[]): Uint8Array[] => {
    const places = [0, ...at.map((cut) => cut % (whole.length + 1)), whole.length].sort((a, b) => a - b)
    return places.slice(1).map((end, index) => whole.subarray(places[index], end))
  }

  it('gives the same frames and the same problems for any cut', () => {
    fc.assert(
      fc.property(stream, cuts, fc.constantFrom(8, 30, 1000), (whole, at, maxBytes) => {
        expect(readAll(split(whole, at), maxBytes).all).toEqual(readAll([whole], maxBytes).all)
      }),
      { numRuns: 500 },
    )
  })

  it('gives what splitting the text at its newlines gives', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 50 }).map((text) => text.replace(/[\r\n\ufeff]/g, ''))
    fc.assert(
      fc.property(fc.array(line), cuts, (lines, at) => {
        const whole = bytes(lines.map((text) => `${text}\n`).join(''))
        expect(readAll(split(whole, at), 10_000).all).toEqual(lines.filter((text) => text !== ''))
      }),
    )
  })
})
