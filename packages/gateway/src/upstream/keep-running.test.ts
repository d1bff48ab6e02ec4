/** L3: a server that must run is restarted without a client, at the times that the log names. */
import { fakeClock } from 'parley-mcp/testing'
import { expect, it } from 'vitest'
import { serverDefaults } from '../config/index.ts'
import { silentLog } from '../log/index.ts'
import { keepRunning, Upstream } from './index.ts'

function failing(policy: 'permanent' | 'transient' | 'temporary') {
  const clock = fakeClock(0)
  const starts: number[] = []
  const config = serverDefaults('bad', { kind: 'command', command: 'none', args: [], env: {}, cwd: undefined })
  const launch = async (): Promise<never> => {
    starts.push(clock.now())
    throw new Error('no such file')
  }
  const upstream = new Upstream(
    { ...config, restart: { policy, maxRestarts: 3, within: 60_000 } },
    { log: silentLog, translation: 'lenient', clock, random: () => 0, launch },
  )
  return { clock, starts, upstream, stop: keepRunning(upstream) }
}

it.each(['permanent', 'transient'] as const)(
  'L3: a %s server that fails its first starts is started again, after ever longer pauses',
  async (policy) => {
    const { clock, starts, upstream, stop } = failing(policy)
    await upstream.gatewayConversation().catch(() => {})
    for (let second = 0; second < 200; second++) await clock.advance(1000)
    // Three restarts, then attempts after pauses of 30 and 60 seconds.
    expect(starts.map((at) => Math.round(at / 1000))).toEqual([0, 0, 1, 3, 33, 93])
    stop()
    for (let second = 0; second < 300; second++) await clock.advance(1000)
    expect(starts).toHaveLength(6)
    await upstream.close()
  },
)

it('L3: a temporary server is not started again', async () => {
  const { clock, starts, upstream } = failing('temporary')
  await upstream.gatewayConversation().catch(() => {})
  for (let second = 0; second < 100; second++) await clock.advance(1000)
  expect(starts).toHaveLength(1)
  await upstream.close()
})
