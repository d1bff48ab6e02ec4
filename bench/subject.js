/** What every implementation is measured with: one realistic tool, its arguments, and a list of many tools. */
import { z } from 'zod'

export const identity = { name: 'bench', version: '1.0.0' }
export const clientIdentity = { name: 'bench-client', version: '1.0.0' }

export const input = z.object({
  city: z.string().min(1),
  days: z.number().int().min(1).max(14),
  units: z.enum(['metric', 'imperial']),
})
export const output = z.object({ city: z.string(), high: z.number(), low: z.number(), summary: z.string() })

export const description = 'Forecast for a city over the next days'
export const args = { city: 'Reykjavík', days: 3, units: 'metric' }

/** Cheap on purpose: what is measured is the way to the handler and back. */
export function forecast({ city, days }) {
  return { city, high: 11 + days, low: 4, summary: 'Rain in the morning, clearing from the west later' }
}

/** The same as a sentence, for the tool that declares no output: most tools of the field are like this. */
export function outlook(given) {
  const { city, high, low, summary } = forecast(given)
  return `${city}: ${summary}. High ${high}, low ${low}.`
}

/** How peers write a text. */
export const asText = (text) => ({ content: [{ type: 'text', text }] })

/**
 * Input schemas only: some clients compile every output schema they see in a list, every time they see it,
 * and the scenario is about listing.
 */
export const manyTools = Array.from({ length: 500 }, (_, at) => ({
  name: `forecast-${at}`,
  description: `${description}, source ${at}`,
  input: z.object({
    city: z.string().min(1),
    days: z.number().int().min(1).max(14),
    units: z.enum(['metric', 'imperial']),
  }),
}))

/** A list of usual length. */
export const someTools = manyTools.slice(0, 50)

/** How the peers that leave the text copy to their users are told to make it. */
export function withTextCopy(structuredContent) {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}
