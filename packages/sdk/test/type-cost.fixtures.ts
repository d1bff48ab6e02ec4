/** Writes a program with many tools, the way people write them, for the compiler to be measured on. */

const zodInput = `z.object({
    city: z.string().min(1),
    days: z.number().int().default(3),
    unit: z.enum(['c', 'f']).optional(),
    tags: z.array(z.string()),
    at: z.object({ lat: z.number(), lon: z.number() }),
  })`

const jsonInput = `{
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 1 },
      days: { type: 'integer', default: 3 },
      unit: { enum: ['c', 'f'] },
      tags: { type: 'array', items: { type: 'string' } },
      at: { type: 'object', properties: { lat: { type: 'number' }, lon: { type: 'number' } }, required: ['lat', 'lon'] },
    },
    required: ['city', 'tags', 'at'],
  }`

const zodOutput = (n: number): string => `z.object({ high: z.number(), low: z.number(), place${n}: z.string() })`

const jsonOutput = (n: number): string => `{
    type: 'object',
    properties: { high: { type: 'number' }, low: { type: 'number' }, place${n}: { type: 'string' } },
    required: ['high', 'low', 'place${n}'],
  }`

function toolSource(n: number): string {
  const zod = n % 2 === 0
  return `const tool${n} = tool('tool_${n}', {
  description: 'Forecast',
  input: ${zod ? zodInput : jsonInput},
  output: ${zod ? zodOutput(n) : jsonOutput(n)},
}, async ({ city, days, at, unit }) => ({ high: days + at.lat, low: unit === 'c' ? 1 : 2, place${n}: city }))
`
}

export function programOf(tools: number): string {
  const numbers = Array.from({ length: tools }, (_, n) => n)
  return `import { createServer, tool } from 'parley-mcp/server'
import { z } from 'zod'

${numbers.map(toolSource).join('\n')}
export const server = createServer({ name: 'many', version: '1.0.0' }).add(${numbers.map((n) => `tool${n}`).join(', ')})
`
}

/** Must not compile: proves that the program above is really checked. */
export const wrongProgram = `import { tool } from 'parley-mcp/server'
import { z } from 'zod'

export const wrongArgument = tool('a', { input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } }, ({ n }) => n.toUpperCase())
export const wrongResult = tool('b', { output: z.object({ high: z.number() }) }, () => ({ high: 'hot' }))
`

/** Handlers that return what their output does not allow, in ways that the compiler explains at length. */
export const wrongReturns = `import { background, tool } from 'parley-mcp/server'
import { z } from 'zod'
const output = z.object({ high: z.number(), city: z.string() })
tool('late', { output }, async () => ({ high: 1 }))
tool('rest', { output }, () => background(() => ({ high: 'x', city: '' })))
`
