import { ParleyError } from 'parley-mcp'
import { flush } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { stage, TestLink } from './supervisor.fixtures.ts'

describe('stop of an upstream', () => {
  it('G: ends every session with a reason, sends away who waits, and lets nobody in', async () => {
    const { supervisor, use, clock, states } = stage()
    const { far, reason } = await use(supervisor.opener())
    far.answer()
    const second = await use(supervisor.opener())
    second.far.end(new ParleyError('transport_error', { message: 'ECONNRESET' }))
    const third = await use(supervisor.opener())
    const waiting = use(supervisor.opener())
    await flush()
    await Promise.all([
      supervisor.stop(),
      supervisor.stop(),
      expect(waiting).rejects.toMatchObject({ kind: 'shutting_down' }),
    ])
    expect(reason()).toMatchObject({ kind: 'shutting_down', message: 'The server "files" was stopped by the gateway' })
    expect([far.closedHere, third.far.closedHere].every((times) => times > 0)).toBe(true)
    expect(supervisor.status()).toMatchObject({ state: 'stopped', sessions: 0, nextAttemptAt: undefined })
    expect(states.at(-1)).toBe('stopped')
    await expect(use()).rejects.toMatchObject({ kind: 'shutting_down' })
    expect(supervisor.unavailable()).toMatchObject({ kind: 'shutting_down' })
    expect(clock.pending).toBe(0)
  })

  it('G: waits for a start under way and undoes it', async () => {
    let launched: (link: TestLink) => void = () => {}
    const launch = () =>
      new Promise<TestLink>((resolve) => {
        launched = resolve
      })
    const { supervisor, clock } = stage({}, { launch })
    const opening = supervisor.open().catch((error: unknown) => error)
    await flush()
    let stopped = false
    const stopping = supervisor.stop().then(() => {
      stopped = true
    })
    await flush()
    expect(stopped).toBe(false)
    const link = new TestLink()
    launched(link)
    await stopping
    expect(link.closedHere).toBeGreaterThan(0)
    expect(await opening).toMatchObject({ kind: 'shutting_down' })
    expect(clock.pending).toBe(0)
  })

  it('G: begins nothing that was allowed a moment before', async () => {
    const { supervisor, links } = stage()
    const opening = supervisor.open().catch((error: unknown) => error)
    await supervisor.stop()
    expect(await opening).toMatchObject({ kind: 'shutting_down' })
    expect(links).toEqual([])
  })

  it('G: does not wait for ever for a connection that does not end', async () => {
    class Clinging extends TestLink {
      override close(): Promise<void> {
        super.close()
        return new Promise(() => {})
      }
    }
    const { supervisor, clock } = stage({}, { launch: () => new Clinging() })
    await supervisor.open()
    let stopped = false
    const stopping = supervisor.stop().then(() => {
      stopped = true
    })
    await clock.advance(4999)
    expect(stopped).toBe(false)
    await clock.advance(1)
    await stopping
    expect(clock.pending).toBe(0)
  })

  it('G: blames nobody for a session that had not come about by then', async () => {
    const { supervisor, use, events } = stage()
    const attempt = supervisor.attempt(async (open) => {
      const { reason } = await use(open as () => Promise<TestLink>)
      await supervisor.stop()
      throw new ParleyError('connection_closed', {
        message: `The connection ended before initialize was answered: ${reason()?.message}`,
      })
    })
    await expect(attempt).rejects.toMatchObject({
      kind: 'shutting_down',
      message: 'The server "files" was stopped by the gateway',
    })
    expect(events.filter(({ type }) => type === 'ended')).toEqual([])
  })
})
