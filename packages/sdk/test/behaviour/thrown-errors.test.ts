/**
 * What a tool handler throws is a result that the model can read, in every version; what nobody should read has a
 * reference instead.
 */
import { describe, expect, it, vi } from 'vitest'
import { connect as connectClient } from '../../src/client.ts'
import { createServer, ParleyError, type ShownErrors, ToolError, tool } from '../../src/server.ts'
import { connect, everyVersion } from '../../src/testing.ts'

class QuotaError extends Error {}
class StrictTypeError extends TypeError {}

const system = (): Error =>
  Object.assign(new Error("ENOENT: no such file, open '/etc/x'"), { syscall: 'open', code: 'ENOENT' })
const command = (): Error => Object.assign(new Error('Command failed: ls /etc/x'), { cmd: 'ls /etc/x', code: 2 })

const own: [string, () => Error, string][] = [
  ['Error', () => new Error('rate limit, retry in 60 s'), 'rate limit, retry in 60 s'],
  ['a class of the author', () => new QuotaError('no quota left'), 'no quota left'],
  ['a class that extends a built-in one', () => new StrictTypeError('not a city'), 'not a city'],
  ['an error with a code', () => Object.assign(new Error('try later'), { code: 'E_BUSY' }), 'try later'],
  [
    'an error that quotes a stack',
    () => new Error('worker died\n    at run (/srv/app/worker.js:3:7)\n    at /srv/x.js:1:1'),
    'worker died',
  ],
]

const builtIn: [string, () => unknown][] = [
  ['TypeError', () => new TypeError('/etc/x is not a function')],
  ['ReferenceError', () => new ReferenceError('/etc/x')],
  ['RangeError', () => new RangeError('/etc/x')],
  ['SyntaxError', () => new SyntaxError('/etc/x')],
  ['AggregateError', () => new AggregateError([new Error('/etc/x')], '/etc/x')],
  ['a system error', system],
  ['a failed command', command],
  ['a text', () => '/etc/x'],
  ['an error without a message', () => new Error('')],
]

everyVersion((version) => {
  const calling = async (thrown: () => unknown, showErrors?: ShownErrors) => {
    const onError = vi.fn()
    const server = createServer({ name: 's', version: '1' }, { onError, ...(showErrors && { showErrors }) }).add(
      tool('work', {}, async () => {
        throw thrown()
      }),
    )
    await using client = await connect(server, { version })
    const { text, isError } = await client.call('work', {}, { throwOnError: false })
    const failure = await client.call('work').catch((error: unknown) => error)
    return { text, isError, failure, onError, wire: String(client.transcript) }
  }

  describe(`E2 what a tool throws (${version})`, () => {
    it.each(own)('%s is shown to the model and reported', async (_, make, expected) => {
      const { text, isError, onError, wire } = await calling(make)
      expect({ text, isError }).toEqual({ text: expected, isError: true })
      expect(onError).toHaveBeenCalledTimes(2)
      expect(wire).not.toContain('.js:')
    })

    it.each(builtIn)('%s is masked, with a reference that the log repeats', async (_, make) => {
      const { text, isError, onError, wire } = await calling(make)
      const { reference } = onError.mock.calls[0]?.[1] ?? {}
      expect(reference).toMatch(/^[\w-]{1,8}$/)
      expect({ text, isError }).toEqual({
        text: `Tool "work" failed because of an error in the server. Its log has the cause under the reference ${reference}.`,
        isError: true,
      })
      expect(wire).not.toContain('/etc/x')
    })

    it('all are shown for development, and none but ToolError when all are masked', async () => {
      expect((await calling(() => new TypeError('x is not a function'), 'all')).text).toBe(
        'TypeError: x is not a function',
      )
      expect((await calling(() => 'a text', 'all')).text).toBe('a text')
      expect((await calling(() => new Error('mine'), 'none')).text).toContain('under the reference')
      expect((await calling(() => new ToolError('mine'), 'none')).text).toBe('mine')
    })

    it('a client in the same process has the thrown error as the cause', async () => {
      const thrown = new TypeError('x is not a function')
      const { failure } = await calling(() => thrown)
      expect(failure).toBeInstanceOf(ToolError)
      expect((failure as Error).cause).toBe(thrown)
    })

    it('a catalogue error of the author stays an error of its kind', async () => {
      const { failure } = await calling(() => new ParleyError('rate_limited', { message: 'Slow down' })).catch(
        (error: unknown) => ({ failure: error }),
      )
      expect(failure).toMatchObject({ kind: 'rate_limited', message: 'Slow down' })
    })
  })
})

describe('E2 settings of what is shown', () => {
  it('refuses a value that means nothing', () => {
    expect(() => createServer({ name: 's', version: '1' }, { showErrors: 'some' as never })).toThrow(
      'showErrors must be "own", "all" or "none", not "some"',
    )
  })

  it('the console has the reference beside the cause', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const server = createServer({ name: 's', version: '1' }).add(
      tool('work', {}, () => {
        throw new TypeError('why')
      }),
    )
    await using client = await connectClient(server)
    const failure = (await client.call('work').catch((error: unknown) => error)) as Error
    const [line, cause] = log.mock.calls[0] ?? []
    log.mockRestore()
    const reference = /reference (\w+)/.exec(failure.message)?.[1]
    expect(line).toBe(`parley: tools/call "work" failed (reference ${reference}):`)
    expect(cause).toBe(failure.cause)
  })
})
