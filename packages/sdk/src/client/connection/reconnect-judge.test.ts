/** L6: what a failed attempt to come back means is up to whoever opens the links. */
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import type { Link } from '../../jsonrpc/index.ts'
import { fakeClock, flush } from '../../testing/index.ts'
import { connect } from '../connect.ts'
import { rawServer } from '../raw-server.fixtures.ts'
import type { Hope } from './reconnect.ts'

/** A connection that was lost, to a server that is down. */
async function lost(judge: (error: Error) => Hope) {
  const clock = fakeClock()
  const first = rawServer()
  let opened = 0
  let down = true
  const open = (): Link => {
    if (opened++ === 0) return first.link
    if (down) throw new ParleyError('refusal_unavailable', { message: 'closed for today' })
    return rawServer({ answers: { ping: () => ({}) } }).link
  }
  const client = await connect(open, { clock, version: '2025-11-25', reconnect: { delays: [10], judge } })
  first.hangUp()
  await flush()
  const waiting = client.request('tools/list', {}).catch((error: unknown) => error)
  const repair = (): void => {
    down = false
  }
  return { client, clock, waiting, repair, opened: () => opened }
}

describe('L6 what a failed attempt means', () => {
  it('"tell": waiting requests fail with the error, and the attempts go on', async () => {
    const { client, clock, waiting, repair } = await lost(() => 'tell')
    await clock.advance(20)
    expect(await waiting).toMatchObject({ kind: 'refusal_unavailable', message: 'closed for today' })
    expect(client.state).toBe('reconnecting')
    repair()
    await clock.advance(20)
    expect(client.state).toBe('connected')
    await client.close()
    expect(clock.pending).toBe(0)
  })

  it('"stop": the connection is given up at once', async () => {
    const { client, clock, waiting, opened } = await lost((error) =>
      error.message === 'closed for today' ? 'stop' : 'again',
    )
    await clock.advance(20)
    expect(await waiting).toMatchObject({
      kind: 'connection_closed',
      message: expect.stringContaining('closed for today'),
    })
    expect([client.state, opened()]).toEqual(['closed', 2])
    await clock.advance(1000)
    expect(opened()).toBe(2)
  })

  it('"again": waiting requests go on waiting', async () => {
    const { client, clock, waiting, repair } = await lost(() => 'again')
    let settled = false
    void waiting.then(() => {
      settled = true
    })
    await clock.advance(100)
    expect(settled).toBe(false)
    repair()
    await clock.advance(20)
    expect(client.state).toBe('connected')
    await client.close()
  })
})
