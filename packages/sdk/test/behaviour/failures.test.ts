import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createServer, result, ToolError, tool } from '../../src/server.ts'
import { connect, testVersions } from '../../src/testing.ts'

const output = z.object({ id: z.string() })
const structured = { retryAfter: 30 }

const server = createServer({ name: 'failing', version: '1' }).add(
  tool('thrown', { description: 'Fails by throwing', output }, () => {
    throw new ToolError('Too busy', { structured })
  }),
  tool(
    'returned',
    { description: 'Fails by saying so', output },
    () => result({ content: 'Too busy', structured, isError: true }) as never,
  ),
  tool('free', { description: 'Fails, and declares no output' }, () => {
    throw new ToolError('Too busy', { structured })
  }),
)

describe('F1 details of a failure', () => {
  for (const version of testVersions) {
    for (const name of ['thrown', 'returned'] as const) {
      it(`${version} ${name}: travel as text where the tool declares another output`, async () => {
        await using client = await connect(server, { version })
        await client.tools()
        const outcome = await client.call(name, {}, { throwOnError: false })
        expect(outcome.isError).toBe(true)
        expect(outcome.structured).toBeUndefined()
        expect(outcome.text).toBe(`Too busy\n${JSON.stringify(structured)}`)
      })
    }
  }

  it('are structured where nothing else is declared', async () => {
    await using client = await connect(server, { version: '2025-11-25' })
    const outcome = await client.call('free', {}, { throwOnError: false })
    expect(outcome.structured).toEqual(structured)
  })
})
