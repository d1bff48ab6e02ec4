/** G: which servers delay shutdown. */
import { connect, serveHttp } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { expect, it } from 'vitest'
import { parseConfig } from '../config/index.ts'
import { Gateway } from './index.ts'

it('G: servers with a call in progress, then those that have not ended, then none', async () => {
  let finish = (): void => {}
  const work = new Promise<string>((resolve) => {
    finish = () => resolve('done')
  })
  let begun = (): void => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const slow = tool('wait', {}, () => {
    begun()
    return work
  })
  await using serving = await serveHttp(createServer({ name: 'slow', version: '1' }).add(slow), { port: 0 })
  const servers = { slow: { url: serving.url }, other: { url: serving.url, lazy: true } }
  const gateway = new Gateway(
    parseConfig(JSON.stringify({ mcpServers: servers, gateway: { port: 0 } }), { file: 'parley.json', env: {} }).config,
  )
  const { url } = await gateway.start()
  expect(gateway.awaited).toEqual([])
  const client = await connect(`${url}/servers/slow/mcp`)
  const call = client.call('wait', {})
  await hasBegun
  const closing = gateway.close('1m')
  expect(gateway.awaited).toEqual(['slow'])
  finish()
  expect((await call).text).toBe('done')
  await closing
  expect(gateway.awaited).toEqual([])
  await client.close()
})
