/** Every entry of both packages and what is inferred from definitions, for the oldest TypeScript that is supported. */
import { Gateway } from 'parley-gateway'
import { versions } from 'parley-mcp'
import { connect } from 'parley-mcp/client'
import { Session } from 'parley-mcp/engine'
import { serveHttp } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { everyVersion } from 'parley-mcp/testing'
import { z } from 'zod'

const input = z.object({ city: z.string(), days: z.number().default(3) })
const output = z.object({ high: z.number() })
const forecast = tool('forecast', { description: 'Forecast for a city', input, output }, ({ days }) => ({
  high: 11 + days,
}))
const server = createServer({ name: 'weather', version: '1.0.0' }).add(forecast)

const client = await connect(server)
const { value } = await client.call('forecast', { city: 'Oslo' })
export const high: number = value.high
// @ts-expect-error: the server has no such tool.
await client.call('forecasts', { city: 'Oslo' })
// @ts-expect-error: a city is a text.
await client.call('forecast', { city: 1 })

export { everyVersion, Gateway, Session, serveHttp, versions }
