import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { openServer } from '../session.fixtures.ts'
import { MAX_LENGTHS } from './lengths.ts'

/** A message whose text at that path has so many characters. */
function message(path: string, length: number, more: Body = {}): Body {
  const made: Body = { jsonrpc: '2.0', id: 7, method: 'tools/list', ...more }
  const steps = path.split('.')
  let at = made
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1
    const isList = steps[index + 1] === '*'
    if (isList) {
      at[step] = ['short', 'x'.repeat(length)]
      break
    }
    if (!isLast) at[step] ??= {}
    else at[step] = 'x'.repeat(length)
    at = at[step] as Body
  }
  return made
}

describe('L4 the longest texts', () => {
  it.each(Object.entries(MAX_LENGTHS))('%s may have %i characters, and no more', (path, most) => {
    const { link } = openServer()
    link.deliver(message(path, most))
    expect(link.take()).toMatchObject([{ result: expect.anything() }])
    link.deliver(message(path, most + 1))
    expect(link.take()).toMatchObject([
      {
        error: {
          code: -32602,
          message: `"${path}" is too long: it may have ${most} characters`,
          data: { path, maxLength: most },
        },
      },
    ])
  })

  it('arguments may be as long as a message', () => {
    const { link } = openServer()
    link.request(1, 'tools/call', {
      name: 'echo',
      arguments: { name: 'x'.repeat(1_000_000), uri: 'x'.repeat(1_000_000) },
    })
    expect(link.take()).toMatchObject([{ id: 1, result: expect.anything() }])
  })

  it('hold for each message of a batch', () => {
    const { link } = openServer('2025-03-26')
    const short = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    link.deliver([short, message('params.name', 2000, { id: 2 })] as never)
    expect(link.take()).toMatchObject([
      [
        { id: 1, result: expect.anything() },
        { id: 2, error: { code: -32602 } },
      ],
    ])
  })

  it('a notification over them is counted and ignored', () => {
    const { link, session } = openServer()
    link.notify('notifications/cancelled', { requestId: 'x'.repeat(20_000) })
    expect(link.take()).toEqual([])
    expect(session.stats().ignored).toMatchObject({ 'message with a text that is too long': 1 })
  })
})
