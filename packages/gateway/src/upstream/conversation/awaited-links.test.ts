/** 8.3: what is remembered of links a server may still tell of. */
import { fakeClock } from 'parley-mcp/testing'
import { expect, it } from 'vitest'
import { AwaitedLinks } from './awaited-links.ts'

const patient = { cancelled: false, onCancel: () => () => {} } as never

it('at most 1000 are awaited; the first are forgotten, unless they were named again', () => {
  const links = new AwaitedLinks()
  links.expect(['first', 'second'])
  links.expect(['first', ...Array.from({ length: 999 }, (_, index) => `link ${index}`)])
  expect(links.served('second')).toBe(false)
  expect(links.served('first')).toBe(true)
  expect(links.served('first')).toBe(false)
  expect(links.served(undefined)).toBe(false)
})

it('what was waited for once is not waited for again', async () => {
  const clock = fakeClock()
  const links = new AwaitedLinks()
  links.expect(['one'])
  const waiting = links.whenServed(['one'], patient, clock)
  await clock.advance(3000)
  await waiting
  expect(links.whenServed(['one'], patient, clock)).toBeUndefined()
  expect(clock.pending).toBe(0)
})
