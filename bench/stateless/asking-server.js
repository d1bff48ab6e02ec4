/** A Parley server with a tool that asks its client before it answers. */
import { z } from 'zod'
import { importParley } from '../checkout.js'
import { ASKING } from './messages.js'

const city = z.object({ city: z.string() })
const sure = z.object({ sure: z.boolean() })

/** `replay`: the handler is run again with the answer instead of being suspended. */
export async function askingServer({ replay = false } = {}) {
  const { createServer, tool } = await importParley('server')
  // More than are ever parked here.
  const server = createServer({ name: 'bench', version: '1.0.0' }, { stateless: replay, asking: { maxParked: 20_000 } })
  return server.add(
    tool(ASKING, { input: city }, async ({ city }, ctx) => {
      const answer = await ctx.elicit('sure', 'Sure?', sure)
      return answer.action === 'accept' && answer.content.sure ? `Booked ${city}` : 'Not booked'
    }),
  )
}
