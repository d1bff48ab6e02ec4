import { afterEach, describe, expect, it } from 'vitest'
import { httpLink } from '../../src/transport/index.ts'
import { answer, calls, closeServers, Ear, json, noStream, request, scripted, talk } from './http-client.fixtures.ts'

afterEach(closeServers)

describe.each(calls)('T being let in, over %s', (_, options) => {
  describe('headers and credentials', () => {
    it('asks for headers each time, and keeps those of the protocol', async () => {
      let count = 0
      const server = await scripted((seen, response) => json(response, answer(seen.message.id)))
      const link = httpLink(server.url, {
        ...options,
        headers: async () => ({ Authorization: `Bearer ${++count}`, Accept: 'text/html', 'X-Own': 'yes' }),
      })
      const ear = new Ear(link)
      link.send(request(1))
      await ear.answer(1)
      link.send(request(2))
      await ear.answer(2)
      expect(server.seen.map(({ headers }) => [headers.authorization, headers['x-own'], headers.accept])).toEqual([
        ['Bearer 1', 'yes', 'application/json, text/event-stream'],
        ['Bearer 2', 'yes', 'application/json, text/event-stream'],
      ])
      link.close()
    })

    it.each([
      [401, 'unauthorized'],
      [403, 'forbidden'],
    ])('A-14 C-44 %i is %s, with the challenge', async (status, kind) => {
      const server = await scripted(
        (_seen, response) => void response.writeHead(status, { 'www-authenticate': 'Bearer scope="x"' }).end('go away'),
      )
      await expect(talk(httpLink(server.url, options))).rejects.toMatchObject({
        kind,
        message: expect.stringMatching(`/mcp answered ${status}: go away`),
        data: { status, wwwAuthenticate: 'Bearer scope="x"' },
      })
    })

    it('A-14 tries once more when the credentials were renewed', async () => {
      let token = 'old'
      const challenges: unknown[] = []
      const server = await scripted((seen, response) => {
        if (seen.headers.authorization !== 'new')
          return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
        json(response, answer(seen.message.id))
      })
      const authorize = async (challenge: unknown) => {
        challenges.push(challenge)
        token = challenges.length === 1 ? 'new' : 'worse'
        return true
      }
      const link = httpLink(server.url, { ...options, authorize, headers: () => ({ authorization: token }) })
      const ear = new Ear(link)
      link.send(request(1))
      await ear.answer(1)
      expect(challenges).toEqual([{ url: server.url, status: 401, wwwAuthenticate: 'Bearer' }])
      token = 'old again'
      link.send(request(2))
      expect(await ear.failure(2)).toMatchObject({ kind: 'unauthorized' })
      expect(server.seen).toHaveLength(4)
      link.close()
    })

    it('a hook that throws fails the request, in its words', async () => {
      const server = await scripted(noStream)
      const link = httpLink(server.url, {
        ...options,
        headers: () => {
          throw new Error('the key is locked')
        },
      })
      const ear = new Ear(link)
      link.send(request(1))
      expect(await ear.failure(1)).toMatchObject({
        kind: 'transport_error',
        message: 'The HTTP request failed: the key is locked',
      })
      link.close()
    })
  })

  describe('redirects', () => {
    it.each([301, 302, 307, 308])('%i within the server is followed, once', async (status) => {
      const server = await scripted((seen, response) => {
        if (seen.path === '/mcp') return void response.writeHead(status, { location: '/mcp/' }).end()
        json(response, answer(seen.message.id))
      })
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(request(1))
      await ear.answer(1)
      link.send(request(2))
      await ear.answer(2)
      expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
        'POST /mcp',
        'POST /mcp/',
        'POST /mcp/',
      ])
      link.close()
    })

    it('elsewhere is not followed: the other server hears nothing', async () => {
      const other = await scripted(noStream)
      const server = await scripted((_seen, response) => void response.writeHead(307, { location: other.url }).end())
      const link = httpLink(server.url, { ...options, headers: { authorization: 'secret' } })
      const ear = new Ear(link)
      link.send(request(1))
      expect(await ear.failure(1)).toMatchObject({
        kind: 'transport_error',
        message: expect.stringContaining(`redirects (307) to ${other.url}, which is another server`),
      })
      expect(other.seen).toEqual([])
      link.close()
    })

    it.each([
      ['in circles', 307, '/mcp', /after 5 others/],
      ['to nowhere', 307, undefined, /without saying where to/],
      ['to nonsense', 308, 'http://[', /no address/],
      ['away from POST', 303, '/seen', /to be read instead/],
    ])('%s is one clear error', async (__, status, location, message) => {
      const server = await scripted(
        (_seen, response) => void response.writeHead(status, location === undefined ? {} : { location }).end(),
      )
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(request(1))
      expect(await ear.failure(1)).toMatchObject({ kind: 'transport_error', message: expect.stringMatching(message) })
      link.close()
    })
  })
})

describe('T addresses', () => {
  it.each([
    ['no address at all', /Not an address/],
    ['ftp://host/mcp', /Not an HTTP address: ftp:/],
    ['http://user:secret@host/mcp', /do not belong in the address of http:\/\/host\/mcp/],
  ])('%s is refused', (url, message) => {
    expect(() => httpLink(url)).toThrowError(
      expect.objectContaining({ kind: 'transport_error', message: expect.stringMatching(message) }),
    )
    expect(() => httpLink(url)).not.toThrowError(/secret/)
  })
})
