/** A link to a program or an address, for whoever brings a session of its own. */
import { afterEach, describe, expect, it } from 'vitest'
import { type Endpoint, Session } from '../../src/engine.ts'
import type { Link } from '../../src/jsonrpc/index.ts'
import { openLink, serveHttp, serveTcp, serveWebSocket } from '../../src/node.ts'
import { createServer, tool } from '../../src/server.ts'
import { misbehaving } from './children/programs.ts'
import { allGone, MARK, mark } from './processes.ts'

const endpoint: Endpoint = {
  introduce: () => ({ info: { name: 'c', version: '1' }, capabilities: {} }),
  answer: () => ({}),
}

const closing: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close()
})

async function called(link: Link, name: string): Promise<unknown> {
  const session = new Session({ role: 'client', link, endpoint })
  closing.push(session)
  await session.begin()
  return ((await session.request('tools/call', { name }))['content'] as { text: string }[])[0]?.text
}

describe('openLink', () => {
  const server = createServer({ name: 's', version: '1' }).add(tool('hello', {}, () => 'Hello!'))

  it.each([
    ['http', serveHttp],
    ['ws', serveWebSocket],
    ['tcp', serveTcp],
  ] as const)('to an address: %s', async (_, serve) => {
    const serving = await serve(server, { port: 0, host: '127.0.0.1' })
    closing.push(serving)
    expect(await called(await openLink(serving.url), 'hello')).toBe('Hello!')
  })

  it('to an address with headers', async () => {
    const serving = await serveHttp(server, {
      port: 0,
      host: '127.0.0.1',
      principal: ({ header }) => header('authorization'),
    })
    closing.push(serving)
    expect(await called(await openLink({ url: serving.url, headers: { authorization: 'Bearer x' } }), 'hello')).toBe(
      'Hello!',
    )
  })

  it('to a program', async () => {
    const own = mark()
    const link = await openLink({ command: process.execPath, args: [misbehaving, 'well'], env: { [MARK]: own } })
    expect(await called(link, 'act')).toBe('ok')
    for (const each of closing.splice(0)) await each.close()
    await allGone(own, 8000)
  })

  it.each([['ftp://host/'], ['not an address'], [42], [undefined], [() => {}]])(
    'to nothing else: %s',
    async (target) => {
      await expect(openLink(target as never)).rejects.toThrow(/openLink\(\) takes|Invalid URL|not an address/)
    },
  )
})
