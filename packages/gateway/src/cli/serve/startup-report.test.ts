import { type FakeClock, fakeClock } from 'parley-mcp/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Upstream } from '../../upstream/index.ts'
import { StartupReport } from './startup-report.ts'

interface Told {
  readonly upstream: Upstream
  reach(listed?: Promise<object>): Promise<void>
  fail(): Promise<void>
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A server that is reached, or is not, when the test says so. */
function server(name: string, more: object = {}): Told {
  let [resolve, reject] = [(_: unknown): void => {}, (_: Error): void => {}]
  const home = new Promise((...ways) => {
    ;[resolve, reject] = ways
  })
  const known = {
    name,
    config: { lazy: false },
    gatewayConversation: () => home,
    status: () => ({ lastError: 'gone', lastStderr: [] }),
    ...more,
  }
  return {
    upstream: known as unknown as Upstream,
    reach: (listed = Promise.resolve({})) => {
      Object.assign(known, {
        introduction: { info: { name, version: '1' }, capabilities: {} },
        version: '2025-06-18',
        era: 'handshake',
      })
      resolve({ client: { session: { hasPeerCapability: () => true }, request: () => listed } })
      return turn()
    },
    fail: () => {
      reject(new Error('gone'))
      return turn()
    },
  }
}

let written: string
let clock: FakeClock
let welcome: StartupReport
beforeEach(() => {
  written = ''
  clock = fakeClock(0)
  welcome = new StartupReport({
    url: 'http://127.0.0.1:4000',
    command: 'parley',
    write: (text) => (written += text),
    clock,
  })
})

describe('whoever starts the gateway', () => {
  it('is told of every server, and then what to try', async () => {
    const [quick, broken, later] = [server('quick'), server('broken'), server('later', { config: { lazy: true } })]
    const greeted = welcome.print([quick, broken, later].map(({ upstream }) => upstream))
    await quick.reach()
    await broken.fail()
    await greeted
    expect(written).toMatch(
      /^ {2}later: its first client starts it\n {2}quick: quick 1 speaks 2025-06-18 \(handshake\), offers nothing\n {2}broken: not reached: gone\n\nTry it/,
    )
    expect(written).not.toContain('still starting')
  })

  it.each(['reach', 'fail'] as const)(
    'does not wait for one that is slow, and is told when it comes or does not (%s)',
    async (how) => {
      const slow = server('slow')
      const greeted = welcome.print([slow.upstream])
      await clock.advance(5000)
      await greeted
      expect(written).toMatch(/^ {2}slow: still starting\n\nTry it in another terminal:\n/)
      const before = written
      await slow[how]()
      expect(written.slice(before.length)).toBe(
        {
          reach: '  slow: slow 1 speaks 2025-06-18 (handshake), offers nothing\n',
          fail: '  slow: not reached: gone\n',
        }[how],
      )
    },
  )

  it('is told nothing once the gateway ends', async () => {
    const [slow, slower] = [server('slow'), server('slower')]
    void welcome.print([slow.upstream, slower.upstream])
    await slow.reach()
    const before = written
    welcome.end()
    await clock.advance(5000)
    await slower.fail()
    expect(written).toBe(before)
  })

  it('nor when it ends while it is found out what to try', async () => {
    const one = server('one')
    let list = (_: object): void => {}
    const greeted = welcome.print([one.upstream])
    await one.reach(new Promise<object>((resolve) => (list = resolve)))
    const before = written
    welcome.end()
    list({ tools: [] })
    await greeted
    expect(written).toBe(before)
  })
})
