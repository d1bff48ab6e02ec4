import { fakeClock } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { onNpmExit } from './npm-exit.ts'

function watched(env: Record<string, string | undefined>) {
  const clock = fakeClock(0)
  const seen = { parent: 7, ends: 0 }
  const stop = onNpmExit(() => seen.ends++, { env, parent: () => seen.parent, clock })
  return { clock, seen, stop }
}

describe('the end of npm', () => {
  it.each([{ npm_command: 'exec' }, { npm_lifecycle_event: 'start' }])(
    'is told once to a program with %j',
    async (env) => {
      const { clock, seen } = watched(env)
      await clock.advance(60_000)
      expect(seen.ends).toBe(0)
      seen.parent = 1
      await clock.advance(60_000)
      expect(seen.ends).toBe(1)
    },
  )

  it('is not told to one that npm has not started, nor to one that looks no more', async () => {
    const [daemon, ended] = [watched({}), watched({ npm_command: 'exec' })]
    ended.stop()
    for (const { clock, seen } of [daemon, ended]) {
      seen.parent = 1
      await clock.advance(60_000)
      expect(seen.ends).toBe(0)
    }
  })
})
