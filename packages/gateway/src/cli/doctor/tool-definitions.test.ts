import { Client } from 'sdk-2025-11-25/client/index.js'
import { InMemoryTransport } from 'sdk-2025-11-25/inMemory.js'
import { describe, expect, it } from 'vitest'
import { refusedBecause } from './tool-definitions.ts'

/** What a published client makes of a list with this tool in it. */
async function isRefused(tool: unknown): Promise<boolean> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  far.onmessage = (message) => {
    const { id, method } = message as { id?: number; method?: string }
    const opened = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } }
    if (id !== undefined) void far.send({ jsonrpc: '2.0', id, result: method === 'initialize' ? opened : { tools: [tool] } })
  }
  const client = new Client({ name: 'b', version: '1' })
  try {
    await client.connect(near)
    return await client.listTools().then(
      () => false,
      () => true,
    )
  } finally {
    await client.close()
  }
}

const good = { name: 'a', inputSchema: { type: 'object' } }

describe('a tool that the published client', () => {
  it.each([
    { ...good, inputSchema: {} },
    { ...good, inputSchema: { type: 'string' } },
    { ...good, inputSchema: { type: 'object', properties: [] } },
    { ...good, inputSchema: { type: 'object', properties: { x: 7 } } },
    { ...good, inputSchema: { type: 'object', required: 'x' } },
    { ...good, outputSchema: { type: 'array' } },
    { ...good, description: 7 },
    { name: 'a' },
    { inputSchema: good.inputSchema },
    null,
  ])('refuses is refused here: %j', async (tool) => {
    expect([await isRefused(tool), typeof refusedBecause(tool)]).toEqual([true, 'string'])
  })

  it.each([
    good,
    { ...good, description: '', outputSchema: { type: 'object', properties: { x: {} }, required: ['x'] } },
    { ...good, inputSchema: { type: 'object', $defs: {}, additionalProperties: false } },
  ])('takes is taken here: %j', async (tool) => {
    expect([await isRefused(tool), refusedBecause(tool)]).toEqual([false, undefined])
  })
})
