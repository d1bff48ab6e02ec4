import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { connect } from '../src/client.ts'
import { createServer, tool } from '../src/server.ts'

it('a client that is not named says of which version of the package it is', async () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  const whoami = tool('whoami', {}, (_, { client }) => `${client.info?.name} ${client.info?.version}`)
  await using client = await connect(createServer({ name: 'server', version: '1' }).add(whoami))
  expect((await client.call('whoami')).text).toBe(`parley-client ${manifest.version}`)
})
