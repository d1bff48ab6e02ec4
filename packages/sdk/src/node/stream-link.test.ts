import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { StreamLink, type StreamLinkOptions } from './stream-link.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** An output whose reader takes everything at once. */
class Fast extends Writable {
  readonly taken: string[] = []

  constructor() {
    super({ decodeStrings: false })
  }

  override _write(chunk: string, _: string, done: () => void): void {
    this.taken.push(chunk)
    done()
  }
}

/** An output whose reader takes nothing until it is told to. */
class Slow extends Writable {
  readonly taken: string[] = []
  #done: (() => void) | undefined

  constructor() {
    super({ decodeStrings: false, highWaterMark: 10 })
  }

  override _write(chunk: string, _: string, done: () => void): void {
    this.taken.push(chunk)
    this.#done = done
  }

  takeOne(): void {
    const done = this.#done
    this.#done = undefined
    done?.()
  }
}

function opened(output: Writable, options: Partial<StreamLinkOptions> = {}) {
  const input = new PassThrough()
  const link = new StreamLink({ transport: 'test', input, output, ...options })
  const frames: string[] = []
  const closed = new Promise<Error | undefined>((resolve) =>
    link.open({ frame: (text) => frames.push(text), closed: resolve }),
  )
  return { link, input, frames, closed }
}

describe('T a link over streams', () => {
  it('writes at once what is sent alone, and what comes in the same turn in one piece after it', async () => {
    const output = new Fast()
    const { link } = opened(output)
    link.send('1')
    expect(output.taken).toEqual(['1\n'])
    link.send('2')
    link.send('3')
    expect(output.taken).toEqual(['1\n'])
    await turn()
    expect(output.taken).toEqual(['1\n', '2\n3\n'])
  })

  it('gathers all of a turn after one that had several, until there is one alone again', async () => {
    const output = new Fast()
    const { link } = opened(output)
    const sent = async (...frames: string[]): Promise<string[]> => {
      output.taken.length = 0
      for (const frame of frames) link.send(frame)
      const atOnce = output.taken.length
      await turn()
      return [`${atOnce} at once`, ...output.taken]
    }
    expect(await sent('1', '2')).toEqual(['1 at once', '1\n', '2\n'])
    expect(await sent('3', '4')).toEqual(['0 at once', '3\n4\n'])
    expect(await sent('5')).toEqual(['0 at once', '5\n'])
    expect(await sent('6')).toEqual(['1 at once', '6\n'])
  })

  it('never breaks a line', () => {
    const output = new PassThrough()
    opened(output).link.send('{\n  "b": 2\n}')
    expect(String(output.read())).toBe('{   "b": 2 }\n')
  })

  it('waits while the reader is slow, and then writes all that has gathered at once', async () => {
    const output = new Slow()
    const { link } = opened(output)
    link.send('"the first is long"')
    await turn()
    link.send('2')
    await turn()
    link.send('3')
    await turn()
    expect(output.taken).toEqual(['"the first is long"\n'])
    output.takeOne()
    await turn()
    expect(output.taken).toEqual(['"the first is long"\n', '2\n3\n'])
  })

  it('takes in no more work while too much waits, and goes on afterwards', async () => {
    const output = new Slow()
    const { link, input, frames } = opened(output, { maxBuffered: 400 })
    link.send('x'.repeat(50))
    await turn()
    link.send('y'.repeat(150))
    input.write('"waits"\n')
    await turn()
    expect(frames).toEqual([])
    output.takeOne()
    await turn()
    expect(frames).toEqual(['"waits"'])
  })

  it('gives up a reader for whom more waits than is allowed', async () => {
    const output = new Slow()
    const { link, closed } = opened(output, { maxBuffered: 400 })
    link.send('x'.repeat(50))
    await turn()
    link.send('y'.repeat(500))
    expect(await closed).toMatchObject({
      kind: 'transport_error',
      message: 'The peer does not read: 501 characters wait for it',
    })
    expect(() => link.send('z')).toThrow('The test link is closed: The peer does not read')
  })

  it('does not wait to write what is very long', () => {
    const output = new Slow()
    const { link } = opened(output)
    link.send('x'.repeat(2_000_000))
    expect(output.taken).toHaveLength(1)
  })

  it('hands over what waits when it is closed, and says when the system has it', async () => {
    const output = new Slow()
    let flushed = false
    const { link, closed } = opened(output, { onOver: (done) => void done.then(() => (flushed = true)) })
    link.send('1')
    link.send('2')
    link.close()
    link.close()
    expect(await closed).toBeUndefined()
    for (const taken of [['1\n'], ['1\n', '2\n']]) {
      await turn()
      expect([output.taken, flushed]).toEqual([taken, false])
      output.takeOne()
    }
    await turn()
    expect(flushed).toBe(true)
  })

  it('delivers nothing after it was closed, though it reads on', async () => {
    const { link, input, frames } = opened(new PassThrough())
    link.close()
    input.end('{"late":true}\n')
    await new Promise((resolve) => input.once('end', resolve))
    expect(frames).toEqual([])
  })

  it('stops in the middle of a chunk when a frame handler closes it', async () => {
    const input = new PassThrough()
    const link = new StreamLink({ transport: 'test', input, output: new PassThrough() })
    const frames: string[] = []
    link.open({
      frame(text) {
        frames.push(text)
        link.close()
      },
      closed() {},
    })
    input.write('1\n2\n3\n')
    await turn()
    expect(frames).toEqual(['1'])
  })

  it.each(['input', 'output'] as const)('ends with the reason when its %s fails', async (side) => {
    const output = new PassThrough()
    const { input, closed } = opened(output)
    const streams = { input, output }
    streams[side].destroy(new Error('wire cut'))
    expect(await closed).toMatchObject({ kind: 'transport_error', message: 'The test link failed: wire cut' })
  })

  it('that ended before it was opened says so when it is', async () => {
    const link = new StreamLink({ transport: 'test', input: new PassThrough(), output: new PassThrough() })
    link.end(new Error('early'))
    expect(await new Promise((resolve) => link.open({ frame() {}, closed: resolve }))).toMatchObject({
      message: 'early',
    })
  })

  it('can be opened once', () => {
    const { link } = opened(new PassThrough())
    expect(() => link.open({ frame() {}, closed() {} })).toThrow('This test link is already in use')
  })

  it('keeps to the limit it is opened with', async () => {
    const input = new PassThrough()
    const link = new StreamLink({ transport: 'test', input, output: new PassThrough() })
    const seen: unknown[] = []
    link.open({ maxBytes: 5, frame: (text, parsed) => seen.push(parsed?.kind ?? text), closed() {} })
    input.write('12345\n123456\n')
    await turn()
    expect(seen).toEqual(['12345', 'invalid'])
  })
})
