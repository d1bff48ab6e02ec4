import { fakeClock } from 'parley-mcp/testing'
import { expect, it } from 'vitest'
import { announceShutdown } from './shutdown-notice.ts'

function ending() {
  const clock = fakeClock(0)
  const said: string[] = []
  let awaited: string[] = ['silent', 'slow']
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const told = announceShutdown(ended, { awaited: () => awaited, say: (words) => said.push(words), clock })
  return { clock, said, end, told, await: (names: string[]) => (awaited = names) }
}

it('G: an end that takes its time says whom it waits for', async () => {
  const { clock, said, end, told, await: setAwaited } = ending()
  await clock.advance(499)
  expect(said).toEqual([])
  await clock.advance(1)
  expect(said).toEqual(['waiting for silent, slow (up to 5 s); Ctrl-C again ends at once'])
  setAwaited([])
  await clock.advance(5000)
  expect(said.slice(1)).toEqual(['waiting for clients (up to 5 s); Ctrl-C again ends at once'])
  end()
  await told
  expect(clock.pending).toBe(0)
})

it('G: a quick end says nothing', async () => {
  const { clock, said, end, told } = ending()
  end()
  await told
  await clock.advance(60_000)
  expect(said).toEqual([])
})
