import { ParleyError } from 'parley-mcp'
import { flush } from 'parley-mcp/testing'
import { describe, expect, it, vi } from 'vitest'
import { isUnavailable } from './failures.ts'
import { FIRST_COOL_DOWN } from './restart/intensity.ts'
import { type Stage, stage, type TestLink } from './supervisor.fixtures.ts'

const broken = () => new ParleyError('transport_error', { message: 'ECONNRESET with very-secret' })

/** Starts and crashes until it is given up; the time of the fake clock is then that of the last crash. */
async function exhaust({ use, clock, supervisor }: Stage): Promise<void> {
  while (supervisor.status().state !== 'down') {
    const pending = use()
    await clock.advance((supervisor.status().nextAttemptAt ?? clock.now()) - clock.now())
    const { far } = await pending
    far.end(broken())
  }
}

describe('the life of an upstream', () => {
  it('G: is idle, starts, runs once it has answered, and is idle again when nobody uses it', async () => {
    const { supervisor, clock, use, states } = stage()
    expect(supervisor.status()).toMatchObject({
      name: 'files',
      state: 'idle',
      sessions: 0,
      starts: 0,
      nextAttemptAt: undefined,
    })
    await clock.advance(5)
    const { link, far } = await use()
    expect(supervisor.status()).toMatchObject({ state: 'starting', sessions: 1, since: 5 })
    far.answer()
    await clock.advance(1000)
    expect(supervisor.status()).toMatchObject({ state: 'running', sessions: 1, uptime: 1000, starts: 1, restarts: 0 })
    link.close()
    expect(states).toEqual(['starting', 'running', 'idle'])
    expect(supervisor.status()).toMatchObject({ sessions: 0, uptime: 0, lastError: undefined })
  })

  it('G: a close of our own is no crash: no delay, no restart', async () => {
    const { supervisor, use } = stage({ maxRestarts: 0 })
    for (let round = 0; round < 5; round++) {
      const { link, far } = await use()
      far.answer()
      link.close()
    }
    expect(supervisor.status()).toMatchObject({ state: 'idle', starts: 5, restarts: 0 })
  })

  it('G, L6: comes back at once after its first crash, and ever later after the next', async () => {
    const { supervisor, clock, use } = stage()
    const first = await use()
    first.far.answer()
    first.far.end(broken())
    expect(supervisor.status()).toMatchObject({ state: 'restarting', sessions: 0, nextAttemptAt: undefined })
    const second = await use()
    second.far.end(broken())
    expect(supervisor.status()).toMatchObject({ state: 'restarting', nextAttemptAt: 1000, restarts: 1 })
    let came = false
    const third = use().then((used) => {
      came = true
      return used
    })
    await clock.advance(999)
    expect(came).toBe(false)
    await clock.advance(1)
    ;(await third).far.answer()
    expect(supervisor.status()).toMatchObject({ state: 'running', restarts: 2, starts: 3 })
    expect(clock.pending).toBe(0)
  })

  it('G: those who wait are told who is gone and why, without secrets, in an error of the same kind', async () => {
    const { supervisor, use, events } = stage()
    const { far, reason } = await use()
    far.answer()
    far.end(new ParleyError('session_lost', { message: 'it knows no very-secret', data: { status: 404 } }))
    const message = 'The connection to the server "files" was lost: it knows no [x-key]'
    expect(reason()).toMatchObject({ kind: 'session_lost', message, data: { status: 404, server: 'files' } })
    expect(supervisor.status().lastError).toBe(message)
    expect(events.find(({ type }) => type === 'ended')).toEqual({
      type: 'ended',
      upstream: 'files',
      abnormal: true,
      error: message,
      exit: undefined,
      lines: [],
    })
  })

  it('G: a clean end by the other side names the upstream as well', async () => {
    const { use } = stage()
    const { far, reason } = await use()
    far.end()
    expect(reason()).toMatchObject({ kind: 'connection_closed', message: 'The server "files" closed the connection' })
  })

  it('G: a start that fails is told at once, counts, and tells no secret', async () => {
    const { supervisor, use, failures, states, events } = stage({ maxRestarts: 0 })
    failures.push(broken())
    const message = 'The server "files" could not be started or reached: ECONNRESET with [x-key]'
    await expect(use()).rejects.toMatchObject({ kind: 'transport_error', message })
    expect(supervisor.status()).toMatchObject({ state: 'down', lastError: message, sessions: 0, starts: 1 })
    expect(states).toEqual(['starting', 'down'])
    expect(events).toContainEqual({ type: 'start_failed', upstream: 'files', error: message })
  })

  it('G: a connection over which nothing came back counts when it is closed, because some links only fail when they are used', async () => {
    const { supervisor, use } = stage({ maxRestarts: 0 })
    const { link, far } = await use()
    far.fail(broken())
    link.close()
    expect(supervisor.status()).toMatchObject({ state: 'down', lastError: expect.stringContaining('ECONNRESET') })
    const other = stage({ maxRestarts: 0 })
    const answered = await other.use()
    answered.far.fail(broken())
    answered.far.answer()
    answered.link.close()
    expect(other.supervisor.status().state).toBe('idle')
  })

  it('G: observers that fail harm nothing, and can leave', async () => {
    const log = vi.fn(() => {
      throw new Error('full disk')
    })
    const { supervisor, use } = stage({}, { log })
    const listener = vi.fn(() => {
      throw new Error('no')
    })
    const leave = supervisor.onStatus(listener)
    const { far } = await use()
    expect(listener).toHaveBeenCalledOnce()
    leave()
    far.answer()
    expect(supervisor.status().state).toBe('running')
    expect(listener).toHaveBeenCalledOnce()
    expect(log).toHaveBeenCalled()
  })
})

describe('an upstream that keeps ending', () => {
  it('G: is given up; whoever needs it is told at once why, and when it is tried again', async () => {
    const stages = stage()
    const { supervisor, clock, links, events } = stages
    expect(supervisor.unavailable()).toBeUndefined()
    await exhaust(stages)
    expect(links).toHaveLength(4)
    expect(clock.now()).toBe(3000)
    const until = 3000 + FIRST_COOL_DOWN
    expect(supervisor.status()).toMatchObject({ state: 'down', nextAttemptAt: until, restarts: 3 })
    expect(events).toContainEqual({ type: 'given_up', upstream: 'files', until })
    const refusal = await stages.use().catch((error: unknown) => error)
    expect(isUnavailable(refusal)).toBe(true)
    expect(refusal).toMatchObject({
      kind: 'refusal_unavailable',
      message:
        'The server "files" is not available: it keeps ending (The server "files" could not be started or reached: ECONNRESET with [x-key]), and 3 restarts within 60 s did not help; the next attempt is possible in 30 s, at 1970-01-01T00:00:33.000Z',
      data: { server: 'files', nextAttemptAt: '1970-01-01T00:00:33.000Z', retryAfterMs: 30_000 },
    })
    expect(supervisor.unavailable()).toEqual(refusal)
    expect(links).toHaveLength(4)
    expect(clock.pending).toBe(0)
  })

  it('G: gets one trial after the cool-down, during which others are refused; a failure doubles the cool-down', async () => {
    const stages = stage()
    const { supervisor, clock, use } = stages
    await exhaust(stages)
    await clock.advance(FIRST_COOL_DOWN)
    expect(supervisor.unavailable()).toBeUndefined()
    const trial = await use()
    expect(supervisor.status().state).toBe('restarting')
    await expect(use(supervisor.opener())).rejects.toMatchObject({
      kind: 'refusal_unavailable',
      message: expect.stringContaining('a trial start is in progress'),
    })
    trial.far.end(broken())
    expect(supervisor.status()).toMatchObject({ state: 'down', nextAttemptAt: clock.now() + 2 * FIRST_COOL_DOWN })
    await clock.advance(2 * FIRST_COOL_DOWN)
    const second = await use()
    second.far.answer()
    expect(supervisor.status().state).toBe('running')
    await use(supervisor.opener())
    expect(supervisor.status().sessions).toBe(2)
  })

  it('G: refuses those who waited for it to come back as soon as it is given up', async () => {
    const { supervisor, use, clock } = stage({ maxRestarts: 1 })
    const first = await use()
    first.far.end(broken())
    const second = await use()
    const waiting = use(supervisor.opener()).catch((error: unknown) => error)
    await flush()
    second.far.end(broken())
    expect(await waiting).toSatisfy(isUnavailable)
    expect(supervisor.status().state).toBe('down')
    expect(clock.pending).toBe(0)
  })
})

describe('several sessions', () => {
  it('G: of which all end by one blow are one restart: one tries, the others follow when it works', async () => {
    const { supervisor, use, clock } = stage({ maxRestarts: 1 })
    const openers = Array.from({ length: 10 }, () => supervisor.opener())
    const before = []
    for (const open of openers) before.push(await use(open))
    for (const { far } of before) far.answer()
    for (const { far } of before) far.end(broken())
    let back = 0
    const after = openers.map((open) =>
      use(open).then((used) => {
        back++
        return used
      }),
    )
    await clock.advance(0)
    expect(back).toBe(1)
    ;(await Promise.race(after)).far.answer()
    await Promise.all(after)
    expect(supervisor.status()).toMatchObject({ state: 'running', sessions: 10, starts: 20, restarts: 10 })
  })

  it('G: one that tries and is closed from here makes room for the next to try', async () => {
    const { supervisor, use } = stage()
    ;(await use()).far.end(broken())
    const first = await use()
    const second = use(supervisor.opener())
    first.link.close()
    ;(await second).far.answer()
    expect(supervisor.status()).toMatchObject({ state: 'running', sessions: 1 })
  })

  it('G: one of them can be down while another runs, and the upstream is then running', async () => {
    const stages = stage({ maxRestarts: 0 })
    const { supervisor, use } = stages
    const good = await use(supervisor.opener())
    good.far.answer()
    const bad = await use(supervisor.opener())
    bad.far.end(broken())
    expect(supervisor.status()).toMatchObject({ state: 'running', sessions: 1, nextAttemptAt: FIRST_COOL_DOWN })
    expect(supervisor.unavailable()).toBeUndefined()
    await expect(use(supervisor.opener())).rejects.toSatisfy(isUnavailable)
  })
})

describe('policies', () => {
  it.each([
    ['transient', undefined, 'refused'],
    ['transient', broken(), 'opened'],
    ['temporary', undefined, 'refused'],
    ['temporary', broken(), 'refused'],
    ['permanent', undefined, 'opened'],
  ] as const)('G: %s, ended with %s: another session is %s', async (policy, reason, outcome) => {
    const { supervisor, use } = stage({ policy })
    const open = supervisor.opener()
    const { far } = await use(open)
    far.answer()
    far.end(reason)
    if (outcome === 'opened') return void expect(await use(open)).toBeDefined()
    expect(supervisor.status().state).toBe('stopped')
    await expect(use(open)).rejects.toMatchObject({
      kind: 'refusal_unavailable',
      message: expect.stringContaining(`with the restart policy "${policy}" the gateway does not restart it`),
    })
    // Somebody else who needs it may start it.
    await use(supervisor.opener())
  })

  it('G, V4: one that did not survive the question for its era is started once more, whatever the policy', async () => {
    const { supervisor, use } = stage({ policy: 'temporary' })
    const open = supervisor.opener()
    const { link, far } = await use(open)
    link.send('{"jsonrpc":"2.0","id":1,"method":"server/discover"}')
    far.end()
    const second = await use(open)
    second.link.send('{"jsonrpc":"2.0","id":1,"method":"initialize"}')
    second.far.end()
    await expect(use(open)).rejects.toSatisfy(isUnavailable)
  })

  it('G, M3: a session can be replaced while it lives', async () => {
    const { supervisor, use } = stage({ policy: 'temporary' })
    const open = supervisor.opener()
    const first = await use(open)
    first.far.answer()
    await use(open)
    expect(supervisor.status()).toMatchObject({ sessions: 2, restarts: 0 })
  })
})

describe('attempt', () => {
  const refused = () => new ParleyError('unsupported_protocol_version', { message: 'No common version' })

  it('G: a handshake that fails counts, though the link had no fault, and the error names the server', async () => {
    const { supervisor, use } = stage({ maxRestarts: 0 })
    const attempt = supervisor.attempt(async (open) => {
      const { link, far } = await use(open as () => Promise<TestLink>)
      far.answer()
      link.close()
      throw refused()
    })
    await expect(attempt).rejects.toMatchObject({
      kind: 'transport_error',
      message: 'No session with the server "files": No common version',
    })
    expect(supervisor.status()).toMatchObject({ state: 'down', sessions: 0 })
  })

  it('X5: that there is no common version is said to programs, with the versions of both sides beside the name of the server', async () => {
    const { supervisor, use } = stage()
    const attempt = supervisor.attempt(async (open) => {
      await use(open as () => Promise<TestLink>)
      throw new ParleyError('unsupported_protocol_version', {
        message: 'No common version',
        data: { server: '1999-01-01', client: ['2025-11-25'] },
      })
    })
    const originals = { originalKind: 'unsupported_protocol_version', originalCode: -32602 }
    await expect(attempt).rejects.toMatchObject({
      kind: 'transport_error',
      data: { server: 'files', serverVersion: '1999-01-01', client: ['2025-11-25'], ...originals },
    })
  })

  it('G: what was blamed on the link is not counted twice', async () => {
    const { supervisor, use, events } = stage({ maxRestarts: 1 })
    const attempt = supervisor.attempt(async (open) => {
      const { far, reason } = await use(open as () => Promise<TestLink>)
      far.end(broken())
      throw reason()
    })
    await expect(attempt).rejects.toMatchObject({
      message: 'The server "files" could not be started or reached: ECONNRESET with [x-key]',
    })
    expect(supervisor.status().state).toBe('restarting')
    expect(events.filter(({ type }) => type === 'ended')).toHaveLength(1)
  })

  it('G: a caller who changes his mind says nothing about the upstream', async () => {
    const { supervisor, use } = stage({ maxRestarts: 0 })
    const attempt = supervisor.attempt(async (open) => {
      ;(await use(open as () => Promise<TestLink>)).link.close()
      throw new ParleyError('request_cancelled')
    })
    await expect(attempt).rejects.toMatchObject({ kind: 'request_cancelled' })
    expect(supervisor.status().state).toBe('idle')
    expect(await supervisor.attempt(async () => 'a client')).toBe('a client')
  })
})
