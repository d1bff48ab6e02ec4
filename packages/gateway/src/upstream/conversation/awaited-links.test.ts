/** Which links are remembered while the server may still report them. */
import { fakeClock } from 'parley-mcp/testing'
import { expect, it } from 'vitest'
import { AwaitedLinks } from './awaited-links.ts'

const patient = { cancelled: false, onCancel: () => () => {} } as never

it('at most 1000 links are awaited, and the oldest are forgotten first', () => {
  const links = new AwaitedLinks()
  links.expect(['first', 'second'])
  links.expect(['first', ...Array.from({ length: 999 }, (_, index) => `link ${index}`)])
  expect(links.served('second')).toBe(false)
  expect(links.served('first')).toBe(true)
  expect(links.served('first')).toBe(false)
  expect(links.served(undefined)).toBe(false)
})

it('a link is waited for only once', async () => {
  const clock = fakeClock()
  const links = new AwaitedLinks()
  links.expect(['one'])
  const waiting = links.whenServed(['one'], patient, clock)
  await clock.advance(3000)
  await waiting
  expect(links.whenServed(['one'], patient, clock)).toBeUndefined()
  expect(clock.pending).toBe(0)
})
