import { describe, expect, it } from 'vitest'
import { redactionFor, withoutBody, withoutPath } from './redaction.ts'
import { stage } from './supervisor.fixtures.ts'

describe('E2 what clients are not told', () => {
  it.each([
    ['http://a/mcp answered 500: <html>stack at /srv/app.js token=abc</html>', 'http://a/mcp answered 500'],
    [
      'The server "x" could not be reached: http://a/mcp answered 404 to POST: no such page: really',
      'The server "x" could not be reached: http://a/mcp answered 404 to POST',
    ],
    ['http://a/mcp answered neither: nor', 'http://a/mcp answered neither: nor'],
    ['connect ECONNREFUSED', 'connect ECONNREFUSED'],
  ])('%s', (text, shown) => {
    expect(withoutBody(text)).toBe(shown)
  })

  it.each([
    [
      'Cannot start "x": there is no such command in PATH (/a:/b (c):/d); give its full path',
      'Cannot start "x": there is no such command in PATH; give its full path',
    ],
    ['there is no such command in PATH (/a:/b:/c', 'there is no such command in PATH'],
    ['there is no such file (really)', 'there is no such file (really)'],
  ])('%s', (text, shown) => {
    expect(withoutPath(text)).toBe(shown)
  })

  it('what the configuration gives in confidence', () => {
    const redact = redactionFor({
      kind: 'remote',
      url: 'http://a/mcp?key=very-secret',
      transport: undefined,
      headers: { authorization: 'Bearer abcd1234' },
    })
    expect(redact('it said very-secret and abcd1234')).toBe('it said [key] and [authorization]')
  })

  it('what a process wrote while another client used it, where there are several', async () => {
    for (const severalClients of [false, true]) {
      const { supervisor, use, failures } = stage({ maxRestarts: 0 }, { severalClients })
      failures.push(new Error('http://a/mcp answered 500: the stack'))
      await expect(use()).rejects.toThrow('answered 500')
      expect(supervisor.unavailable()?.message.includes('the stack')).toBe(!severalClients)
    }
  })
})
