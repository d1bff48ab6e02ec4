/**
 * The order of a graceful end, by signals that only this process hears of; real ones are sent to real processes
 * elsewhere.
 */
import { describe, expect, it } from 'vitest'
import { connect } from '../client/index.ts'
import { createServer, tool } from '../server/index.ts'
import { fakeClock, flush } from '../testing/index.ts'
import { type Closable, closeOnSignals, type SessionRecord, type ShutdownOptions } from './shutdown.ts'

function begin(closables: Closable | readonly Closable[], options: ShutdownOptions = {}) {
  const clock = fakeClock()
  const codes: number[] = []
  const errors: unknown[] = []
  const stop = closeOnSignals(closables, {
    signals: ['SIGUSR2'],
    clock,
    exit: (code) => codes.push(code),
    onError: (error) => errors.push(error),
    ...options,
  })
  return { clock, codes, errors, stop, signal: () => process.emit('SIGUSR2', 'SIGUSR2') }
}

describe('L8 on the first signal', () => {
  // Where there are no sessions there is nothing to remember of them.
  it.each([
    ['2025-11-25', [{ transport: 'memory', version: '2025-11-25', peer: { info: { name: 'me', version: '2' } } }]],
    ['2026-07-28', []],
  ] as const)(
    'running requests finish, then the sessions are remembered, then the process ends with 0 (%s)',
    async (version, remembered) => {
      const order: string[] = []
      let finish: (text: string) => void = () => {}
      const server = createServer({ name: 's', version: '1' }).add(
        tool('slow', {}, () => {
          const done = new Promise<string>((resolve) => {
            finish = resolve
          })
          return done
        }),
      )
      const client = await connect(server, { version, info: { name: 'me', version: '2' } })
      const persisted: SessionRecord[] = []
      const { clock, codes, signal, stop } = begin(server, {
        onPersist: async (sessions) => {
          order.push('persist')
          await flush()
          persisted.push(...sessions)
          expect(codes).toEqual([])
        },
      })
      const calling = client.call('slow').then(({ text }) => order.push(text))
      await flush()
      signal()
      await expect(client.call('slow')).rejects.toMatchObject({ kind: 'shutting_down' })
      expect(codes).toEqual([])
      finish('answer')
      await calling
      await flush()
      await flush()
      expect(order).toEqual(['answer', 'persist'])
      expect(codes).toEqual([0])
      expect(persisted).toMatchObject(remembered)
      for (const { history } of persisted) expect(history.at(-1)).toMatchObject({ phase: 'closed' })
      expect(clock.pending).toBe(0)
      stop()
    },
  )

  it('everything is closed at the same time, for as long as asked', async () => {
    const drains: unknown[] = []
    const closable: Closable = { close: (options) => drains.push(options?.drain), sessions: 7 }
    const { codes, signal, stop } = begin([closable, closable], { drain: '3s' })
    signal()
    await flush()
    expect(drains).toEqual([3000, 3000])
    expect(codes).toEqual([0])
    stop()
  })

  it('what fails harms no other, and shows in the exit code', async () => {
    const closed: string[] = []
    const broken: Closable = { close: () => Promise.reject(new Error('stuck')) }
    const { codes, errors, signal, stop } = begin([broken, { close: () => closed.push('other') }], {
      onPersist: () => {
        throw new Error('disk full')
      },
    })
    signal()
    await flush()
    expect(closed).toEqual(['other'])
    expect(errors).toMatchObject([{ message: 'stuck' }, { message: 'disk full' }])
    expect(codes).toEqual([1])
    stop()
  })

  it('what never ends is not waited for', async () => {
    const { clock, codes, errors, signal, stop } = begin({ close: () => new Promise(() => {}) })
    signal()
    await clock.advance(14_999)
    expect(codes).toEqual([])
    await clock.advance(1)
    expect(codes).toEqual([1])
    expect(errors).toMatchObject([{ message: 'Not closed within 15000 ms' }])
    stop()
  })
})

describe('L8 on the second signal', () => {
  it('the process ends at once, with the code of the signal', async () => {
    const codes: number[] = []
    const stop = closeOnSignals(
      { close: () => new Promise(() => {}) },
      { signals: ['SIGQUIT'], clock: fakeClock(), exit: (code) => codes.push(code) },
    )
    process.emit('SIGQUIT', 'SIGQUIT')
    expect(codes).toEqual([])
    process.emit('SIGQUIT', 'SIGQUIT')
    expect(codes).toEqual([131])
    stop()
    expect(process.listenerCount('SIGQUIT')).toBe(0)
  })
})
