/**
 * A server of the newest kind only: it speaks 2026-07-28, and asks its caller for a seat in the middle of a call.
 * Clients of other versions need a gateway.
 */
import { serveStdio } from 'parley-mcp/node'
import { createServer, ToolError, tool } from 'parley-mcp/server'
import { z } from 'zod'

const departures = [
  { train: 'R 41', from: 'Oslo', to: 'Bergen', at: '08:25' },
  { train: 'R 43', from: 'Oslo', to: 'Bergen', at: '12:03' },
  { train: 'R 60', from: 'Bergen', to: 'Oslo', at: '07:57' },
]

const findTrains = tool(
  'find_trains',
  {
    title: 'Find trains',
    description: 'The trains of today from one place to another',
    input: z.object({ from: z.string().meta({ examples: ['Oslo'] }), to: z.string().meta({ examples: ['Bergen'] }) }),
    output: z.object({ trains: z.array(z.object({ train: z.string(), at: z.string() })) }),
    annotations: { readOnlyHint: true },
  },
  ({ from, to }) => ({
    trains: departures.filter((one) => one.from === from && one.to === to).map(({ train, at }) => ({ train, at })),
  }),
)

const reserve = tool(
  'reserve',
  { title: 'Reserve a seat', description: 'Asks which seat, and reserves it', input: z.object({ train: z.string() }) },
  async ({ train }, ctx) => {
    if (!departures.some((one) => one.train === train)) throw new ToolError(`There is no train ${train}`)
    const { action, content } = await ctx.elicit(
      'seat',
      `Which seat on ${train}?`,
      z.object({ seat: z.enum(['window', 'aisle']) }),
    )
    return action === 'accept' ? `Reserved a seat at the ${content.seat} on ${train}` : 'Nothing was reserved'
  },
)

await serveStdio(
  createServer({ name: 'trains', version: '1.0.0' }, { versions: ['2026-07-28'] }).add(findTrains, reserve),
)
